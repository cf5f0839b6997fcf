package io.k8sdns.cli;

import static io.k8sdns.cli.NodeCacheUpstream.answer;
import static io.k8sdns.cli.NodeCacheUpstream.holding;
import static io.k8sdns.cli.NodeCacheUpstream.ready;
import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cli.NodeCacheUpstream.Received;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.sockets.DnsClient;
import io.k8sdns.upstream.ForwardingResolver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.ExtendedErrorCodeOption;
import org.xbill.DNS.Flags;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.Type;

@Timeout(300)
class NodeCacheCommandTest {
    private static final int SEARCH_PATHS = 65_433;
    private static final int SERVE_STALE = 3;
    private static final String WWW = "www.example.com.";
    private static final String WWW_A = "www.example.com. 60 IN A 192.0.2.1";
    private static final String CART = "cart.shop.svc.cluster.local.";
    /** The answer of a cluster DNS that supports the autopath suffix. */
    private static final String EXPANDED =
            "kubernetes.search.default.cluster.local.ap.k8s.io. 60 IN CNAME kubernetes.default.svc.cluster.local.";

    private static final String CART_A = "cart.shop.svc.cluster.local. 60 IN A 10.96.0.20";
    private static final String ROOT = "--zone-upstream=.=";
    private static final String CLUSTER = "--zone-upstream=cluster.local=";

    // Forwarding and the cache

    @Test
    void namesAreForwardedToTheServersOfTheLongestZone() throws Exception {
        try (NodeCacheUpstream root = holding(WWW_A);
                NodeCacheUpstream cluster = holding(CART_A);
                NodeCacheRun cache = NodeCacheRun.atFreePort(ROOT + root.address(), CLUSTER + cluster.address());
                TestClient client = cache.client()) {
            assertThat(data(client.ask(name(WWW), Type.A, Transport.UDP))).containsExactly("192.0.2.1");
            assertThat(data(client.ask(name(CART), Type.A, Transport.TCP))).containsExactly("10.96.0.20");
            assertThat(root.received()).extracting(Received::name).containsExactly(WWW);
            assertThat(cluster.received(CART)).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "cluster.local, '',      TCP, the cluster domain",
        "cluster.local, ',tcp',  TCP, explicit",
        "cluster.local, ',udp',  UDP, explicit",
        "svc.cluster.local, '',  TCP, below the cluster domain",
        ".,             '',      UDP, any other zone",
        ".,             ',tcp',  TCP, explicit"
    })
    void transportOfAZone(String zone, String word, Transport transport, String why) throws Exception {
        try (NodeCacheUpstream upstream = holding(CART_A);
                NodeCacheRun cache =
                        NodeCacheRun.atFreePort("--zone-upstream", zone + "=" + upstream.address() + word);
                TestClient client = cache.client()) {
            assertThat(data(client.ask(name(CART), Type.A, Transport.UDP))).containsExactly("10.96.0.20");
            assertThat(upstream.received(CART))
                    .as(why)
                    .extracting(one -> one.client().transport())
                    .containsExactly(transport);
        }
    }

    @Test
    void reverseZonesOfTheClustersServersAreQueriedOverTcpToo() throws Exception {
        String address = "20.0.96.10.in-addr.arpa.";
        try (NodeCacheUpstream cluster = holding(address + " 60 IN PTR " + CART);
                NodeCacheRun cache = NodeCacheRun.atFreePort(
                        CLUSTER + cluster.address(), "--zone-upstream", "in-addr.arpa=" + cluster.address());
                TestClient client = cache.client()) {
            assertThat(data(client.ask(name(address), Type.PTR, Transport.UDP))).containsExactly(CART);
            assertThat(cluster.received(address).get(0).client().transport()).isEqualTo(Transport.TCP);
        }
    }

    @Test
    void answersAreCachedWithinTheBoundsOfNodeLocalDns() throws Exception {
        try (NodeCacheUpstream root = holding("www.example.com. 3600 IN A 192.0.2.1");
                NodeCacheRun cache = NodeCacheRun.atFreePort(ROOT + root.address());
                TestClient client = cache.client()) {
            Message first = client.ask(name(WWW), Type.A, Transport.UDP);
            assertThat(first.getSection(Section.ANSWER).get(0).getTTL())
                    .as("30, and the whole seconds that are left")
                    .isBetween(28L, 30L);
            Message second = client.ask(name("WWW.example.com."), Type.A, Transport.UDP);
            assertThat(second.getSection(Section.ANSWER).get(0).getName()).hasToString("WWW.example.com.");
            assertThat(root.received(WWW)).hasSize(1);

            Message missing = client.ask(name("no.example.com."), Type.A, Transport.UDP);
            assertThat(missing.getSection(Section.AUTHORITY).get(0).getTTL()).isBetween(3L, 5L);
        }
    }

