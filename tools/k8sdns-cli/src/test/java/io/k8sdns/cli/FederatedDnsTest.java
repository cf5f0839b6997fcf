package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.SourceCluster;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.sockets.DnsClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Flags;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

@Timeout(300)
class FederatedDnsTest {
    private static final String CART = "cart.shop.prod.svc.federation.";

    private static final String SHARDS = """
            {
              "/prod/shop/cart/foo": {"externalIP": "192.0.2.1", "clusterIP": "10.0.0.1"},
              "/prod/shop/cart/bar": {"externalIP": "192.0.2.2", "clusterIP": "10.0.0.2"},
              "/prod/shop/cart/baz": {"externalIP": "192.0.2.3", "clusterIP": "10.0.0.3"}
            }
            """;

    @TempDir
    private Path folder;

    private final DnsClient client = new DnsClient();
    private final List<CommandThread> running = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (CommandThread run : running) {
            run.close();
        }
        client.close();
    }

    /** Writes a file atomically. */
    private String file(String name, String text) throws IOException {
        Path next = Files.writeString(folder.resolve(name + ".next"), text);
        return Files.move(next, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING)
                .toString();
    }

    private CommandThread start(String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of("--listen", "127.0.0.1:0"));
        all.addAll(List.of(options));
        if (!all.contains("--resolv-conf")) {
            // An address without a server, instead of the server of the machine.
            all.addAll(List.of("--resolv-conf", file("resolv.conf", "nameserver 127.0.0.9\n")));
        }
        CommandThread run = new CommandThread("federated-dns", all);
        running.add(run);
        return run;
    }

    private static Message query(String name, int type, int payload, EDNSOption... options) throws IOException {
        Message query = new Message(4711);
        query.addRecord(Record.newRecord(Name.fromString(name), type, DClass.IN), Section.QUESTION);
        query.addRecord(new OPTRecord(payload, 0, 0, 0, List.of(options)), Section.ADDITIONAL);
        return query;
    }

    private byte[] exchange(InetSocketAddress server, Message query, Transport transport) throws IOException {
        return client.exchange(query.toWire(), server, transport, Duration.ofMinutes(2));
    }

    private List<String> addresses(InetSocketAddress server, String name, EDNSOption... options) throws IOException {
        return data(new Message(exchange(server, query(name, Type.A, 1232, options), Transport.UDP)));
    }

    private static List<String> data(Message response) {
        return response.getSection(Section.ANSWER).stream()
                .map(Record::rdataToString)
                .toList();
    }

    private static EDNSOption from(String cluster) {
        return new SourceCluster(cluster).toOption(SourceCluster.OPTION_CODE);
    }

    @Test
    void nearestShardIsFirstOverBothTransportsAndTheOptionIsRepeated() throws Exception {
        String shards = file("shards", SHARDS);
        String clusters = file("clusters", """
                {"foo": {"region": "eu", "zones": ["eu-a"]}, "bar": {"region": "eu"}, "baz": {"region": "us"}}
                """);
        CommandThread run = start("--store", "memory", "--shards", shards, "--clusters", clusters);
        InetSocketAddress server = run.nextAddress().address();

        for (Transport transport : Transport.values()) {
            Message response = new Message(exchange(server, query(CART, Type.A, 1232, from("foo")), transport));
            assertThat(data(response)).containsExactly("10.0.0.1", "192.0.2.2", "192.0.2.3");
            assertThat(response.getHeader().getFlag(Flags.AA)).isTrue();
            assertThat(response.getOPT().getOptions(SourceCluster.OPTION_CODE)).containsExactly(from("foo"));
        }
        assertThat(addresses(server, CART)).containsExactlyInAnyOrder("192.0.2.1", "192.0.2.2", "192.0.2.3");
        assertThat(run.stop()).isZero();
        assertThat(run.err()).isEmpty();
    }

    @Test
    void addressesThatAreEquallyNearTakeTurnsUnlessTheOrderIsStable() throws Exception {
        String shards = file("shards", SHARDS);
        InetSocketAddress rotating = start("--shards", shards).nextAddress().address();
        InetSocketAddress stable =
                start("--shards", shards, "--order", "stable").nextAddress().address();
        List<List<String>> seen = new ArrayList<>();
        for (int id = 0; id < 2; id++) {
            Message query = query(CART, Type.A, 1232, from("foo"));
            query.getHeader().setID(id);
            seen.add(data(new Message(exchange(rotating, query, Transport.UDP))));
            assertThat(data(new Message(exchange(stable, query, Transport.UDP))))
                    .containsExactly("10.0.0.1", "192.0.2.2", "192.0.2.3");
        }
        assertThat(seen)
                .containsExactly(
                        List.of("10.0.0.1", "192.0.2.2", "192.0.2.3"), List.of("10.0.0.1", "192.0.2.3", "192.0.2.2"));
    }

    @Test
    void bothFilesAreWatchedAndAnInvalidVersionChangesNothing() throws Exception {
        String shards = file("shards", SHARDS);
        String clusters = file("clusters", "{}");
        CommandThread run = start("--shards", shards, "--clusters", clusters, "--order", "stable");
        InetSocketAddress server = run.nextAddress().address();
        assertThat(addresses(server, CART, from("foo"))).containsExactly("10.0.0.1", "192.0.2.2", "192.0.2.3");

        file("clusters", "{\"foo\": {\"region\": \"eu\"}, \"baz\": {\"region\": \"eu\"}}");
        await(server, List.of("10.0.0.1", "192.0.2.3", "192.0.2.2"));

        file("shards", "{\"/prod/shop/cart/baz\": ");
        run.awaitErr("warning: the last valid version is still used: " + shards + ": line 1: not JSON");
        file("clusters", "{\"Foo\": {}}");
        run.awaitErr("warning: the last valid version is still used: " + clusters);
        assertThat(addresses(server, CART, from("foo"))).containsExactly("10.0.0.1", "192.0.2.3", "192.0.2.2");

        Files.delete(Path.of(shards));
        run.awaitErr(shards + ": no such file");
        file("shards", SHARDS.replace("10.0.0.1", "10.0.0.9"));
        await(server, List.of("10.0.0.9", "192.0.2.3", "192.0.2.2"));
        file("shards", "{}");
        await(server, List.of());
        assertThat(run.stop()).isZero();
    }

    /** Repeats a query until the answer is as expected; the test has a time limit. */
    private void await(InetSocketAddress server, List<String> expected) throws IOException {
        List<String> now = addresses(server, CART, from("foo"));
        while (!now.equals(expected)) {
            now = addresses(server, CART, from("foo"));
        }
        assertThat(now).isEqualTo(expected);
    }

    @Test
    void aBrokenValueIsReportedAndTheOthersAreServed() throws Exception {
        String shards = file("shards", SHARDS.replace("\"192.0.2.2\"", "7"));
        CommandThread run = start("--shards", shards);
        InetSocketAddress server = run.nextAddress().address();

        assertThat(addresses(server, CART, from("foo"))).containsExactly("10.0.0.1", "192.0.2.3");
        assertThat(run.err())
                .isEqualToIgnoringNewLines("warning: /prod/shop/cart/bar is skipped: externalIP: not a text\n");
    }

    @Test
    void metricsCountSkippedKeysAndTheServerIsReadyOnceTheStoreIsRead() throws Exception {
        String shards = file("shards", SHARDS.replace("\"192.0.2.2\"", "7"));
        CommandThread run = start("--shards", shards, "--metrics", "127.0.0.1:0");
        List<String> unused = addresses(run.nextAddress().address(), CART);
        String url = run.err()
                .lines()
                .filter(line -> line.startsWith("metrics: "))
                .map(line -> line.substring("metrics: ".length()))
                .findFirst()
                .orElseThrow();

        assertThat(get(url).lines())
                .contains(
                        "k8sdns_federation_skipped_keys 1.0",
                        "k8sdns_federation_state{state=\"synced\"} 1.0",
                        "k8sdns_requests_total{proto=\"udp\",type=\"A\"} 1.0");
        assertThat(get(url.replace("/metrics", "/ready"))).isEqualTo("ready\n");
        assertThat(run.stop()).isZero();
    }

    private static String get(String url) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void twoServersOfOneStoreAnswerAlike() throws Exception {
        String shards = file("shards", SHARDS);
        InetSocketAddress one = start("--shards", shards).nextAddress().address();
        InetSocketAddress other = start("--shards", shards).nextAddress().address();
        for (String name : List.of(CART, "foo." + CART, "federation.", "missing.federation.", "ns.dns.federation.")) {
            for (int type : new int[] {Type.A, Type.SOA, Type.NS, Type.ANY}) {
                Message query = query(name, type, 1232, from("bar"));
                assertThat(exchange(one, query, Transport.UDP))
                        .as(name)
                        .isEqualTo(exchange(other, query, Transport.UDP));
            }
        }
    }

    @Test
    void aTruncatedAnswerHoldsTheNearestShardsAndTcpHoldsAll() throws Exception {
        StringBuilder shards = new StringBuilder("{");
        IntStream.range(0, 100)
                .forEach(i -> shards.append("\"/prod/shop/cart/c")
                        .append(i)
                        .append("\": {\"externalIP\": \"192.0.2.")
                        .append(i)
                        .append("\"}, "));
        shards.append("\"/prod/shop/cart/foo\": {\"clusterIP\": \"10.0.0.1\"}}");
        InetSocketAddress server = start("--shards", file("shards", shards.toString()))
                .nextAddress()
                .address();

        Message cut = new Message(exchange(server, query(CART, Type.A, 512, from("foo")), Transport.UDP));
        assertThat(cut.getHeader().getFlag(Flags.TC)).isTrue();
        assertThat(data(cut)).startsWith("10.0.0.1").hasSizeBetween(10, 99);
        Message whole = new Message(exchange(server, query(CART, Type.A, 512, from("foo")), Transport.TCP));
        assertThat(data(whole)).startsWith("10.0.0.1").hasSize(101);
    }

    @Test
    void anotherVersionOfEdnsIsBadvers() throws Exception {
        InetSocketAddress server =
                start("--shards", file("shards", SHARDS)).nextAddress().address();
        Message query = new Message(1);
        query.addRecord(Record.newRecord(Name.fromString(CART), Type.A, DClass.IN), Section.QUESTION);
        query.addRecord(new OPTRecord(1232, 0, 1), Section.ADDITIONAL);

        Message response = new Message(exchange(server, query, Transport.UDP));

        assertThat(response.getRcode()).isEqualTo(Rcode.BADVERS);
    }

    @Test
    void optionsChangeZoneTtlCodeAndNameServer() throws Exception {
        InetSocketAddress server = start(
                        "--shards",
                        file("shards", SHARDS),
                        "--zone",
                        "fed.example",
                        "--ttl",
                        "180",
                        "--source-cluster-option",
                        "65001",
                        "--ns-address",
                        "192.0.2.53")
                .nextAddress()
                .address();
        String cart = "cart.shop.prod.svc.fed.example.";
        EDNSOption foo = new GenericEDNSOption(65001, new byte[] {'f', 'o', 'o'});

        Message response = new Message(exchange(server, query(cart, Type.A, 1232, foo), Transport.UDP));
        assertThat(response.getSection(Section.ANSWER).get(0).getTTL()).isEqualTo(180);
        assertThat(data(response)).startsWith("10.0.0.1");
        assertThat(addresses(server, cart, from("foo")))
                .doesNotContain("10.0.0.1")
                .hasSize(3);
        assertThat(addresses(server, "ns.dns.fed.example.")).containsExactly("192.0.2.53");
        assertThat(new Message(exchange(server, query(CART, Type.A, 1232), Transport.UDP)).getRcode())
                .isEqualTo(Rcode.REFUSED);
    }

    @Test
    void hostNamesOfLoadBalancersAreLookedUpAtTheUpstreamServer() throws Exception {
        String shards = file("shards", SHARDS.replace("\"192.0.2.3\"", "\"lb.example.com\""));
        try (NodeCacheUpstream upstream = NodeCacheUpstream.holding("lb.example.com. 60 IN A 203.0.113.9")) {
            InetSocketAddress with = start("--shards", shards, "--order", "stable", "--upstream", upstream.address())
                    .nextAddress()
                    .address();
            assertThat(addresses(with, CART, from("foo"))).containsExactly("10.0.0.1", "192.0.2.2", "203.0.113.9");
            assertThat(upstream.received("lb.example.com.")).hasSize(1);
        }
    }

    @Test
    void withoutUpstreamTheServersOfTheHostAreQueried() throws Exception {
        String shards = file("shards", SHARDS.replace("\"192.0.2.3\"", "\"lb.example.com\""));
        try (NodeCacheUpstream host = NodeCacheUpstream.holding("lb.example.com. 60 IN A 203.0.113.9")) {
            String resolvConf = file("host.conf", "search example.com\nnameserver " + host.address() + "\n");
            InetSocketAddress server = start("--shards", shards, "--order", "stable", "--resolv-conf", resolvConf)
                    .nextAddress()
                    .address();
            assertThat(addresses(server, CART, from("foo"))).containsExactly("10.0.0.1", "192.0.2.2", "203.0.113.9");
            assertThat(host.received("lb.example.com.")).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"none.conf, no such file", "empty.conf, no nameserver"})
    void withoutAnyServerHostNamesHaveNoAddressAndThatIsReported(String name, String reason) throws Exception {
        String unused = file("empty.conf", "search example.com\n");
        String resolvConf = folder.resolve(name).toString();
        String shards = file("shards", SHARDS.replace("\"192.0.2.3\"", "\"lb.example.com\""));
        CommandThread run = start("--shards", shards, "--order", "stable", "--resolv-conf", resolvConf);
        InetSocketAddress server = run.nextAddress().address();
        assertThat(addresses(server, CART, from("foo"))).containsExactly("10.0.0.1", "192.0.2.2");
        assertThat(run.err().lines())
                .containsExactly(
                        "warning: load balancers that have host names have no address; --upstream is not given, and "
                                + resolvConf + ": " + reason);
    }

    @Test
    void withoutShardsTheZoneIsEmptyAndThatIsNoted() throws Exception {
        CommandThread run = start();
        InetSocketAddress server = run.nextAddress().address();
        Message response = new Message(exchange(server, query(CART, Type.A, 1232), Transport.UDP));
        assertThat(response.getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(run.err()).contains("note: without --shards");
    }

    @Test
    void anIpv6AddressOfAnUpstreamServerNeedsBrackets() {
        Run run = Run.of("federated-dns", "--shards", "/no/such/file", "--upstream", "fd00::1:53");
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err())
                .contains("an IPv6 address needs brackets: 'fd00::1:53'; write [fd00::1:53], or [fd00::1]:53");
    }

    @Test
    void aPortInUseIsAFailure() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Run run = Run.of(
                    "federated-dns",
                    "--listen",
                    "127.0.0.1:" + taken.getLocalPort(),
                    "--upstream",
                    "127.0.0.9",
                    "--shards",
                    file("shards", SHARDS));
            assertThat(run.code()).isEqualTo(Main.FAILED);
            assertThat(run.out()).isEmpty();
            assertThat(run.err().lines()).hasSize(1);
        }
    }

    @Test
    void helpListsEveryOption() {
        String help = Run.of("federated-dns", "--help").out();
        assertThat(Arrays.asList("--listen", "--zone", "--store", "--shards", "--clusters", "--ttl", "--order"))
                .allSatisfy(option -> assertThat(help).contains(option));
    }
}
