package io.k8sdns.cli;

import static io.k8sdns.cli.FederationLab.ORDER;
import static io.k8sdns.cli.FederationLab.ask;
import static io.k8sdns.cli.FederationLab.askWithoutEdns;
import static io.k8sdns.cli.FederationLab.data;
import static io.k8sdns.cli.FederationLab.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cli.FederationLab.NameServer;
import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Tests {@code serve --cluster-name} with its API, name servers of federations, and an upstream server that must not receive
 * federated names.
 */
@Timeout(300)
class FederationServeTest {
    private static final String NAME = "web.shop.myfed.svc.federation.";

    /** The address of name servers. Differs from the clients' address, because clients with a name server's address are peers. */
    private static final String NAME_SERVER_ADDRESS = "127.0.0.2";

    private static final String CLUSTER = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop}
            spec: {clusterIP: 10.96.0.20, ports: [{port: 80}]}
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: web-1, namespace: shop, labels: {kubernetes.io/service-name: web}}
            addressType: IPv4
            endpoints: [{addresses: [10.244.0.7], conditions: {ready: true}}]
            ports: [{port: 8080}]
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: down, namespace: shop}
            spec: {clusterIP: 10.96.0.21, ports: [{port: 80}]}
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: down-1, namespace: shop, labels: {kubernetes.io/service-name: down}}
            addressType: IPv4
            endpoints: [{addresses: [10.244.0.8], conditions: {ready: false}}]
            ports: [{port: 8080}]
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: far, namespace: shop}
            spec: {type: ExternalName, externalName: web.shop.myfed.svc.federation}
            """;

    @TempDir
    private Path folder;

    private RunningServer serve(String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of("--cluster-name", "foo"));
        all.addAll(FederationLab.apiOptions(folder));
        all.addAll(List.of(options));
        Path manifest = Files.writeString(folder.resolve("cluster.yaml"), CLUSTER);
        return RunningServer.atFreePort(all, "--as-is", manifest.toString());
    }

    private static int rcode(Message response) {
        return response.getHeader().getRcode();
    }

    @Test
    void aRouteIsUsedWhenTheResponseIsSentAndTheQueryHasTheCluster() throws Exception {
        try (NameServer federated = new NameServer(NAME_SERVER_ADDRESS);
                RunningServer server = serve()) {
            assertThat(rcode(ask(server.address(), NAME))).isEqualTo(Rcode.REFUSED);
            assertThat(send(server, "POST", "myfed", federated.address()).statusCode())
                    .isEqualTo(201);
            Message response = ask(server.address(), NAME, "65432=bar", "65432=baz", "10=12345678");
            assertThat(data(response)).containsExactlyElementsOf(ORDER);
            assertThat(response.getHeader().getFlag(Flags.AA)).isFalse();
            assertThat(response.getOPT().getOptions()).isEmpty();
            assertThat(federated.names()).containsExactly(NAME);
            assertThat(federated.options()).containsExactly("65432=foo");

            assertThat(askWithoutEdns(server.address(), "x." + NAME).getOPT()).isNull();
            assertThat(federated.options()).containsExactly("65432=foo");

            assertThat(send(server, "DELETE", "myfed").statusCode()).isEqualTo(204);
            assertThat(rcode(ask(server.address(), NAME))).isEqualTo(Rcode.REFUSED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rotate", "shuffle", "stable"})
    void theOrderOfTheNameServerIsKeptInTheCacheAndAfterAnAlias(String order) throws Exception {
        try (NameServer federated = new NameServer(NAME_SERVER_ADDRESS);
                RunningServer server = serve("--order", order)) {
            assertThat(send(server, "POST", "myfed", federated.address()).statusCode())
                    .isEqualTo(201);
            for (int i = 0; i < 8; i++) {
                assertThat(data(ask(server.address(), NAME))).containsExactlyElementsOf(ORDER);
                assertThat(data(ask(server.address(), "far.shop.svc.cluster.local.")))
                        .startsWith(NAME)
                        .endsWith(ORDER.toArray(String[]::new));
            }
            assertThat(federated.names()).as("the others are from the cache").hasSize(1);
        }
    }

    @Test
    void aReplacedRouteIsUsedImmediatelyThoughOldAnswersAreCached() throws Exception {
        try (NameServer old = new NameServer(NAME_SERVER_ADDRESS);
                NameServer next = new NameServer(NAME_SERVER_ADDRESS);
                RunningServer server = serve()) {
            assertThat(send(server, "POST", "myfed", old.address()).statusCode())
                    .isEqualTo(201);
            assertThat(send(server, "POST", "other", old.address()).statusCode())
                    .isEqualTo(201);
            assertThat(data(ask(server.address(), NAME))).containsExactlyElementsOf(ORDER);
            assertThat(data(ask(server.address(), "web.shop.other.svc.europe.federation.")))
                    .hasSize(4);
            assertThat(send(server, "PUT", "myfed", next.address()).statusCode())
                    .isEqualTo(200);
            assertThat(data(ask(server.address(), NAME))).containsExactlyElementsOf(ORDER);
            assertThat(data(ask(server.address(), "web.shop.other.svc.europe.federation.")))
                    .hasSize(4);
            assertThat(old.names()).containsExactly(NAME, "web.shop.other.svc.europe.federation.");
            assertThat(next.names()).containsExactly(NAME);
        }
    }

    @Test
    void onlyFederatedNamesWithARouteAreForwardedWithTheOption() throws Exception {
        try (NameServer federated = new NameServer(NAME_SERVER_ADDRESS);
                RecordingUpstream upstream = new RecordingUpstream();
                RunningServer server = serve("--forward", upstream.text())) {
            assertThat(send(server, "POST", "myfed", federated.address()).statusCode())
                    .isEqualTo(201);
            for (String name : List.of(
                    "web.shop.nofed.svc.federation.", "federation.", "svc.federation.", "web.shop.myfed.federation.")) {
                assertThat(rcode(ask(server.address(), name, "65432=foo"))).isEqualTo(Rcode.REFUSED);
            }
            assertThat(data(ask(server.address(), "www.example.com.", "65432=foo", "65011=\1")))
                    .containsExactly("198.18.0.1");
            // A federated name with a search domain.
            assertThat(rcode(ask(server.address(), "web.shop.myfed.svc.federation.example.", "65432=foo")))
                    .isEqualTo(Rcode.NXDOMAIN);
            assertThat(data(ask(server.address(), "web.shop.svc.cluster.local.", "65432=bar")))
                    .containsExactly("10.96.0.20");
            assertThat(upstream.asked())
                    .containsExactly("www.example.com. A", "web.shop.myfed.svc.federation.example. A");
            assertThat(upstream.queries())
                    .allSatisfy(query -> assertThat(
                                    query.getOPT() == null
                                            ? List.of()
                                            : query.getOPT().getOptions())
                            .isEmpty());
            assertThat(federated.names()).isEmpty();
        }
    }

    @Test
    void routesSurviveARestart() throws Exception {
        String store = folder.resolve("routes.json").toString();
        try (NameServer federated = new NameServer(NAME_SERVER_ADDRESS)) {
            try (RunningServer server = serve("--stubzone-store", store)) {
                assertThat(send(server, "POST", "myfed", federated.address()).statusCode())
                        .isEqualTo(201);
            }
            try (RunningServer server = serve("--stubzone-store", store)) {
                assertThat(data(ask(server.address(), NAME))).containsExactlyElementsOf(ORDER);
            }
        }
    }

    @Test
    void aBrokenStoreIsReported() throws IOException {
        Path store = Files.writeString(folder.resolve("routes.json"), "{\"myfed\": {\"nameservers\": [\"ns\"]}}");
        Path manifest = Files.writeString(folder.resolve("cluster.yaml"), CLUSTER);
        Run run = Run.of(
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--cluster-name",
                "foo",
                "--stubzone-store",
                store.toString(),
                "--as-is",
                manifest.toString());
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err())
                .contains("--stubzone-store: " + store
                        + ": not the IP address of a name server, with or without a port: \"ns\"");
    }

    // ---- loops

    @Test
    void aQueryOfANameServerWithTheOptionIsRefused() throws Exception {
        try (NameServer federated = new NameServer("127.0.0.1");
                RunningServer server = serve()) {
            assertThat(send(server, "POST", "myfed", federated.address()).statusCode())
                    .isEqualTo(201);
            assertThat(rcode(ask(server.address(), NAME, "65432=bar"))).isEqualTo(Rcode.REFUSED);
            assertThat(federated.names()).isEmpty();
            assertThat(data(ask(server.address(), NAME))).containsExactlyElementsOf(ORDER);
        }
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.0/8, 5", "192.0.2.0/24, 0"})
    void aPeerIsRefusedToo(String network, int rcode) throws Exception {
        try (NameServer federated = new NameServer(NAME_SERVER_ADDRESS);
                RunningServer server = serve("--federation-peer", network)) {
            assertThat(send(server, "POST", "myfed", federated.address()).statusCode())
                    .isEqualTo(201);
            assertThat(rcode(ask(server.address(), NAME, "65432=bar"))).isEqualTo(rcode);
            assertThat(federated.names()).hasSize(rcode == 0 ? 1 : 0);
        }
    }

    @Test
    void aRouteToItselfEndsAfterOneRound() throws Exception {
        try (RunningServer server = serve()) {
            assertThat(send(server, "POST", "myfed", server.address()).statusCode())
                    .isEqualTo(201);
            assertThat(rcode(ask(server.address(), "far.shop.myfed.svc.federation.")))
                    .isEqualTo(Rcode.SERVFAIL);
            assertThat(data(ask(server.address(), "web.shop.svc.cluster.local.")))
                    .containsExactly("10.96.0.20");
        }
    }

    /**
     * The relay removes the option and sends queries from an address that is not a peer's. The loop ends because equal queries are
     * shared.
     */
    @Test
    void aLoopOverAnUnknownAddressEndsToo() throws Exception {
        AtomicInteger relayed = new AtomicInteger();
        CompletableFuture<UpstreamForwarder> back = new CompletableFuture<>();
        DnsResponder relay = DnsResponder.builder((question, client) -> {
                    if (question.type().number() == Type.A) {
                        relayed.incrementAndGet();
                    }
                    return new Resolution.Pending(back.thenCompose(forwarder -> forwarder.forward(question, client)));
                })
                .build();
        InetAddress address = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
        try (DnsServer other = DnsServer.builder(List.of(new InetSocketAddress(address, 0)), relay)
                        .start();
                RunningServer server = serve("--federation-fallback", "none");
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.of(".", server.address()))) {
            back.complete(forwarder);
            assertThat(send(server, "POST", "myfed", NAME_SERVER_ADDRESS + ":" + other.port())
                            .statusCode())
                    .isEqualTo(201);
            assertThat(rcode(ask(server.address(), NAME))).isEqualTo(Rcode.SERVFAIL);
            assertThat(relayed).as("the attempts of one query").hasValueBetween(1, 3);
        }
    }

    @Test
    void theLoopMarkOfSkyDnsIsRefused() throws Exception {
        try (NameServer federated = new NameServer(NAME_SERVER_ADDRESS);
                RunningServer server = serve()) {
            assertThat(send(server, "POST", "myfed", federated.address()).statusCode())
                    .isEqualTo(201);
            assertThat(rcode(ask(server.address(), NAME, "65011=\1"))).isEqualTo(Rcode.REFUSED);
            assertThat(federated.names()).isEmpty();
        }
    }

    // ---- failures

    private static String unusedAddress() throws IOException {
        try (NameServer gone = new NameServer(NAME_SERVER_ADDRESS)) {
            return gone.address();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Rcode.SERVFAIL, Rcode.REFUSED, -1})
    void theNextNameServerAnswersInPlaceOfOneThatFails(int rcode) throws Exception {
        String unusedAddress = unusedAddress();
        try (NameServer first = new NameServer(NAME_SERVER_ADDRESS);
                NameServer second = new NameServer(NAME_SERVER_ADDRESS);
                RunningServer server = serve()) {
            first.rcode(rcode);
            String[] servers = {rcode < 0 ? unusedAddress : first.address(), second.address()};
            assertThat(send(server, "POST", "myfed", servers).statusCode()).isEqualTo(201);
            assertThat(data(ask(server.address(), NAME))).containsExactlyElementsOf(ORDER);
            assertThat(second.names()).containsExactly(NAME);
            assertThat(first.names()).hasSize(rcode < 0 ? 0 : 1);
        }
    }

    @Test
    void aNameServerTimesOutAfterTwoSeconds() throws Exception {
        try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getByAddress(new byte[] {127, 0, 0, 2}));
                NameServer second = new NameServer(NAME_SERVER_ADDRESS);
                RunningServer server = serve()) {
            String first = NAME_SERVER_ADDRESS + ":" + silent.getLocalPort();
            assertThat(send(server, "POST", "myfed", first, second.address()).statusCode())
                    .isEqualTo(201);
            long before = System.nanoTime();
            assertThat(data(ask(server.address(), NAME))).containsExactlyElementsOf(ORDER);
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofSeconds(2));
        }
    }

    @Test
    void theServiceOfThisClusterIsTheAnswerAfterAllAttemptsToForward() throws Exception {
        InetAddress address = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
        try (DatagramSocket first = new DatagramSocket(0, address);
                DatagramSocket second = new DatagramSocket(0, address);
                RunningServer server = serve("--forward", NAME_SERVER_ADDRESS + ":" + first.getLocalPort())) {
            assertThat(send(
                                    server,
                                    "POST",
                                    "myfed",
                                    NAME_SERVER_ADDRESS + ":" + first.getLocalPort(),
                                    NAME_SERVER_ADDRESS + ":" + second.getLocalPort())
                            .statusCode())
                    .isEqualTo(201);
            assertThat(data(ask(server.address(), NAME))).containsExactly("10.96.0.20");
        }
    }

    @Test
    void anUnavailableFederationDoesNotDelayNamesOfTheCluster() throws Exception {
        try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getByAddress(new byte[] {127, 0, 0, 2}));
                RunningServer server = serve("--federation-fallback", "none")) {
            assertThat(send(server, "POST", "myfed", NAME_SERVER_ADDRESS + ":" + silent.getLocalPort())
                            .statusCode())
                    .isEqualTo(201);
            AtomicInteger answered = new AtomicInteger();
            Thread asking = new Thread(() -> {
                try {
                    Message unused = ask(server.address(), NAME);
                    answered.incrementAndGet();
                } catch (IOException ended) {
                    answered.decrementAndGet();
                }
            });
            asking.start();
            DatagramPacket query = new DatagramPacket(new byte[1_500], 1_500);
            silent.receive(query);
            for (int i = 0; i < 100; i++) {
                assertThat(data(ask(server.address(), "web.shop.svc.cluster.local.")))
                        .containsExactly("10.96.0.20");
            }
            assertThat(answered).as("the federated name still waits").hasValue(0);
            asking.join();
            assertThat(answered).hasValue(1);
        }
    }

    @Test
    void theOwnServiceIsTheAnswerWhileNoNameServerAnswersIfItIsReady() throws Exception {
        String unusedAddress = unusedAddress();
        try (RunningServer server = serve()) {
            assertThat(send(server, "POST", "myfed", unusedAddress, unusedAddress())
                            .statusCode())
                    .isEqualTo(201);
            for (int i = 0; i < 3; i++) {
                assertThat(data(ask(server.address(), NAME))).containsExactly("10.96.0.20");
            }
            assertThat(rcode(ask(server.address(), "down.shop.myfed.svc.federation.")))
                    .isEqualTo(Rcode.SERVFAIL);
            assertThat(rcode(ask(server.address(), "no.shop.myfed.svc.federation.")))
                    .isEqualTo(Rcode.SERVFAIL);
            assertThat(data(ask(server.address(), "web.shop.svc.cluster.local.")))
                    .containsExactly("10.96.0.20");
        }
        try (RunningServer server = serve("--federation-fallback", "none")) {
            assertThat(send(server, "POST", "myfed", unusedAddress).statusCode())
                    .isEqualTo(201);
            assertThat(rcode(ask(server.address(), NAME))).isEqualTo(Rcode.SERVFAIL);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Rcode.SERVFAIL, Rcode.REFUSED})
    void aFailureOfAllNameServersIsServfail(int rcode) throws Exception {
        try (NameServer first = new NameServer(NAME_SERVER_ADDRESS);
                NameServer second = new NameServer(NAME_SERVER_ADDRESS);
                RunningServer server = serve()) {
            first.rcode(rcode);
            second.rcode(rcode);
            assertThat(send(server, "POST", "myfed", first.address(), second.address())
                            .statusCode())
                    .isEqualTo(201);
            assertThat(data(ask(server.address(), NAME))).containsExactly("10.96.0.20");
            assertThat(rcode(ask(server.address(), "down.shop.myfed.svc.federation.")))
                    .isEqualTo(Rcode.SERVFAIL);
            assertThat(second.names()).containsExactly(NAME, "down.shop.myfed.svc.federation.");
        }
    }

    // ---- the form of kube-dns

    @Test
    void theFormOfKubeDnsFollowsItsConfigMap() throws Exception {
        Path config = Files.createDirectory(folder.resolve("kube-dns"));
        Files.writeString(config.resolve("federations"), "myfed=fed.example.com");
        Path manifest = Files.writeString(folder.resolve("cluster.yaml"), CLUSTER + """
                ---
                apiVersion: v1
                kind: Node
                metadata:
                  name: node-1
                  labels: {topology.kubernetes.io/zone: a, topology.kubernetes.io/region: europe}
                """);
        try (RecordingUpstream upstream = new RecordingUpstream();
                RunningServer server = RunningServer.atFreePort(
                        List.of("--kube-dns-config", config.toString(), "--forward", upstream.text()),
                        "--as-is",
                        manifest.toString())) {
            assertThat(data(ask(server.address(), "web.shop.myfed.svc.cluster.local.")))
                    .containsExactly("web.shop.svc.cluster.local.", "10.96.0.20");
            assertThat(data(ask(server.address(), "down.shop.myfed.svc.cluster.local.")))
                    .containsExactly("down.shop.myfed.svc.a.europe.fed.example.com.");
            assertThat(rcode(ask(server.address(), "web.shop.other.svc.cluster.local.")))
                    .isEqualTo(Rcode.NXDOMAIN);
            assertThat(upstream.asked()).containsExactly("down.shop.myfed.svc.a.europe.fed.example.com. A");
        }
    }

    // ---- stub domains of kube-dns's ConfigMap

    @Test
    void aStubDomainInTheFederationZoneHasNoEffectAndIsReported() throws Exception {
        Path config = Files.createDirectory(folder.resolve("kube-dns"));
        try (NameServer federated = new NameServer(NAME_SERVER_ADDRESS);
                RecordingUpstream stub = new RecordingUpstream()) {
            Files.writeString(
                    config.resolve("stubDomains"),
                    "{\"myfed.svc.federation\": [\"%1$s\"], \"example.com\": [\"%1$s\"]}".formatted(stub.text()));
            try (RunningServer server = serve("--kube-dns-config", config.toString(), "--forward", stub.text())) {
                assertThat(server.err())
                        .contains(
                                "warning: the ConfigMap of kube-dns, stubDomains: myfed.svc.federation lies in the zone of "
                                        + "federated names")
                        .doesNotContain("stubDomains: example.com");
                assertThat(rcode(ask(server.address(), NAME))).isEqualTo(Rcode.REFUSED);
                assertThat(send(server, "POST", "myfed", federated.address()).statusCode())
                        .isEqualTo(201);
                assertThat(data(ask(server.address(), NAME))).containsExactlyElementsOf(ORDER);
                assertThat(stub.asked()).isEmpty();
            }
        }
    }

    // ---- options

    @Test
    void codeAndZoneCanBeSet() throws Exception {
        try (NameServer federated = new NameServer(NAME_SERVER_ADDRESS);
                RunningServer server =
                        serve("--source-cluster-option", "65001", "--federation-zone", "fed.example.com.")) {
            assertThat(send(server, "POST", "myfed", federated.address()).statusCode())
                    .isEqualTo(201);
            assertThat(data(ask(server.address(), "web.shop.myfed.svc.fed.example.com.")))
                    .containsExactlyElementsOf(ORDER);
            assertThat(federated.options()).containsExactly("65001=foo");
            assertThat(rcode(ask(server.address(), NAME))).isEqualTo(Rcode.REFUSED);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--federation-zone federation. | --federation-zone needs --cluster-name",
                "--source-cluster-option 65432 | --source-cluster-option needs --cluster-name",
                "--federation-peer 10.0.0.0/8 | --federation-peer needs --cluster-name",
                "--stubzone-api 127.0.0.1:0 | --stubzone-api needs --cluster-name",
                "--stubzone-store x | --stubzone-store needs --cluster-name",
                "--cluster-name a_b | --cluster-name: not the name of a cluster",
                "--cluster-name foo --federation-zone . | option '--federation-zone': a host name has at least one label",
                "--cluster-name foo --federation-zone cluster.local | --federation-zone: cluster.local. and the zone of the cluster",
                "--cluster-name foo --federation-zone local | lie in one another",
                "--cluster-name foo --federation-zone fed.cluster.local | lie in one another",
                "--cluster-name foo --source-cluster-option 0 | --source-cluster-option: not an option code (1 to 65535): 0",
                "--cluster-name foo --source-cluster-option 65433 --autopath option | are both 65433",
                "--cluster-name foo --stub-domain x.federation=192.0.2.1 | --stub-domain: x.federation lies in the federation zone",
                "--cluster-name foo --stubzone-api 127.0.0.1:0 | --stubzone-api needs --stubzone-tls-cert",
                "--cluster-name foo --stubzone-allow-client x | need --stubzone-api",
                "--cluster-name foo --federation-fallback no | --federation-fallback: 'no' is neither cluster nor none"
            })
    void invalidOptionsAreUsageErrors(String options, String message) {
        List<String> arguments = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0"));
        arguments.addAll(List.of(options.split(" ")));
        arguments.add(Run.BOOKSTORE);
        Run run = Run.of(arguments.toArray(String[]::new));
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains(message);
    }

    @Test
    void aMissingCertificateIsReported() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0", "--cluster-name", "foo"));
        arguments.addAll(FederationLab.apiOptions(folder));
        arguments.add(Run.BOOKSTORE);
        Files.delete(folder.resolve("tls.crt"));
        Run run = Run.of(arguments.toArray(String[]::new));
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.err()).contains("--stubzone-api 127.0.0.1:0: " + folder.resolve("tls.crt") + ": no such file");
    }
}