    @Test
    void cacheSizeZeroDisablesTheCache() throws Exception {
        try (NodeCacheUpstream root = holding(WWW_A);
                NodeCacheRun cache = NodeCacheRun.atFreePort(ROOT + root.address(), "--cache-size", "0");
                TestClient client = cache.client()) {
            client.ask(name(WWW), Type.A, Transport.UDP);
            client.ask(name(WWW), Type.A, Transport.UDP);
            assertThat(root.received(WWW)).hasSize(2);
        }
    }

    @Test
    void serversOfAZoneMayBeThoseOfAFile(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("resolv.conf");
        try (NodeCacheUpstream root = holding(WWW_A)) {
            // A resolver would read no port here; the cache does.
            Files.writeString(file, "nameserver " + root.address() + "\n");
            try (NodeCacheRun cache = NodeCacheRun.atFreePort(ROOT + file + ",udp");
                    TestClient client = cache.client()) {
                assertThat(data(client.ask(name(WWW), Type.A, Transport.TCP))).containsExactly("192.0.2.1");
                assertThat(root.received(WWW).get(0).client().transport()).isEqualTo(Transport.UDP);
            }
        }
        Run run = Run.of("node-cache", "--listen", "127.0.0.1:0", ROOT + folder.resolve("missing"));
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains(folder.resolve("missing").toString());
    }

    @Test
    void namesOfNoZoneAreRefused() throws Exception {
        try (NodeCacheUpstream cluster = holding(CART_A);
                NodeCacheRun cache = NodeCacheRun.atFreePort(CLUSTER + cluster.address());
                TestClient client = cache.client()) {
            assertThat(client.ask(name(WWW), Type.A, Transport.UDP).getRcode()).isEqualTo(Rcode.REFUSED);
        }
    }

    @ParameterizedTest
    @CsvSource({"UDP, udp", "UDP, tcp", "TCP, udp", "TCP, tcp"})
    void onlyQueriesOfClassInAreForwarded(Transport transport, String toServer) throws Exception {
        try (NodeCacheUpstream root = holding(WWW_A);
                NodeCacheRun cache = NodeCacheRun.atFreePort(ROOT + root.address() + "," + toServer);
                DnsClient client = new DnsClient()) {
            InetSocketAddress address = cache.nextAddress().address();
            for (int opcode = 1; opcode <= 15; opcode++) {
                Message other = query(WWW, Type.SOA);
                other.getHeader().setOpcode(opcode);
                assertThat(exchange(client, other, address, transport).getRcode())
                        .as(Opcode.string(opcode))
                        .isEqualTo(Rcode.NOTIMP);
            }
            Message chaos = query(WWW, Type.TXT);
            chaos.removeAllRecords(Section.QUESTION);
            chaos.addRecord(Record.newRecord(name("version.bind."), Type.TXT, DClass.CH), Section.QUESTION);
            assertThat(exchange(client, chaos, address, transport).getRcode()).isEqualTo(Rcode.REFUSED);
            Message transfer = query(WWW, Type.AXFR);
            assertThat(exchange(client, transfer, address, transport).getRcode())
                    .isEqualTo(Rcode.REFUSED);
            assertThat(exchange(client, query(WWW, Type.A), address, transport).getRcode())
                    .isEqualTo(Rcode.NOERROR);
            assertThat(root.received())
                    .extracting(Received::name)
                    .filteredOn(name -> !name.startsWith("kubernetes."))
                    .containsExactly(WWW);
        }
    }

    @Test
    void staleAnswersAreServedWhileTheServerIsUnavailable() throws Exception {
        NodeCacheUpstream root = holding("www.example.com. 1 IN A 192.0.2.1");
        try (NodeCacheRun cache = NodeCacheRun.atFreePort(ROOT + root.address());
                TestClient client = cache.client()) {
            client.ask(name(WWW), Type.A, Transport.UDP);
            root.close();
            Message answer = client.ask(name(WWW), Type.A, Transport.UDP);
            while (!isStale(answer)) {
                assertThat(data(answer)).containsExactly("192.0.2.1");
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                answer = client.ask(name(WWW), Type.A, Transport.UDP);
            }
            assertThat(data(answer)).containsExactly("192.0.2.1");
            assertThat(answer.getSection(Section.ANSWER).get(0).getTTL()).isEqualTo(30);
        } finally {
            root.close();
        }
    }

