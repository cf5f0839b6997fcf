package io.k8sdns.cli;

import static io.k8sdns.cli.NodeCacheUpstream.holding;
import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.IpAddress;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.resolvconf.ResolvConf;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import io.k8sdns.upstream.ForwardingResolver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.Type;

/** Tests {@code node-cache} with changes of the ConfigMap and the cluster, probes of a kubelet, and lookups of Pods. */
@Timeout(300)
class NodeCacheLiveTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final String CART = "cart.shop.svc.cluster.local.";

    // The ConfigMap of kube-dns

    @Test
    void theConfigMapIsWatched(@TempDir Path folder) throws Exception {
        Path stubs = folder.resolve("stubDomains");
        try (NodeCacheUpstream root =
                        holding("www.example.com. 60 IN A 192.0.2.1", "db.acme.example. 60 IN A 192.0.2.2");
                NodeCacheUpstream acme = holding("db.acme.example. 60 IN A 192.0.2.3");
                NodeCacheRun cache =
                        NodeCacheRun.atFreePort("--zone-upstream=.=" + root.address(), "--kube-dns-config=" + folder);
                TestClient client = cache.client()) {
            assertThat(addresses(client, "db.acme.example.")).containsExactly("192.0.2.2");
            Files.writeString(stubs, "{\"acme.example\": [\"" + acme.address() + "\"]}");
            while (!cache.err().contains("the ConfigMap of kube-dns was read")) {
                assertThat(addresses(client, "www.example.com.")).as("no gap").containsExactly("192.0.2.1");
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            assertThat(addresses(client, "db.acme.example.")).containsExactly("192.0.2.3");
            int asked = root.received("www.example.com.").size();
            assertThat(addresses(client, "www.example.com.")).containsExactly("192.0.2.1");
            assertThat(root.received("www.example.com."))
                    .as("the cache of other zones stays")
                    .hasSize(asked);

            Files.writeString(stubs, "{\"acme.example\": [\"no address\"]}");
            cache.awaitErr("the ConfigMap of kube-dns is not used");
            assertThat(addresses(client, "db.acme.example.")).containsExactly("192.0.2.3");
        }
    }

    @Test
    void theConfigMapOfTheStartReplacesTheRootAndAnInvalidOneIsReported(@TempDir Path folder) throws Exception {
        try (NodeCacheUpstream root = holding("www.example.com. 60 IN A 192.0.2.1");
                NodeCacheUpstream other = holding("www.example.com. 60 IN A 192.0.2.2")) {
            Files.writeString(folder.resolve("upstreamNameservers"), "[\"" + other.address() + "\"]");
            try (NodeCacheRun cache = NodeCacheRun.atFreePort(
                            "--zone-upstream=.=" + root.address(), "--kube-dns-config=" + folder);
                    TestClient client = cache.client()) {
                assertThat(addresses(client, "www.example.com.")).containsExactly("192.0.2.2");
            }
            Files.writeString(folder.resolve("upstreamNameservers"), "[");
            try (NodeCacheRun cache = NodeCacheRun.atFreePort(
                            "--zone-upstream=.=" + root.address(), "--kube-dns-config=" + folder);
                    TestClient client = cache.client()) {
                assertThat(addresses(client, "www.example.com.")).containsExactly("192.0.2.1");
                assertThat(cache.err()).containsOnlyOnce("the ConfigMap of kube-dns is not used");
            }
        }
    }

    @Test
    void aConfigMapThatNamesTheCacheItselfDoesNotPreventItsStart(@TempDir Path folder) throws Exception {
        try (NodeCacheUpstream root = holding("www.example.com. 60 IN A 192.0.2.1");
                NodeCacheRun before = NodeCacheRun.atFreePort("--zone-upstream=.=" + root.address())) {
            HostAndPort address = before.nextAddress();
            Files.writeString(folder.resolve("stubDomains"), "{\"corp.example\": [\"" + address + "\"]}");
            try (NodeCacheRun cache = NodeCacheRun.with(
                            "--listen=" + address,
                            "--zone-upstream=.=" + root.address(),
                            "--kube-dns-config=" + folder);
                    TestClient client = cache.client()) {
                assertThat(before.stop()).isEqualTo(Main.DONE);
                assertThat(addresses(client, "www.example.com.")).containsExactly("192.0.2.1");
                assertThat(cache.err())
                        .containsOnlyOnce("warning: the ConfigMap of kube-dns is not used, only the options are used: "
                                + "upstream server " + address + " (udp) of corp.example. is this server");
            }
        }
    }

    @Test
    void aLoopOfTheConfigMapAtTheStartIsOnlyReported(@TempDir Path folder) throws Exception {
        CompletableFuture<DnsResolver> back = new CompletableFuture<>();
        try (NodeCacheUpstream root = holding("www.example.com. 60 IN A 192.0.2.1");
                NodeCacheUpstream other = NodeCacheUpstream.start(
                        (question, client) -> back.join().resolve(question, client))) {
            Files.writeString(folder.resolve("stubDomains"), "{\"corp.example\": [\"" + other.address() + "\"]}");
            try (NodeCacheRun cache =
                    NodeCacheRun.atFreePort("--zone-upstream=.=" + root.address(), "--kube-dns-config=" + folder)) {
                HostAndPort address = cache.nextAddress();
                back.complete(ForwardingResolver.over(new SimpleResolver(address.address())));
                cache.awaitErr("the upstream servers forward to this cache: [corp.example.");
                try (TestClient client = new TestClient(address.address())) {
                    assertThat(addresses(client, "www.example.com.")).containsExactly("192.0.2.1");
                }
                assertThat(cache.err()).containsOnlyOnce("warning: the upstream servers forward to this cache: ");
                assertThat(cache.stop()).isEqualTo(Main.DONE);
            }
        }
    }

    /** The servers of a domain above the cluster domain are also those of the suffix. */
    @Test
    void aLoopOfTheSuffixsServersFromTheConfigMapIsOnlyReported(@TempDir Path folder) throws Exception {
        CompletableFuture<DnsResolver> back = new CompletableFuture<>();
        try (NodeCacheUpstream root = holding("www.example.com. 60 IN A 192.0.2.1");
                NodeCacheUpstream other = NodeCacheUpstream.start(
                        (question, client) -> back.join().resolve(question, client))) {
            Files.writeString(folder.resolve("stubDomains"), "{\"corp.example\": [\"" + other.address() + "\"]}");
            try (NodeCacheRun cache = NodeCacheRun.atFreePort(
                    "--cluster-domain=k8s.corp.example",
                    "--zone-upstream=.=" + root.address(),
                    "--kube-dns-config=" + folder)) {
                HostAndPort address = cache.nextAddress();
                back.complete(ForwardingResolver.over(new SimpleResolver(address.address())));
                cache.awaitErr("the upstream servers forward to this cache: [");
                try (TestClient client = new TestClient(address.address())) {
                    assertThat(addresses(client, "www.example.com.")).containsExactly("192.0.2.1");
                }
                assertThat(cache.err()).containsPattern("warning: .*corp\\.example\\. .*ap\\.k8s\\.io\\. ");
                assertThat(cache.stop()).isEqualTo(Main.DONE);
            }
        }
    }

    @Test
    void theConfigMapOfTheLiveClusterIsUsedBelowThatOfTheDirectory(@TempDir Path folder) throws Exception {
        try (StubApi api = StubApi.answering();
                NodeCacheUpstream root = holding("db.acme.example. 60 IN A 192.0.2.1");
                NodeCacheUpstream ofCluster =
                        holding("db.acme.example. 60 IN A 192.0.2.2", "db.corp.example. 60 IN A 192.0.2.2");
                NodeCacheUpstream ofDirectory = holding("db.corp.example. 60 IN A 192.0.2.3")) {
            api.kubeDns(
                    "{\"stubDomains\": \"{\\\"acme.example\\\": [\\\"%1$s\\\"], \\\"corp.example\\\": [\\\"%1$s\\\"]}\"}"
                            .formatted(ofCluster.address()));
            Path directory = Files.createDirectory(folder.resolve("kube-dns"));
            Files.writeString(
                    directory.resolve("stubDomains"), "{\"corp.example\": [\"" + ofDirectory.address() + "\"]}");
            try (NodeCacheRun cache = NodeCacheRun.atFreePort(
                            "--zone-upstream=.=" + root.address(),
                            "--kube-dns-config=" + directory,
                            "--kubeconfig=" + api.kubeconfig(folder, "{token: secret}"));
                    TestClient client = cache.client()) {
                cache.awaitErr("note: the ConfigMap of kube-dns was read: 3 zones");
                assertThat(addresses(client, "db.acme.example.")).containsExactly("192.0.2.2");
                assertThat(addresses(client, "db.corp.example.")).containsExactly("192.0.2.3");
            }
        }
    }

    @Test
    void withoutPermissionToReadTheConfigMapTheOptionsAreUsed(@TempDir Path folder) throws Exception {
        try (StubApi api = StubApi.answering();
                NodeCacheUpstream root = holding("www.example.com. 60 IN A 192.0.2.1")) {
            api.refuseConfigMaps();
            try (NodeCacheRun cache = NodeCacheRun.atFreePort(
                            "--zone-upstream=.=" + root.address(),
                            "--kubeconfig=" + api.kubeconfig(folder, "{token: secret}"));
                    TestClient client = cache.client()) {
                cache.awaitErr("note: no permission to get configmaps kube-system/kube-dns, which is not used");
                assertThat(addresses(client, "www.example.com.")).containsExactly("192.0.2.1");
            }
        }
    }

    // An own watch

    @Test
    void namesOfTheClusterAreAnsweredFromAnOwnWatch(@TempDir Path folder) throws Exception {
        try (StubApi api = StubApi.answering();
                NodeCacheUpstream cluster = holding();
                NodeCacheUpstream root = holding(
                        "www.example.com. 60 IN A 192.0.2.1", "1.2.0.192.in-addr.arpa. 60 IN PTR www.example.com.");
                NodeCacheRun cache = NodeCacheRun.atFreePort(
                        "--zone-upstream=.=" + root.address(),
                        "--zone-upstream=cluster.local=" + cluster.address(),
                        "--kubeconfig=" + api.kubeconfig(folder, "{token: secret}"));
                TestClient client = cache.client()) {
            while (addresses(client, CART).isEmpty()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            int asked = cluster.received().size();
            assertThat(addresses(client, CART)).containsExactly("10.96.0.20");
            assertThat(addresses(client, "db.shop.svc.cluster.local.")).containsExactly("10.244.0.9");
            assertThat(addresses(client, "cart.search.shop.cluster.local.ap.k8s.io."))
                    .containsExactly(CART, "10.96.0.20");
            assertThat(addresses(client, "www.example.com.search.shop.cluster.local.ap.k8s.io."))
                    .containsExactly("www.example.com.", "192.0.2.1");
            assertThat(ask(client, "no.shop.svc.cluster.local.", Type.A).getRcode())
                    .isEqualTo(Rcode.NXDOMAIN);
            assertThat(cluster.received()).hasSize(asked);
            assertThat(data(ask(client, "1.2.0.192.in-addr.arpa.", Type.PTR))).containsExactly("www.example.com.");
            assertThat(data(ask(client, "20.0.96.10.in-addr.arpa.", Type.PTR))).containsExactly(CART);
        }
    }

    @Test
    void untilAllObjectsAreListedNamesAreForwarded(@TempDir Path folder) throws Exception {
        try (StubApi api = StubApi.waiting();
                NodeCacheUpstream cluster = holding(CART + " 60 IN A 192.0.2.20");
                NodeCacheRun cache = NodeCacheRun.atFreePort(
                        "--zone-upstream=cluster.local=" + cluster.address(),
                        "--kubeconfig=" + api.kubeconfig(folder, "{token: secret}"));
                TestClient client = cache.client()) {
            assertThat(addresses(client, CART)).containsExactly("192.0.2.20");
            api.open();
            while (!addresses(client, CART).equals(List.of("10.96.0.20"))) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
    }

    @Test
    void anInvalidKubeconfigIsAUsageError(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("config"), "apiVersion: v1\nkind: Config\n");
        Run run = Run.of("node-cache", "--listen=127.0.0.1:0", "--zone-upstream=.=192.0.2.53", "--kubeconfig=" + file);
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("--kubeconfig: ");
        Run context = Run.of(
                "node-cache",
                "--listen=127.0.0.1:0",
                "--zone-upstream=.=192.0.2.53",
                "--kubeconfig=" + file,
                "--context=there");
        assertThat(context.err()).contains("--context: there is no context in " + file);
        Run two =
                Run.of("node-cache", "--listen=127.0.0.1:0", "--zone-upstream=.=192.0.2.53", "--live", "--in-cluster");
        assertThat(two.code()).isEqualTo(Main.INVALID);
        assertThat(two.err()).contains("--live and --in-cluster exclude each other");
    }

    // Metrics and probes

    @Test
    void metricsAreNamedLikeThoseOfCoreDns() throws Exception {
        try (NodeCacheUpstream root = holding("www.example.com. 60 IN A 192.0.2.1");
                NodeCacheRun cache = NodeCacheRun.atFreePort(
                        "--zone-upstream=.=" + root.address() + ",tcp", "--metrics=127.0.0.1:0");
                TestClient client = cache.client()) {
            addresses(client, "www.example.com.");
            addresses(client, "www.example.com.");
            ask(client, "no.example.com.", Type.A);
            ask(client, "no.example.com.", Type.A);
            addresses(client, "www.search.shop.cluster.local.ap.k8s.io.");
            while (get(cache, "/ready").statusCode() != 200) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            assertThat(get(cache, "/health").statusCode()).isEqualTo(200);
            String to = "to=\"" + root.address() + "\"";
            assertThat(get(cache, "/metrics").body().lines())
                    .contains(
                            "k8sdns_cache_hits_total{type=\"success\"} 1.0",
                            "k8sdns_cache_hits_total{type=\"denial\"} 1.0",
                            "k8sdns_cache_evictions_total{type=\"success\"} 0.0",
                            "k8sdns_cache_prefetch_total 0.0",
                            "k8sdns_cache_served_stale_total 0.0",
                            "k8sdns_nodecache_autopath_supported 0.0",
                            "k8sdns_setup_errors_total{errortype=\"configmap\"} 0.0")
                    .anyMatch(line -> line.startsWith("k8sdns_cache_misses_total "))
                    .anyMatch(line -> line.startsWith("k8sdns_cache_entries "))
                    .anyMatch(line -> line.startsWith("k8sdns_cache_size_bytes "))
                    .anyMatch(line -> line.startsWith("k8sdns_forward_connections_total{proto=\"tcp\"," + to + "}"))
                    .anyMatch(line -> line.matches("k8sdns_autopath_expansions_total\\{lookups=.*mode=\"name\".*"))
                    .anyMatch(line ->
                            line.matches("k8sdns_requests_total\\{proto=\"udp\",type=\"A\",zone=\"\\.\"} [4-9].*"))
                    .contains("k8sdns_requests_total{proto=\"udp\",type=\"A\",zone=\"ap.k8s.io.\"} 1.0")
                    .anyMatch(line -> line.startsWith(
                            "k8sdns_proxy_request_duration_seconds_count{proxy_name=\"forward\",rcode=\"NXDOMAIN\","
                                    + to + "} "))
                    .anyMatch(line -> line.startsWith("k8sdns_proxy_request_duration_seconds_bucket{")
                            && line.contains("le=\"0.00025\""));
        }
    }

    @Test
    void requestsAreCountedByConfiguredZone(@TempDir Path folder) throws Exception {
        try (StubApi api = StubApi.answering();
                NodeCacheUpstream root = holding("www.example.com. 60 IN A 192.0.2.1");
                NodeCacheUpstream corp = holding("db.corp.example. 60 IN A 192.0.2.2")) {
            api.kubeDns("{\"stubDomains\": \"{\\\"corp.example\\\": [\\\"%s\\\"]}\"}".formatted(corp.address()));
            try (NodeCacheRun cache = NodeCacheRun.atFreePort(
                            "--zone-upstream=.=" + root.address(),
                            "--kubeconfig=" + api.kubeconfig(folder, "{token: secret}"),
                            "--metrics=127.0.0.1:0");
                    TestClient client = cache.client()) {
                cache.awaitErr("note: the ConfigMap of kube-dns was read: ");
                for (int i = 0; i < 20; i++) {
                    ask(client, "x" + i + ".cluster.local.", Type.A);
                    ask(client, "db.corp.example.", Type.TXT);
                    ask(client, "y" + i + ".example.com.", Type.MX);
                }
                ask(client, "1.2.0.192.in-addr.arpa.", Type.PTR);

                assertThat(get(cache, "/metrics")
                                .body()
                                .lines()
                                .filter(line -> line.startsWith("k8sdns_requests_total{")))
                        .containsExactlyInAnyOrder(
                                "k8sdns_requests_total{proto=\"udp\",type=\"A\",zone=\"cluster.local.\"} 20.0",
                                "k8sdns_requests_total{proto=\"udp\",type=\"TXT\",zone=\"corp.example.\"} 20.0",
                                "k8sdns_requests_total{proto=\"udp\",type=\"MX\",zone=\".\"} 20.0",
                                "k8sdns_requests_total{proto=\"udp\",type=\"PTR\",zone=\"in-addr.arpa.\"} 1.0");
            }
        }
    }

    @Test
    void notReadyUntilEveryZoneHasAnswered() throws Exception {
        NodeCacheUpstream late = holding("www.example.com. 60 IN A 192.0.2.1");
        int port = late.port();
        late.close();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        // These sockets refuse all others, and keep other programs from the port.
        DatagramSocket udp = new DatagramSocket(address);
        udp.connect(udp.getLocalSocketAddress());
        Socket tcp = new Socket();
        tcp.bind(address);
        try (udp;
                tcp;
                NodeCacheUpstream cluster = holding();
                NodeCacheRun cache = NodeCacheRun.atFreePort(
                        "--zone-upstream=.=" + late.address(),
                        "--zone-upstream=cluster.local=" + cluster.address(),
                        "--metrics=127.0.0.1:0")) {
            cache.nextAddress();
            HttpResponse<String> before = get(cache, "/ready");
            assertThat(before.statusCode()).isEqualTo(503);
            assertThat(before.body()).contains("zone .: no server has answered yet");
            udp.close();
            tcp.close();
            try (NodeCacheUpstream back = NodeCacheUpstream.start(
                    NodeCacheUpstream.ready(question -> NodeCacheUpstream.answer(question)), port)) {
                while (get(cache, "/ready").statusCode() != 200) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                }
                assertThat(back.port()).isEqualTo(port);
            }
            assertThat(get(cache, "/ready").statusCode()).as("once is enough").isEqualTo(200);
            assertThat(get(cache, "/metrics").body()).contains("k8sdns_forward_failures_total{");
        }
    }

    private static HttpResponse<String> get(NodeCacheRun cache, String path) throws IOException, InterruptedException {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://" + cache.metrics() + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    // Queries of a Pod

    @ParameterizedTest
    @CsvSource({
        "glibc, data.prod,        4, 2",
        "glibc, www.example.com, 10, 2",
        "glibc, no.example.com,  10, 4",
        "musl,  data.prod,        4, 2",
        "musl,  www.example.com, 10, 2",
        "musl,  no.example.com,  10, 4"
    })
    void queriesOfALookup(String dialect, String name, int before, int after) throws Exception {
        try (NodeCacheUpstream cluster = holding("data.prod.svc.cluster.local. 60 IN A 10.96.0.30");
                NodeCacheUpstream root = holding("www.example.com. 60 IN A 192.0.2.1");
                NodeCacheRun cache = NodeCacheRun.atFreePort(
                        "--zone-upstream=.=" + root.address(),
                        "--zone-upstream=cluster.local=" + cluster.address(),
                        "--autopath-host-search=corp.example");
                TestClient client = cache.client()) {
            QueryTrace ordinary = lookup(
                    client,
                    dialect,
                    name,
                    "search shop.svc.cluster.local svc.cluster.local cluster.local corp.example");
            QueryTrace autopath = lookup(client, dialect, name, "search search.shop.cluster.local.ap.k8s.io");
            assertThat(ordinary.queries()).hasSize(before);
            assertThat(autopath.queries()).hasSize(after);
            assertThat(autopath.outcome()).isEqualTo(ordinary.outcome());
            assertThat(autopath.addresses()).isEqualTo(ordinary.addresses());
        }
    }

    private static QueryTrace lookup(TestClient client, String dialect, String name, String search) {
        ResolvConf file = ResolvConf.parse("nameserver 169.254.20.10\n" + search + "\noptions ndots:5\n");
        AnswerSource answers = query -> {
            try {
                Message answer = ask(client, query.name(), query.type() == QueryType.A ? Type.A : Type.AAAA);
                List<IpAddress> addresses = answer.getSection(Section.ANSWER).stream()
                        .filter(one -> one.getType() != Type.CNAME)
                        .map(one -> IpAddress.parse(one.rdataToString()))
                        .toList();
                Reply.Kind kind = answer.getRcode() == Rcode.NXDOMAIN
                        ? Reply.Kind.NXDOMAIN
                        : addresses.isEmpty() ? Reply.Kind.NODATA : Reply.Kind.DATA;
                return new Reply(kind, addresses);
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        };
        Dialect rules = dialect.equals("glibc") ? Dialect.GLIBC : Dialect.MUSL_1_2_5;
        return QueryPlan.of(file, name, rules).run(answers);
    }

    private static Message ask(TestClient client, String name, int type) throws IOException {
        return client.ask(Name.fromString(name), type, Transport.UDP);
    }

    private static List<String> addresses(TestClient client, String name) throws IOException {
        return data(ask(client, name, Type.A));
    }

    private static List<String> data(Message answer) {
        return answer.getSection(Section.ANSWER).stream()
                .map(Record::rdataToString)
                .toList();
    }
}