    private static boolean isStale(Message answer) {
        return options(answer).stream()
                .anyMatch(option ->
                        option instanceof ExtendedErrorCodeOption error && error.getErrorCode() == SERVE_STALE);
    }

    // The autopath suffix

    @ParameterizedTest
    @CsvSource({
        "text,    '6e73312e7376632e636c75737465722e6c6f63616c2c7376632e636c75737465722e6c6f63616c2c636c75737465722e6c6f63616c'",
        "version, '01036e733107636c7573746572056c6f63616c00'"
    })
    void namesOfTheSuffixAreForwardedUnchangedWithTheSearchList(String form, String bytes) throws Exception {
        String asked = "nginx.search.ns1.cluster.local.ap.k8s.io.";
        try (NodeCacheUpstream cluster = supportingSuffix(asked + " 60 IN A 10.96.0.7");
                NodeCacheUpstream root = holding(WWW_A);
                NodeCacheRun cache = NodeCacheRun.atFreePort(
                        ROOT + root.address(), CLUSTER + cluster.address(), "--search-paths-form", form);
                TestClient client = cache.client()) {
            Message answer = client.ask(name(asked), Type.A, Transport.UDP);
            assertThat(data(answer)).containsExactly("10.96.0.7");
            assertThat(options(answer)).isEmpty();
            assertThat(cluster.received(asked)).hasSize(1);
            assertThat(searchPaths(cluster.received(asked).get(0))).containsExactly(bytes);

            client.ask(name(WWW), Type.A, Transport.UDP);
            assertThat(root.received())
                    .allSatisfy(one -> assertThat(searchPaths(one)).isEmpty());
            client.ask(name(CART), Type.A, Transport.UDP);
            assertThat(searchPaths(cluster.received(CART).get(0))).isEmpty();
        }
    }

    @Test
    void hostSearchesAndTheCodeCanBeSet() throws Exception {
        String asked = "nginx.search.ns1.k8s.test.auto.test.";
        try (NodeCacheUpstream cluster = holding(
                        "kubernetes.search.default.k8s.test.auto.test. 60 IN CNAME kubernetes.default.svc.k8s.test.",
                        asked + " 60 IN A 10.96.0.7");
                NodeCacheRun cache = NodeCacheRun.atFreePort(
                        "--zone-upstream",
                        "k8s.test=" + cluster.address(),
                        "--cluster-domain=k8s.test",
                        "--autopath-suffix=auto.test",
                        "--autopath-host-search=corp.example",
                        "--autopath-host-search=lab.example",
                        "--search-paths-option=65500");
                TestClient client = cache.client()) {
            assertThat(data(client.ask(name(asked), Type.A, Transport.UDP))).containsExactly("10.96.0.7");
            EDNSOption option =
                    cluster.received(asked).get(0).client().ednsOptions().get(0);
            assertThat(option.getCode()).isEqualTo(65_500);
            assertThat(new String(option.toWire(), 4, option.toWire().length - 4, StandardCharsets.US_ASCII))
                    .isEqualTo("ns1.svc.k8s.test,svc.k8s.test,k8s.test,corp.example,lab.example");
        }
    }

    @Test
    void aSuffixWithAZoneHasItsOwnServers() throws Exception {
        String asked = "nginx.search.ns1.cluster.local.ap.k8s.io.";
        try (NodeCacheUpstream cluster = holding(CART_A);
                NodeCacheUpstream own = supportingSuffix(asked + " 60 IN A 10.96.0.7");
                NodeCacheRun cache = NodeCacheRun.atFreePort(
                        CLUSTER + cluster.address(), "--zone-upstream", "ap.k8s.io=" + own.address() + ",udp");
                TestClient client = cache.client()) {
            assertThat(data(client.ask(name(asked), Type.A, Transport.UDP))).containsExactly("10.96.0.7");
            assertThat(own.received(asked).get(0).client().transport()).isEqualTo(Transport.UDP);
            assertThat(searchPaths(own.received(asked).get(0))).hasSize(1);
            assertThat(cluster.received()).isEmpty();
        }
    }

    @Test
    void optionsOfClientsAreRemoved() throws Exception {
        try (NodeCacheUpstream cluster =
                        supportingSuffix("a.search.ns1.cluster.local.ap.k8s.io. 60 IN A 10.96.0.7", CART_A);
                NodeCacheRun cache = NodeCacheRun.atFreePort(CLUSTER + cluster.address());
                DnsClient client = new DnsClient()) {
            InetSocketAddress address = cache.nextAddress().address();
            for (String asked : List.of("a.search.ns1.cluster.local.ap.k8s.io.", CART)) {
                for (byte[] hostile : List.of(
                        "evil.example".getBytes(StandardCharsets.US_ASCII),
                        new byte[] {1, 2, 3},
                        new byte[0],
                        new byte[3000])) {
                    Message query = query(
                            asked,
                            Type.A,
                            new GenericEDNSOption(SEARCH_PATHS, hostile),
                            new GenericEDNSOption(65_432, hostile));
                    Message answer = exchange(client, query, address, Transport.TCP);
                    assertThat(answer.getRcode()).isEqualTo(Rcode.NOERROR);
                    assertThat(options(answer)).isEmpty();
                }
                assertThat(cluster.received(asked))
                        .as("one cache entry, whatever options clients have")
                        .hasSize(1);
            }
            assertThat(cluster.received(CART).get(0).client().ednsOptions()).isEmpty();
            assertThat(searchPaths(cluster.received("a.search.ns1.cluster.local.ap.k8s.io.")
                            .get(0)))
                    .allMatch(bytes -> bytes.startsWith("6e7331"));
        }
    }

    @Test
    void otherNamesOfTheSuffixAreForwardedWithoutAList() throws Exception {
        try (NodeCacheUpstream cluster = supportingSuffix();
                NodeCacheRun cache = NodeCacheRun.atFreePort(CLUSTER + cluster.address());
                TestClient client = cache.client()) {
            for (String asked : List.of(
                    "ap.k8s.io.",
                    "cluster.local.ap.k8s.io.",
                    "search.ns1.cluster.local.ap.k8s.io.",
                    "a.other.ns1.cluster.local.ap.k8s.io.",
                    "a.search.No_Namespace.cluster.local.ap.k8s.io.",
                    "a.search.ns1.other.domain.ap.k8s.io.")) {
                client.ask(name(asked), Type.A, Transport.UDP);
                assertThat(cluster.received(asked)).as(asked).hasSize(1);
                assertThat(searchPaths(cluster.received(asked).get(0)))
                        .as(asked)
                        .isEmpty();
            }
            String search = "search.search.search.cluster.local.ap.k8s.io.";
            client.ask(name(search), Type.A, Transport.UDP);
            assertThat(searchPaths(cluster.received(search).get(0)))
                    .allMatch(bytes -> bytes.startsWith("7365617263682e737663"));
        }
    }

    @Test
    void aServerWithoutSupportOfTheSuffixIsQueriedForEachName() throws Exception {
        try (NodeCacheUpstream cluster = holding(CART_A);
                NodeCacheUpstream root = holding(WWW_A, "www.corp.example. 60 IN A 192.0.2.9");
                NodeCacheRun cache = NodeCacheRun.atFreePort(
                        ROOT + root.address(), CLUSTER + cluster.address(), "--autopath-host-search=corp.example");
                TestClient client = cache.client()) {
            Message answer = client.ask(name("cart.search.shop.cluster.local.ap.k8s.io."), Type.A, Transport.UDP);
            assertThat(data(answer)).containsExactly(CART, "10.96.0.20");
            assertThat(data(client.ask(name("www.search.shop.cluster.local.ap.k8s.io."), Type.A, Transport.UDP)))
                    .containsExactly("www.corp.example.", "192.0.2.9");
            assertThat(data(client.ask(
                            name("www.example.com.search.shop.cluster.local.ap.k8s.io."), Type.A, Transport.UDP)))
                    .containsExactly(WWW, "192.0.2.1");
            assertThat(Stream.concat(cluster.received().stream(), root.received().stream())
                            .filter(one -> !one.name().startsWith("kubernetes.")))
                    .allMatch(one -> one.client().ednsOptions().isEmpty())
                    .noneMatch(one -> one.name().endsWith("ap.k8s.io."));
            assertThat(cache.err())
                    .contains("the cluster DNS does not expand names below ap.k8s.io.; names below it are"
                            + " expanded here");
        }
    }

    @Test
    void withoutFallbackNamesAreForwardedUnchanged() throws Exception {
        String asked = "cart.search.shop.cluster.local.ap.k8s.io.";
        try (NodeCacheUpstream cluster = holding(CART_A);
                NodeCacheRun cache = NodeCacheRun.atFreePort(CLUSTER + cluster.address(), "--autopath-fallback=none");
                TestClient client = cache.client()) {
            assertThat(client.ask(name(asked), Type.A, Transport.UDP).getRcode())
                    .isEqualTo(Rcode.NXDOMAIN);
            assertThat(searchPaths(cluster.received(asked).get(0))).hasSize(1);
        }
    }

    /** The servers of the root may be the cluster DNS, which the cache cannot know. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"local | they are expanded here", "none | they do not exist"})
    void namesOfTheSuffixWithoutServersAreReportedAtTheStart(String fallback, String consequence, @TempDir Path kubeDns)
            throws Exception {
        String note = "note: no zone has servers for names below ap.k8s.io.: " + consequence
                + "; if the servers of . are the cluster DNS, add --zone-upstream cluster.local=SERVER "
                + "or --zone-upstream ap.k8s.io=SERVER";
        String fallbackOption = "--autopath-fallback=" + fallback;
        String configOption = "--kube-dns-config=" + kubeDns;
        try (NodeCacheUpstream root = holding();
                NodeCacheRun cache = NodeCacheRun.atFreePort(ROOT + root.address(), fallbackOption, configOption);
                NodeCacheRun ofSuffix = NodeCacheRun.atFreePort(
                        ROOT + root.address(), "--zone-upstream=ap.k8s.io=" + root.address(), fallbackOption);
                NodeCacheRun ofCluster = NodeCacheRun.atFreePort(CLUSTER + root.address(), fallbackOption)) {
            HostAndPort unused = cache.nextAddress();
            cache.awaitErr(note);
            unused = ofSuffix.nextAddress();
            unused = ofCluster.nextAddress();
            assertThat(ofSuffix.err() + ofCluster.err()).doesNotContain("no zone has servers");
        }
    }

    @Test
    void supportIsProbedAgainAfterAReconnect() throws Exception {
        String asked = "cart.search.shop.cluster.local.ap.k8s.io.";
        NodeCacheUpstream old = holding(CART_A);
        int port = old.port();
        try (NodeCacheRun cache = NodeCacheRun.atFreePort(CLUSTER + old.address());
                TestClient client = cache.client()) {
            assertThat(data(client.ask(name(asked), Type.A, Transport.UDP))).containsExactly(CART, "10.96.0.20");
            old.close();
            try (NodeCacheUpstream supportingSuffix = NodeCacheUpstream.start(
                    ready(question -> answer(question, EXPANDED, asked + " 60 IN A 10.96.0.21")), port)) {
                int asks = 0;
                while (supportingSuffix.received(asked).isEmpty()) {
                    // A name that is not cached opens a connection.
                    client.ask(name("n" + asks++ + ".cluster.local."), Type.A, Transport.UDP);
                    client.ask(name(asked), Type.A, Transport.UDP);
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                }
                assertThat(data(client.ask(name(asked), Type.A, Transport.UDP))).containsExactly("10.96.0.21");
            }
            try (NodeCacheUpstream other = NodeCacheUpstream.start(ready(question -> answer(question, CART_A)), port)) {
                // The answers of the other server are cached until the next probe.
                while (!data(client.ask(name(asked), Type.A, Transport.UDP)).contains(CART)) {
                    client.ask(name("m" + System.nanoTime() + ".cluster.local."), Type.A, Transport.UDP);
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                }
                assertThat(other.received(asked)).as("probed, not asked").hasSizeLessThan(3);
            }
        } finally {
            old.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "version"})
    void ourServerSupportsBothForms(String form, @TempDir Path folder) throws Exception {
        try (RunningServer serve = server(folder, "--autopath", "option");
                NodeCacheRun cache = NodeCacheRun.atFreePort(CLUSTER + serve.address(), "--search-paths-form", form);
                TestClient client = cache.client()) {
            Message answer = client.ask(name("cart.search.shop.cluster.local.ap.k8s.io."), Type.A, Transport.UDP);
            assertThat(data(answer)).containsExactly(CART, "10.96.0.20");
            assertThat(options(answer)).noneMatch(option -> option.getCode() == SEARCH_PATHS);
            assertThat(cache.err()).contains("the cluster DNS expands names below ap.k8s.io.");
        }
    }

    @ParameterizedTest
    @CsvSource({"name", "off"})
    void ourServerAnswersTheSameWithAnyOfItsModes(String mode, @TempDir Path folder) throws Exception {
        try (RunningServer serve = server(folder, "--autopath", mode);
                NodeCacheRun cache = NodeCacheRun.atFreePort(CLUSTER + serve.address());
                TestClient client = cache.client()) {
            assertThat(data(client.ask(name("cart.search.shop.cluster.local.ap.k8s.io."), Type.A, Transport.UDP)))
                    .containsExactly(CART, "10.96.0.20");
            assertThat(client.ask(name("no.search.shop.cluster.local.ap.k8s.io."), Type.A, Transport.UDP)
                            .getRcode())
                    .isEqualTo(Rcode.NXDOMAIN);
        }
    }

    private static RunningServer server(Path folder, String... options) throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("services.yaml"), """
                apiVersion: v1
                kind: Service
                metadata: {name: kubernetes, namespace: default}
                spec: {clusterIP: 10.96.0.1, ports: [{name: https, port: 443}]}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: cart, namespace: shop}
                spec: {clusterIP: 10.96.0.20, ports: [{name: http, port: 80}]}
                """);
        return RunningServer.atFreePort(List.of(options), file.toString());
    }

    private static NodeCacheUpstream supportingSuffix(String... records) throws IOException {
        List<String> all = new ArrayList<>(List.of(records));
        all.add(EXPANDED);
        return holding(all.toArray(String[]::new));
    }

    // Listeners, upgrades, the end

    @Test
    void everyAddressAnswersAndMissingAddressesAreRetried() throws Exception {
        try (NodeCacheUpstream root = holding(WWW_A);
                NodeCacheRun cache = NodeCacheRun.with(
                        "--listen=127.0.0.1:0",
                        "--listen=192.0.2.254:5353",
                        "--listen=127.0.0.2:0",
                        "--metrics=127.0.0.1:0",
                        ROOT + root.address());
                TestClient first = cache.client();
                TestClient second = cache.client()) {
            for (TestClient client : List.of(first, second)) {
                assertThat(data(client.ask(name(WWW), Type.A, Transport.UDP))).containsExactly("192.0.2.1");
            }
            assertThat(cache.err().lines().filter(line -> line.contains("192.0.2.254:5353")))
                    .singleElement()
                    .asString()
                    .contains("it is bound as soon as it exists");
            assertThat(cache.http("/health").statusCode())
                    .as("two of three addresses are served")
                    .isEqualTo(200);
            assertThat(cache.http("/ready").statusCode()).isEqualTo(503);
            assertThat(cache.http("/ready").body()).isEqualTo("not ready\n192.0.2.254:5353 does not exist yet\n");
        }
    }

    @Test
    void aCacheWithoutAnAddressIsNotHealthy() throws Exception {
        try (NodeCacheUpstream root = holding(WWW_A);
                NodeCacheRun cache = NodeCacheRun.with(
                        "--listen=192.0.2.254:5353", "--metrics=127.0.0.1:0", ROOT + root.address())) {
            cache.awaitErr("metrics: http://");
            while (cache.http("/health").body().contains("the cache is starting")) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            assertThat(cache.http("/health").statusCode()).isEqualTo(503);
            assertThat(cache.http("/health").body()).isEqualTo("not serving\n192.0.2.254:5353 does not exist yet\n");
            assertThat(cache.http("/ready").statusCode()).isEqualTo(503);
            assertThat(cache.http("/ready").body()).startsWith("not ready\n192.0.2.254:5353 does not exist yet\n");
        }
    }

    @Test
    void theAddressOfTheMetricsMayBeMissing() throws Exception {
        try (NodeCacheUpstream root = holding(WWW_A);
                NodeCacheRun cache = NodeCacheRun.atFreePort(ROOT + root.address(), "--metrics=192.0.2.254:9253");
                TestClient client = cache.client()) {
            assertThat(data(client.ask(name(WWW), Type.A, Transport.UDP))).containsExactly("192.0.2.1");
            assertThat(cache.err())
                    .contains("note: --metrics: cannot listen on 192.0.2.254:9253: ")
                    .contains("; it is bound as soon as it exists")
                    .doesNotContain("metrics: http://");
            assertThat(cache.stop()).isZero();
        }
    }

    @Test
    void twoCachesListenOnOneAddressUntilTheOldOneIsStopped() throws Exception {
        try (NodeCacheUpstream root = holding(WWW_A);
                NodeCacheRun old = NodeCacheRun.atFreePort(ROOT + root.address())) {
            HostAndPort address = old.nextAddress();
            try (NodeCacheRun upgraded = NodeCacheRun.with("--listen", address.toString(), ROOT + root.address())) {
                assertThat(upgraded.nextAddress()).isEqualTo(address);
                try (TestClient client = new TestClient(address.address())) {
                    assertThat(data(client.ask(name(WWW), Type.A, Transport.UDP)))
                            .containsExactly("192.0.2.1");
                }
                assertThat(old.stop()).isZero();
                assertAnswers(address);
            }
        }
    }

    @Test
    void aNewCacheTakesOverTheMetricsOfTheOldOne(@TempDir Path health) throws Exception {
        try (NodeCacheUpstream root = holding(WWW_A);
                NodeCacheRun old = NodeCacheRun.atFreePort(ROOT + root.address(), "--metrics=127.0.0.1:0")) {
            HostAndPort address = old.nextAddress();
            HostAndPort metrics = old.metrics();
            try (NodeCacheRun upgraded = NodeCacheRun.with(
                    "--listen=" + address, "--metrics=" + metrics, "--health-dir=" + health, ROOT + root.address())) {
                assertThat(upgraded.nextAddress()).isEqualTo(address);
                awaitDeleted(health.resolve("ready"));
                assertThat(old.http("/health").statusCode()).isEqualTo(200);
                assertAnswers(address);
                assertThat(old.stop()).isZero();
                upgraded.awaitErr("metrics: http://" + metrics + "/metrics");
                assertAnswers(address);
                assertThat(upgraded.http("/ready").statusCode()).isEqualTo(200);
                awaitDeleted(health.resolve("ready"));
                awaitDeleted(health.resolve("health"));
                assertThat(upgraded.err().lines().filter(line -> line.contains("cannot listen")))
                        .containsExactly("note: --metrics: cannot listen on " + metrics
                                + ": Address already in use; it is tried again");
            }
        }
    }

    @Test
    void theFilesOfACacheThatIsNotServingDoNotExist(@TempDir Path health) throws Exception {
        Files.createFile(health.resolve("health"));
        Files.createFile(health.resolve("ready"));
        try (NodeCacheUpstream root = holding(WWW_A);
                NodeCacheRun cache = NodeCacheRun.atFreePort(
                        "--listen=192.0.2.254:5353", "--health-dir=" + health, ROOT + root.address());
                TestClient client = cache.client()) {
            assertThat(data(client.ask(name(WWW), Type.A, Transport.UDP))).containsExactly("192.0.2.1");
            awaitDeleted(health.resolve("health"));
            assertThat(health.resolve("ready"))
                    .as("one of two addresses is missing")
                    .doesNotExist();
            assertThat(cache.stop()).isZero();
            assertThat(health).isEmptyDirectory();
        }
    }

    /** A restart would not help, so that the probe of the DaemonSet that causes one must succeed. */
    @Test
    void aCacheThatWaitsForItsAddressIsAlive(@TempDir Path health) throws Exception {
        try (NodeCacheRun cache =
                NodeCacheRun.with("--listen=192.0.2.254:5353", "--health-dir=" + health, ROOT + "127.0.0.1:9")) {
            cache.awaitErr("it is bound as soon as it exists");
            awaitDeleted(health.resolve("alive"));
            awaitDeleted(health.resolve("alive"));
            assertThat(health.resolve("health")).doesNotExist();
            assertThat(health.resolve("ready")).doesNotExist();
            assertThat(cache.stop()).isZero();
        }
    }

    @Test
    void aDirectoryThatCannotBeUsedForTheFilesIsAUsageError(@TempDir Path folder) {
        Path missing = folder.resolve("missing");
        Run run = Run.of("node-cache", "--listen=127.0.0.1:0", "--health-dir=" + missing, ROOT + "127.0.0.1:9");
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("--health-dir: not a directory: " + missing);
    }

    @Test
    void theFilesAreDeletedOnSigterm(@TempDir Path folder) throws Exception {
        Path health = Files.createDirectory(folder.resolve("health"));
        try (NodeCacheUpstream root = holding(WWW_A);
                Program cache = Program.start(
                        folder,
                        Map.of(),
                        Program.ofMain(
                                List.of("node-cache"),
                                "--listen=127.0.0.1:0",
                                "--health-dir=" + health,
                                ROOT + root.address()))) {
            assertThat(cache.line()).startsWith("listening on ");
            while (!Files.exists(health.resolve("health")) || !Files.exists(health.resolve("ready"))) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            cache.signal("TERM");
            assertThat(cache.end().code()).isZero();
            assertThat(health).isEmptyDirectory();
        }
    }

    /** Deletes a file as soon as it exists, as the probes of the DaemonSet do. */
    private static void awaitDeleted(Path file) throws IOException {
        while (!Files.deleteIfExists(file)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private static void assertAnswers(HostAndPort address) throws IOException {
        for (Transport transport : Transport.values()) {
            try (TestClient client = new TestClient(address.address())) {
                assertThat(data(client.ask(name(WWW), Type.A, transport))).containsExactly("192.0.2.1");
            }
        }
    }

    @Test
    void aPortThatIsNotSharedIsAFailure() throws Exception {
        try (NodeCacheUpstream root = holding(WWW_A)) {
            Run run = Run.of("node-cache", "--listen", root.address(), "--zone-upstream", ".=192.0.2.53");
            assertThat(run.code()).isEqualTo(Main.FAILED);
            assertThat(run.err()).contains("k8sdns node-cache: " + root.address() + " is in use");
        }
    }

    @Test
    void queriesInFlightAreAnsweredBeforeTheEnd() throws Exception {
        CompletableFuture<Answer> late = new CompletableFuture<>();
        CountDownLatch asked = new CountDownLatch(1);
        try (NodeCacheUpstream root = NodeCacheUpstream.start((question, client) -> {
                    // Ignores the cache's own questions.
                    if (question.type().number() != Type.A
                            || !question.name().toString().equals(WWW)) {
                        return new Resolution.Ready(answer(question));
                    }
                    asked.countDown();
                    return new Resolution.Pending(late.thenApply(any -> answer(question, WWW_A)));
                });
                NodeCacheRun cache = NodeCacheRun.atFreePort(ROOT + root.address());
                TestClient client = cache.client()) {
            CompletableFuture<Message> received = new CompletableFuture<>();
            Thread asking = new Thread(() -> {
                try {
                    received.complete(client.ask(name(WWW), Type.A, Transport.TCP));
                } catch (IOException failed) {
                    received.completeExceptionally(failed);
                }
            });
            asking.start();
            asked.await();
            Thread stopping = new Thread(cache::close);
            stopping.start();
            late.complete(Answer.FAILED);
            asking.join();
            stopping.join();
            assertThat(data(received.get())).containsExactly("192.0.2.1");
        }
    }

    // Loops

    @Test
    void anUpstreamServerMustNotBeTheCacheItself() throws Exception {
        // The command ends before it binds the address.
        int port = 1053;
        Run run = Run.of("node-cache", "--listen", "127.0.0.1:" + port, "--zone-upstream", ".=127.0.0.1:" + port);
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .contains("upstream server 127.0.0.1:" + port
                        + " (udp) of . is this server, which listens on 127.0.0.1:" + port);
    }

    @Test
    void aNameServerOfAFileMustNotBeTheCacheItself(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("resolv.conf"), "nameserver 192.0.2.53\nnameserver 127.0.0.3\n");
        Run run = Run.of("node-cache", "--listen", "127.0.0.3:53", "--zone-upstream", ".=" + file);
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .contains("--zone-upstream: " + file + ": upstream server 127.0.0.3:53 (udp) of . is this server, "
                        + "which listens on 127.0.0.3:53");
    }

    @Test
    void aLoopOverAnotherServerIsFound() throws Exception {
        CompletableFuture<DnsResolver> back = new CompletableFuture<>();
        try (NodeCacheUpstream other = NodeCacheUpstream.start(
                        (question, client) -> back.join().resolve(question, client));
                NodeCacheRun cache = NodeCacheRun.atFreePort(ROOT + other.address())) {
            back.complete(ForwardingResolver.over(
                    new SimpleResolver(cache.nextAddress().address())));
            assertThat(cache.await()).isEqualTo(Main.FAILED);
            assertThat(cache.err()).contains("the upstream servers forward to this cache: ");
        }
    }

    // Helpers

    private static Name name(String text) throws IOException {
        return Name.fromString(text);
    }

    private static List<String> data(Message answer) {
        return answer.getSection(Section.ANSWER).stream()
                .map(Record::rdataToString)
                .toList();
    }

    private static List<EDNSOption> options(Message answer) {
        OPTRecord opt = answer.getOPT();
        return opt == null ? List.of() : opt.getOptions();
    }

    /** Returns the data of the SearchPaths options of a query in hexadecimal. */
    private static List<String> searchPaths(Received query) {
        return query.client().ednsOptions().stream()
                .filter(option -> option.getCode() == SEARCH_PATHS)
                .map(option -> HexFormat.of().formatHex(option.toWire(), 4, option.toWire().length))
                .toList();
    }

    private static Message query(String name, int type, EDNSOption... options) throws IOException {
        Message query = new Message(4711);
        query.getHeader().setFlag(Flags.RD);
        query.addRecord(Record.newRecord(name(name), type, DClass.IN), Section.QUESTION);
        query.addRecord(new OPTRecord(1232, 0, 0, 0, List.of(options)), Section.ADDITIONAL);
        return query;
    }

    private static Message exchange(DnsClient client, Message query, InetSocketAddress server, Transport transport)
            throws IOException {
        return new Message(client.exchange(query.toWire(), server, transport, Duration.ofMinutes(2)));
    }
}
