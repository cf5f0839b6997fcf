package io.k8sdns.nodecache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.autopath.AutopathResolver;
import io.k8sdns.autopath.SearchPaths;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.forward.CacheObserver;
import io.k8sdns.forward.KubeDnsZones;
import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamObserver;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.kubedns.KubeDnsConfig;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Type;

/** {@link NodeCache} in front of servers that answer from a zone. */
@Timeout(300)
class NodeCacheTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final String CART = "cart.shop.svc.cluster.local.";
    private static final String CART_BY_SUFFIX = "cart.search.shop.cluster.local.ap.k8s.io.";

    /** A cluster DNS on loopback that records its queries, except loop probes. */
    private static final class ClusterDnsServer implements AutoCloseable {
        private final List<Query> queries = new CopyOnWriteArrayList<>();
        private final DnsServer server;

        private record Query(String name, Client client) {}

        private ClusterDnsServer(boolean understands, String address) throws IOException {
            ClusterZone zone = ClusterZone.create();
            zone.put(
                    ClusterIpService.of("default", "kubernetes", "10.96.0.1"),
                    ClusterIpService.of("shop", "cart", address));
            ResolverChain names = ResolverChain.of(zone);
            DnsResolver resolver =
                    understands ? AutopathResolver.builder(names).byName().build() : names;
            server = DnsServer.start(
                    (question, client) -> {
                        if (question.type().number() != Type.HINFO) {
                            queries.add(new Query(question.name().toString(), client));
                        }
                        return resolver.resolve(question, client);
                    },
                    0);
        }

        UpstreamZone zone(String name) {
            return UpstreamZone.builder(name)
                    .server(UpstreamServer.udp(server.address()).overTcp())
                    .attemptTimeout(LONG)
                    .deadline(LONG)
                    .build();
        }

        String text() {
            return "127.0.0.1:" + server.port();
        }

        List<Client> clients(String name) {
            return queries.stream()
                    .filter(query -> query.name().equals(name))
                    .map(Query::client)
                    .toList();
        }

        @Override
        public void close() {
            server.close();
        }
    }

    private static Answer ask(NodeCache cache, String name) throws Exception {
        return ask(cache, name, Client.IN_PROCESS);
    }

    private static Answer ask(NodeCache cache, String name, Client client) throws Exception {
        return cache.resolve(Question.of(name, RecordType.A), client)
                .toStage()
                .toCompletableFuture()
                .get(120, TimeUnit.SECONDS);
    }

    private static NodeCache.Builder inFrontOf(ClusterDnsServer server) {
        return NodeCache.builder("cluster.local").zone(server.zone("cluster.local"));
    }

    @Test
    @SuppressWarnings("FutureReturnValueIgnored") // as a host writes it
    void theExampleOfTheClassRuns() throws Exception {
        try (ClusterDnsServer cluster = new ClusterDnsServer(true, "10.96.0.20")) {
            String clusterDns = cluster.text();
            String nodeDns = cluster.text();
            // region
            try (NodeCache cache = NodeCache.builder("cluster.local")
                            .zone(UpstreamZone.of("cluster.local", clusterDns))
                            .zone(UpstreamZone.of(".", nodeDns))
                            .start();
                    DnsServer server = DnsServer.start(cache, 0)) {
                cache.requireOthers(server.addresses());
                cache.findLoops().thenAccept(zones -> zones.forEach(zone -> System.err.println("a loop: " + zone)));
                use(server);
            }
            // endregion
        }
        Path module = Path.of(System.getProperty("k8sdns.root"), "adapters/k8sdns-upstream");
        assertThat(part(
                                "<pre>\\{@code\\n(.*?) \\* \\}</pre>",
                                module.resolve("src/main/java/io/k8sdns/nodecache/NodeCache.java"))
                        .replaceAll("(?m)^ \\* ?", "")
                        .strip())
                .isEqualTo(part(
                                "// region\\n(.*?) *// endregion",
                                module.resolve("src/test/java/io/k8sdns/nodecache/NodeCacheTest.java"))
                        .stripTrailing()
                        .stripIndent());
    }

    private static void use(DnsServer server) {
        assertThat(server.port()).isPositive();
    }

    private static String part(String pattern, Path file) throws IOException {
        Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(Files.readString(file));
        assertThat(matcher.find()).isTrue();
        return matcher.group(1);
    }

    @Test
    void answersAreCachedAndOptionsOfClientsRemoved() throws Exception {
        Client pod = Client.IN_PROCESS.toBuilder()
                .ednsOptions(List.of(new GenericEDNSOption(SearchPaths.OPTION_CODE, new byte[] {'a'})))
                .build();
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                NodeCache cache = inFrontOf(server).start()) {
            for (int i = 0; i < 3; i++) {
                assertThat(ask(cache, CART, pod).addresses()).containsExactly("10.96.0.20");
            }
            assertThat(ask(cache, "www.example.com.").status()).isEqualTo(AnswerStatus.REFUSED);
            assertThat(server.clients(CART))
                    .singleElement()
                    .satisfies(client -> assertThat(client.ednsOptions()).isEmpty());
            assertThat(cache.answers().orElseThrow().entries()).isPositive();
        }
    }

    @Test
    void aQuestionOfTheSuffixIsForwardedWithItsSearchList() throws Exception {
        BlockingQueue<Boolean> support = new LinkedBlockingQueue<>();
        NodeCacheObserver observer = new NodeCacheObserver() {
            @Override
            public void suffixSupported(boolean supported) {
                support.add(supported);
            }
        };
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                NodeCache cache = inFrontOf(server)
                        .hostSearches(List.of(DnsLabels.parse("corp.example")))
                        .observer(observer)
                        .start()) {
            assertThat(support.take()).isTrue();
            cache.awaitFirstProbe(LONG);
            Answer answer = ask(cache, CART_BY_SUFFIX);
            assertThat(answer.cnames()).containsExactly(Name.fromConstantString(CART));
            assertThat(answer.addresses()).containsExactly("10.96.0.20");
            assertThat(server.clients(CART)).isEmpty();
            EDNSOption option =
                    server.clients(CART_BY_SUFFIX).get(0).ednsOptions().get(0);
            assertThat(option.getCode()).isEqualTo(SearchPaths.OPTION_CODE);
            byte[] wire = option.toWire(); // code, length, data
            assertThat(new String(wire, 4, wire.length - 4, StandardCharsets.US_ASCII))
                    .isEqualTo("shop.svc.cluster.local,svc.cluster.local,cluster.local,corp.example");
        }
    }

    @Test
    void anyForANameOfTheSuffixHasTheDataOfItsTarget() throws Exception {
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                NodeCache cache = inFrontOf(server).start()) {
            cache.awaitFirstProbe(LONG);
            Answer answer = cache.resolve(Question.of(CART_BY_SUFFIX, RecordType.of(Type.ANY)), Client.IN_PROCESS)
                    .toStage()
                    .toCompletableFuture()
                    .get(120, TimeUnit.SECONDS);
            assertThat(server.clients(CART_BY_SUFFIX)).as("forwarded").hasSize(1);
            assertThat(answer.answer())
                    .extracting(set -> set.owner() + " " + Type.string(set.typeNumber()))
                    .containsExactly(CART_BY_SUFFIX + " CNAME", CART + " HINFO");
        }
    }

    @Test
    void aServerWithoutSupportForTheSuffixIsAskedForEachName() throws Exception {
        BlockingQueue<Boolean> support = new LinkedBlockingQueue<>();
        NodeCacheObserver observer = new NodeCacheObserver() {
            @Override
            public void suffixSupported(boolean supported) {
                support.add(supported);
            }
        };
        try (ClusterDnsServer server = new ClusterDnsServer(false, "10.96.0.20");
                NodeCache cache = inFrontOf(server).observer(observer).start()) {
            assertThat(support.take()).isFalse();
            assertThat(ask(cache, CART_BY_SUFFIX).addresses()).containsExactly("10.96.0.20");
            assertThat(server.clients(CART)).hasSize(1);
            assertThat(server.clients(CART_BY_SUFFIX)).isEmpty();
        }
    }

    @Test
    void withoutServersOfTheClusterNamesOfTheSuffixAreExpandedHere() throws Exception {
        try (ClusterDnsServer node = new ClusterDnsServer(true, "10.96.0.20");
                NodeCache cache = inFrontOfNode(node).start()) {
            cache.awaitFirstProbe(LONG);
            assertThat(ask(cache, CART_BY_SUFFIX).addresses()).containsExactly("10.96.0.20");
            assertThat(ask(cache, CART_BY_SUFFIX.replace("cart", "missing")).rcode())
                    .isEqualTo(Rcode.NXDOMAIN);
            assertThat(node.queries)
                    .as("the resolvers of the node do not support the suffix")
                    .isNotEmpty()
                    .noneMatch(query -> query.name().endsWith(".ap.k8s.io."))
                    .allMatch(query -> query.client().ednsOptions().isEmpty());
        }
    }

    @Test
    void withoutServersOfTheClusterAndExpansionNamesOfTheSuffixDoNotExist() throws Exception {
        try (ClusterDnsServer node = new ClusterDnsServer(true, "10.96.0.20");
                NodeCache cache = inFrontOfNode(node).withoutLocalExpansion().start()) {
            cache.awaitFirstProbe(LONG);
            Answer answer = ask(cache, CART_BY_SUFFIX);
            assertThat(answer.rcode()).isEqualTo(Rcode.NXDOMAIN);
            assertThat(answer.authority()).extracting(RecordSet::owner).hasToString("[ap.k8s.io.]");
            assertThat(ask(cache, "ap.k8s.io.").status()).isEqualTo(AnswerStatus.NODATA);
            assertThat(node.queries).isEmpty();
        }
    }

    /** Returns a cache without a zone for the cluster domain. A zone above the suffix does not count either. */
    private static NodeCache.Builder inFrontOfNode(ClusterDnsServer node) {
        return NodeCache.builder("cluster.local").zone(node.zone(".")).zone(node.zone("k8s.io"));
    }

    @Test
    void aThrowingObserverDoesNotPreventAnswers() throws Exception {
        NodeCacheObserver observer = new NodeCacheObserver() {
            @Override
            public void forwarded() {
                throw new IllegalStateException("forwarded");
            }

            @Override
            public void suffixSupported(boolean supported) {
                throw new IllegalStateException("suffixSupported");
            }
        };
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                NodeCache cache = inFrontOf(server).observer(observer).start()) {
            cache.awaitFirstProbe(LONG);
            assertThat(ask(cache, CART_BY_SUFFIX).addresses()).containsExactly("10.96.0.20");
            assertThat(server.clients(CART_BY_SUFFIX)).hasSize(1);
        }
    }

    @Test
    void aCacheThatCannotStartLeavesNoThread() throws Exception {
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20")) {
            ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
            timer.shutdownNow();
            Set<Thread> before = Thread.getAllStackTraces().keySet();
            assertThatThrownBy(() -> inFrontOf(server).timer(timer).start())
                    .isInstanceOf(RejectedExecutionException.class);
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().equals("k8sdns-upstream"))
                    .isSubsetOf(before);
        }
        String label = "l".repeat(63);
        assertThatThrownBy(() -> NodeCache.builder("cluster.local")
                        .autopathSuffix(DnsLabels.of(label, label, label, "l".repeat(55)))
                        .start())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void serversAndCacheHaveObserversOfTheHost() throws Exception {
        List<String> events = new CopyOnWriteArrayList<>();
        UpstreamObserver servers = new UpstreamObserver() {
            @Override
            public void answered(UpstreamServer server, int rcode, long nanos) {
                events.add("answered");
            }
        };
        CacheObserver hits = new CacheObserver() {
            @Override
            public void hit(Kind kind) {
                events.add("hit " + kind);
            }
        };
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                NodeCache cache = inFrontOf(server)
                        .upstreamObserver(servers)
                        .cacheObserver(hits)
                        .start()) {
            assertThat(ask(cache, CART).addresses()).isEqualTo(ask(cache, CART).addresses());
            assertThat(events).contains("answered", "hit SUCCESS");
        }
    }

    @Test
    void onlyNamesOfChangedZonesAreInvalidated() throws Exception {
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                ClusterDnsServer other = new ClusterDnsServer(true, "10.96.0.21");
                NodeCache cache = inFrontOf(server).start()) {
            assertThat(ask(cache, CART).addresses()).containsExactly("10.96.0.20");
            assertThat(ask(cache, "kubernetes.default.svc.cluster.local.").addresses())
                    .containsExactly("10.96.0.1");
            cache.replaceZones(List.of(server.zone("cluster.local"), other.zone("shop.svc.cluster.local")));
            assertThat(ask(cache, CART).addresses()).containsExactly("10.96.0.21");
            assertThat(ask(cache, "kubernetes.default.svc.cluster.local.").addresses())
                    .containsExactly("10.96.0.1");
            assertThat(server.clients("kubernetes.default.svc.cluster.local.")).hasSize(1);
            assertThat(cache.zones())
                    .extracting(zone -> zone.name().toString())
                    .containsExactly("cluster.local", "shop.svc.cluster.local", "ap.k8s.io");
        }
    }

    @Test
    void theConfigMapOfKubeDnsReplacesZones() throws Exception {
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                NodeCache cache = inFrontOf(server).start()) {
            List<UpstreamZone> zones = List.of(server.zone("cluster.local"), UpstreamZone.of(".", "192.0.2.53"));
            KubeDnsConfig config = KubeDnsConfig.parseForNodeCache(
                    Map.of(
                            "stubDomains",
                            "{\"acme.example\": [\"10.0.0.10\"]}",
                            "upstreamNameservers",
                            "[\"192.0.2.54\"]"),
                    List.of(DnsLabels.parse("cluster.local")));
            cache.replaceZones(KubeDnsZones.over(zones, config));
            assertThat(cache.zones())
                    .extracting(UpstreamZone::toString)
                    .contains(". -> [192.0.2.54:53 (udp)]", "acme.example. -> [10.0.0.10:53 (udp)]");
        }
    }

    /** Starts a server that answers every name with an alias into the cluster and an address of its own choice. */
    private static DnsServer aliasing(String target, String address) throws IOException {
        Name cluster = Name.fromConstantString(target);
        // A TTL of 0, which must not prevent caching of the alias.
        ARecord lie = new ARecord(cluster, DClass.IN, 0, InetAddress.getByName(address));
        return DnsServer.start(
                (question, client) -> new Resolution.Ready(Answer.builder(Rcode.NOERROR)
                        .answer(List.of(
                                RecordSet.of(new CNAMERecord(question.name(), DClass.IN, 60, cluster)),
                                RecordSet.of(lie)))
                        .build()),
                0);
    }

    @Test
    void anAliasIntoAnotherZoneIsResolvedThere() throws Exception {
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                DnsServer node = aliasing(CART, "203.0.113.1");
                NodeCache cache = inFrontOf(server)
                        .zone(UpstreamZone.of(".", "127.0.0.1:" + node.port()))
                        .start()) {
            for (int i = 0; i < 2; i++) {
                Answer answer = ask(cache, "www.example.com.");
                assertThat(answer.cnames()).containsExactly(Name.fromConstantString(CART));
                assertThat(answer.addresses()).containsExactly("10.96.0.20");
            }
            assertThat(server.clients(CART)).as("cached").hasSize(1);
            assertThat(cache.answers().orElseThrow().entries()).isEqualTo(2);
        }
    }

    @Test
    void anAliasWithoutItsTargetIsCached() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Name target = Name.fromConstantString(CART);
        DnsResolver aliases = (question, client) -> {
            asked.addAndGet(question.type().number() == Type.HINFO ? 0 : 1);
            return new Resolution.Ready(Answer.builder(Rcode.NOERROR)
                    .answer(List.of(RecordSet.of(new CNAMERecord(question.name(), DClass.IN, 60, target))))
                    .build());
        };
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                DnsServer node = DnsServer.start(aliases, 0);
                NodeCache cache = inFrontOf(server)
                        .zone(UpstreamZone.of(".", "127.0.0.1:" + node.port()))
                        .start()) {
            for (int i = 0; i < 3; i++) {
                assertThat(ask(cache, "www.example.com.").addresses()).containsExactly("10.96.0.20");
            }
            assertThat(asked).hasValue(1);
        }
    }

    @Test
    void namesThatAClusterDnsWithoutUpstreamsCannotFindAreExpandedHere() throws Exception {
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                DnsServer node = aliasing("parked.example.", "192.0.2.7");
                NodeCache cache = inFrontOf(server)
                        .zone(UpstreamZone.of(".", "127.0.0.1:" + node.port()))
                        .start()) {
            cache.awaitFirstProbe(LONG);
            assertThat(ask(cache, "www.example.com.search.shop.cluster.local.ap.k8s.io.")
                            .addresses())
                    .containsExactly("192.0.2.7");
            assertThat(ask(cache, CART_BY_SUFFIX).addresses()).containsExactly("10.96.0.20");
            assertThat(server.clients(CART)).as("expanded by the cluster DNS").isEmpty();
        }
    }

    @Test
    void anAliasIntoTheZoneOfTheHostIsResolvedThere() throws Exception {
        ClusterZone zone = ClusterZone.create();
        ZoneFeed feed = ZoneFeed.builder(zone, InstantSource.system()).build();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.22"));
        feed.stateChanged(SyncState.SYNCED);
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                DnsServer node = aliasing(CART, "203.0.113.1");
                NodeCache cache = inFrontOf(server)
                        .cluster(zone)
                        .zone(UpstreamZone.of(".", "127.0.0.1:" + node.port()))
                        .start()) {
            assertThat(ask(cache, "www.example.com.").addresses()).containsExactly("10.96.0.22");
            assertThat(server.queries).isEmpty();
        }
    }

    @Test
    void aServerThatAnswersEveryNameDoesNotSupportTheSuffix() throws Exception {
        try (DnsServer wildcard = aliasing("parked.example.", "203.0.113.1");
                NodeCache cache = NodeCache.builder("cluster.local")
                        .zone(UpstreamZone.of("cluster.local", "127.0.0.1:" + wildcard.port()))
                        .start()) {
            cache.awaitFirstProbe(LONG);
            Answer answer = ask(cache, CART_BY_SUFFIX);
            assertThat(answer.cnames())
                    .as("expanded here")
                    .containsExactly(
                            Name.fromConstantString("cart.shop.svc.cluster.local."),
                            Name.fromConstantString("parked.example."));
        }
    }

    @Test
    void failuresOfTheCacheItselfHaveRa() throws Exception {
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                NodeCache cache = inFrontOf(server).start()) {
            assertThat(ask(cache, "www.example.com.").recursionAvailable()).isTrue();
            Question transfer = Question.of("cluster.local", RecordType.of(Type.AXFR));
            Answer refused = cache.resolve(transfer, Client.IN_PROCESS)
                    .toStage()
                    .toCompletableFuture()
                    .get(120, TimeUnit.SECONDS);
            assertThat(refused.status()).isEqualTo(AnswerStatus.REFUSED);
            assertThat(refused.recursionAvailable()).isTrue();
        }
    }

    @Test
    void aServerMustNotBeTheCacheItself() throws Exception {
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                NodeCache cache = inFrontOf(server).start();
                DnsServer listener = DnsServer.start(cache, 0)) {
            cache.requireOthers(listener.addresses());
            String own = "127.0.0.1:" + listener.port();
            assertThatThrownBy(() -> cache.replaceZones(List.of(UpstreamZone.of(".", own))))
                    .isInstanceOf(IOException.class)
                    .hasMessage("upstream server " + own + " (udp) of . is this server, which listens on " + own);
            assertThat(ask(cache, CART).addresses()).as("as before").containsExactly("10.96.0.20");
            assertThatThrownBy(() -> cache.requireOthers(List.of(server.server.address())))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void everyZoneIsAskedForLoopsAndBecomesReady() throws Exception {
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                NodeCache cache = inFrontOf(server).zone(server.zone(".")).start()) {
            assertThat(cache.findLoops().get(120, TimeUnit.SECONDS)).isEmpty();
            assertThat(cache.unanswered()).isEmpty();
        }
    }

    @Test
    void namesThatAServerWithoutSupportDeniesAreExpandedHere() throws Exception {
        Answer denial = Answer.builder(Rcode.NXDOMAIN)
                .authority(List.of(RecordSet.of(new SOARecord(
                        Name.fromConstantString("k8s.io."), DClass.IN, 60, Name.root, Name.root, 1, 1, 1, 1, 60))))
                .build();
        try (DnsServer server = supportingSuffix((question, client) -> new Resolution.Ready(
                        question.name().toString().equals(CART)
                                ? Answer.builder(Rcode.NOERROR).build()
                                : denial));
                NodeCache cache = NodeCache.builder("cluster.local")
                        .zone(zone("cluster.local", server).build())
                        .start()) {
            cache.awaitFirstProbe(LONG);
            assertThat(ask(cache, CART_BY_SUFFIX).cnames()).containsExactly(Name.fromConstantString(CART));
        }
    }

    @Test
    void aLoopThatIsClosedLaterIsReported() throws Exception {
        CompletableFuture<List<UpstreamZone>> found = new CompletableFuture<>();
        NodeCacheObserver observer = new NodeCacheObserver() {
            @Override
            public void looping(List<UpstreamZone> zones) {
                found.complete(zones);
            }
        };
        CompletableFuture<UpstreamForwarder> back = new CompletableFuture<>();
        DnsResolver relay = (question, client) -> back.isDone()
                ? new Resolution.Pending(back.join().forward(question, client))
                : new Resolution.Ready(Answer.failure(Rcode.NXDOMAIN));
        try (DnsServer other = DnsServer.start(relay, 0);
                NodeCache cache = NodeCache.builder("cluster.local")
                        .zone(UpstreamZone.of(".", "127.0.0.1:" + other.port()))
                        .observer(observer)
                        .start();
                DnsServer self = DnsServer.start(cache, 0);
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(UpstreamZone.of(".", "127.0.0.1:" + self.port()))) {
            assertThat(ask(cache, "www.example.com.").rcode()).isEqualTo(Rcode.NXDOMAIN);
            back.complete(forwarder);
            assertThat(ask(cache, "www.example.org.").rcode()).isEqualTo(Rcode.SERVFAIL);
            assertThat(found.get(60, TimeUnit.SECONDS)).isNotEmpty();
        }
    }

    @Test
    void aZoneOfTheHostAnswersOnceItIsSynced() throws Exception {
        ClusterZone zone = ClusterZone.create();
        ZoneFeed feed = ZoneFeed.builder(zone, InstantSource.system()).build();
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                NodeCache cache = inFrontOf(server).cacheBytes(0).cluster(zone).start()) {
            assertThat(ask(cache, CART).addresses()).containsExactly("10.96.0.20");
            zone.put(ClusterIpService.of("shop", "cart", "10.96.0.22"));
            feed.stateChanged(SyncState.SYNCED);
            assertThat(ask(cache, CART).addresses()).containsExactly("10.96.0.22");
            assertThat(ask(cache, CART_BY_SUFFIX).addresses()).containsExactly("10.96.0.22");
            assertThat(server.queries).hasSize(1);
        }
    }

    @Test
    void missingReverseNamesWithoutServersStayMissing() throws Exception {
        ClusterZone zone = ClusterZone.create();
        ZoneFeed feed = ZoneFeed.builder(zone, InstantSource.system()).build();
        feed.stateChanged(SyncState.SYNCED);
        Question missing = Question.of("99.2.0.192.in-addr.arpa", RecordType.parse("PTR"));
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                NodeCache cache = inFrontOf(server).cluster(zone).start()) {
            Answer answer = cache.resolve(missing, Client.IN_PROCESS)
                    .toStage()
                    .toCompletableFuture()
                    .get(120, TimeUnit.SECONDS);
            assertThat(answer.status()).isEqualTo(AnswerStatus.NXDOMAIN);
        }
    }

    @Test
    void aSuffixAboveOrBelowTheClusterDomainIsRefused() {
        for (String suffix : List.of("cluster.local", "ap.cluster.local", "local", ".", "in-addr.arpa")) {
            assertThatThrownBy(() -> NodeCache.builder("cluster.local").autopathSuffix(DnsLabels.parse(suffix)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must not be the root");
        }
        assertThatThrownBy(() -> NodeCache.builder("a.ap.k8s.io").start()).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> NodeCache.builder(".")).isInstanceOf(IllegalArgumentException.class);
    }

    // ---- wire format ----

    @Test
    void theForwardedMessageIsThatOfTheSpecification() throws Exception {
        String expected = "1234 0100 0001 0000 0000 0001" // id, RD, counts
                + "05 6e67696e78 06 736561726368 03 6e7331 07 636c7573746572 05 6c6f63616c" // nginx.search.ns1.cluster.local
                + "02 6170 03 6b3873 02 696f 00 0001 0001" // ap.k8s.io, A, IN
                + "00 0029 04d0 00000000 0039" // OPT, 1232 bytes
                + "ff99 0035" // option 65433
                + "6e73312e7376632e636c75737465722e6c6f63616c 2c" // ns1.svc.cluster.local
                + "7376632e636c75737465722e6c6f63616c 2c" // svc.cluster.local
                + "636c75737465722e6c6f63616c"; // cluster.local
        byte[] message = HexFormat.of().parseHex(expected.replace(" ", ""));
        assertThat(message).hasSize(126);
        try (DatagramSocket server = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                NodeCache cache = NodeCache.builder("cluster.local")
                        .zone(UpstreamZone.builder("cluster.local")
                                .server(UpstreamServer.udp((InetSocketAddress) server.getLocalSocketAddress()))
                                .attemptTimeout(LONG)
                                .deadline(LONG)
                                .build())
                        .withoutLocalExpansion()
                        .start()) {
            server.setSoTimeout((int) LONG.toMillis());
            Resolution pending = cache.resolve(
                    Question.of("nginx.search.ns1.cluster.local.ap.k8s.io.", RecordType.A), Client.IN_PROCESS);
            assertThat(pending).isInstanceOf(Resolution.Pending.class);
            DatagramPacket received = new DatagramPacket(new byte[512], 512);
            do {
                // Skips the probe of the suffix.
                server.receive(received);
            } while (received.getData()[12] != 5);
            byte[] sent = Arrays.copyOf(received.getData(), received.getLength());
            // The id is random.
            sent[0] = message[0];
            sent[1] = message[1];
            assertThat(sent).isEqualTo(message);
        }
    }

    // ---- overload ----

    /** Answers the probe of the suffix like a server that supports it; every other question is answered by a resolver. */
    private static DnsServer supportingSuffix(DnsResolver others) throws IOException {
        return DnsServer.start(
                (question, client) -> question.type().number() == Type.HINFO
                        ? new Resolution.Ready(Answer.failure(Rcode.REFUSED))
                        : question.name().toString().startsWith("kubernetes.search.")
                                ? new Resolution.Ready(alias(question, "kubernetes.default.svc.cluster.local."))
                                : others.resolve(question, client),
                0);
    }

    private static Answer alias(Question question, String target) {
        return Answer.builder(Rcode.NOERROR)
                .answer(List.of(
                        RecordSet.of(new CNAMERecord(question.name(), DClass.IN, 60, Name.fromConstantString(target)))))
                .build();
    }

    private static UpstreamZone.Builder zone(String name, DnsServer server) {
        return UpstreamZone.builder(name)
                .server(UpstreamServer.udp(server.address()).overTcp())
                .attemptTimeout(LONG)
                .deadline(LONG);
    }

    /** Counts expansions, and questions beyond the limit. */
    private static final class Load implements NodeCacheObserver, UpstreamObserver {
        private final AtomicInteger expanded = new AtomicInteger();
        private final AtomicInteger refused = new AtomicInteger();

        @Override
        public void expanded(Mode mode, int lookups, AnswerStatus status, long nanos) {
            expanded.incrementAndGet();
        }

        @Override
        public void refused(UpstreamZone zone) {
            refused.incrementAndGet();
        }
    }

    @Test
    void questionsBeyondTheLimitAreNotExpanded() throws Exception {
        CompletableFuture<Answer> late = new CompletableFuture<>();
        CountDownLatch received = new CountDownLatch(1);
        Load load = new Load();
        try (DeadlineTimer timer = new DeadlineTimer();
                DnsServer server = supportingSuffix((question, client) -> {
                    received.countDown();
                    return new Resolution.Pending(late);
                });
                NodeCache cache = NodeCache.builder("cluster.local")
                        .zone(zone("cluster.local", server).maxConcurrent(1).build())
                        .timer(timer)
                        .observer(load)
                        .upstreamObserver(load)
                        .start()) {
            cache.awaitFirstProbe(LONG);
            CompletableFuture<Answer> first = cache.resolve(
                            Question.of(CART_BY_SUFFIX, RecordType.A), Client.IN_PROCESS)
                    .toStage()
                    .toCompletableFuture();
            received.await();
            for (int asked = 1; asked <= 3; asked += 2) {
                assertThat(ask(cache, "data.search.shop.cluster.local.ap.k8s.io."))
                        .hasToString("REFUSED (the limit of 1 concurrent questions for ap.k8s.io. is reached)");
                assertThat(load.refused).as("the question, and no lookup").hasValue(asked);
                // The limit applies to probes, too.
                timer.probes.get(0).run();
            }
            assertThat(load.expanded).hasValue(0);
            late.complete(Answer.failure(Rcode.NOTIMP));
            assertThat(first.get(120, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void aServerCannotForgeTheRefusalOfTheLimit() throws Exception {
        ExtendedError forged = new ExtendedError(
                ExtendedError.OTHER, "the limit of 1000 concurrent questions for ap.k8s.io. is reached");
        Load load = new Load();
        try (DnsServer server = supportingSuffix((question, client) -> new Resolution.Ready(
                        question.name().toString().equals(CART)
                                ? Answer.builder(Rcode.NOERROR).build()
                                : Answer.failure(Rcode.REFUSED, forged)));
                NodeCache cache = NodeCache.builder("cluster.local")
                        .zone(zone("cluster.local", server).build())
                        .observer(load)
                        .start()) {
            cache.awaitFirstProbe(LONG);
            assertThat(ask(cache, CART_BY_SUFFIX).cnames()).containsExactly(Name.fromConstantString(CART));
            assertThat(load.expanded).hasValue(1);
        }
    }

    @Test
    void aRefusedTargetOfAnAliasIsNotExpanded() throws Exception {
        Load load = new Load();
        String target = "www.example.com.";
        try (DnsServer server = supportingSuffix((question, client) -> new Resolution.Ready(alias(question, target)));
                DnsServer node =
                        DnsServer.start((question, client) -> new Resolution.Ready(Answer.failure(Rcode.REFUSED)), 0);
                NodeCache cache = NodeCache.builder("cluster.local")
                        .zone(zone("cluster.local", server).build())
                        .zone(zone(".", node).build())
                        .observer(load)
                        .start()) {
            cache.awaitFirstProbe(LONG);
            Answer answer = ask(cache, "www.example.com.search.shop.cluster.local.ap.k8s.io.");
            assertThat(answer.status()).isEqualTo(AnswerStatus.REFUSED);
            assertThat(answer.cnames()).containsExactly(Name.fromConstantString(target));
            assertThat(load.expanded).hasValue(0);
        }
    }

    // ---- aliases to names of the suffix ----

    @Test
    void anAliasToANameOfTheSuffixIsNotFollowed() throws Exception {
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                DnsServer node = aliasing(CART_BY_SUFFIX, "203.0.113.1");
                NodeCache cache = inFrontOf(server)
                        .zone(UpstreamZone.of(".", "127.0.0.1:" + node.port()))
                        .start()) {
            cache.awaitFirstProbe(LONG);
            requireUnfollowed(cache);
            assertThat(server.clients(CART_BY_SUFFIX)).isEmpty();
            assertThat(ask(cache, CART_BY_SUFFIX).addresses()).as("of a client").containsExactly("10.96.0.20");
        }
    }

    @Test
    void anAliasToANameOfTheSuffixIsNotFollowedIfTheHostHasAZone() throws Exception {
        ClusterZone zone = ClusterZone.create();
        ZoneFeed feed = ZoneFeed.builder(zone, InstantSource.system()).build();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.22"));
        try (ClusterDnsServer server = new ClusterDnsServer(true, "10.96.0.20");
                DnsServer node = aliasing(CART_BY_SUFFIX, "203.0.113.1");
                NodeCache cache = inFrontOf(server)
                        .cluster(zone)
                        .zone(UpstreamZone.of(".", "127.0.0.1:" + node.port()))
                        .start()) {
            requireUnfollowed(cache);
            feed.stateChanged(SyncState.SYNCED);
            requireUnfollowed(cache);
            assertThat(server.clients(CART_BY_SUFFIX)).isEmpty();
            assertThat(ask(cache, CART_BY_SUFFIX).addresses()).as("of a client").containsExactly("10.96.0.22");
        }
    }

    private static void requireUnfollowed(NodeCache cache) throws Exception {
        for (int cached = 0; cached < 2; cached++) {
            Answer answer = ask(cache, "www.example.com.");
            assertThat(answer.status()).isEqualTo(AnswerStatus.NOERROR);
            assertThat(answer.cnames()).containsExactly(Name.fromConstantString(CART_BY_SUFFIX));
            assertThat(answer.addresses()).isEmpty();
        }
    }

    // ---- deadline ----

    /** A timer that runs deadlines of questions only on request. */
    private static final class DeadlineTimer extends ScheduledThreadPoolExecutor implements AutoCloseable {
        private final List<Runnable> deadlines = new CopyOnWriteArrayList<>();
        private final List<Runnable> probes = new CopyOnWriteArrayList<>();

        DeadlineTimer() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable probe, long first, long pause, TimeUnit unit) {
            probes.add(probe);
            return super.scheduleWithFixedDelay(probe, first, pause, unit);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            if (unit.toMillis(delay) != 4_400) {
                return super.schedule(task, delay, unit);
            }
            deadlines.add(task);
            return super.schedule(() -> {}, 1, TimeUnit.DAYS);
        }

        @Override
        public void close() {
            shutdownNow();
        }
    }

    @Test
    void aliasesShareTheDeadlineOfTheQuestion() throws Exception {
        CompletableFuture<Answer> never = new CompletableFuture<>();
        CountDownLatch received = new CountDownLatch(1);
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        try (DeadlineTimer timer = new DeadlineTimer();
                DnsServer server = supportingSuffix((question, client) -> {
                    received.countDown();
                    return new Resolution.Pending(never);
                });
                DnsServer node = aliasing(CART, "203.0.113.1");
                NodeCache cache = NodeCache.builder("cluster.local")
                        .zone(zone("cluster.local", server).build())
                        .zone(zone(".", node).build())
                        .timer(timer)
                        .failures((question, failure) -> failures.add(failure))
                        .start()) {
            CompletableFuture<Answer> answer = cache.resolve(
                            Question.of("www.example.com.", RecordType.A), Client.IN_PROCESS)
                    .toStage()
                    .toCompletableFuture();
            received.await();
            assertThat(timer.deadlines).as("one for the question and its alias").hasSize(1);
            timer.deadlines.get(0).run();
            assertThat(answer).isCompleted();
            assertThat(answer.join()).hasToString("SERVFAIL (www.example.com. was not answered in time)");
            assertThat(failures).singleElement().isInstanceOf(TimeoutException.class);
            never.complete(Answer.FAILED);
        }
    }

    @Test
    void lookupsAfterAForwardedQuestionShareItsDeadline() throws Exception {
        CompletableFuture<Answer> never = new CompletableFuture<>();
        CompletableFuture<Answer> refusal = new CompletableFuture<>();
        CountDownLatch forwarded = new CountDownLatch(1);
        CountDownLatch lookedUp = new CountDownLatch(1);
        try (DeadlineTimer timer = new DeadlineTimer();
                DnsServer server = supportingSuffix((question, client) -> {
                    boolean isForwarded = question.name().toString().equals(CART_BY_SUFFIX);
                    (isForwarded ? forwarded : lookedUp).countDown();
                    return new Resolution.Pending(isForwarded ? refusal : never);
                });
                NodeCache cache = NodeCache.builder("cluster.local")
                        .zone(zone("cluster.local", server).build())
                        .timer(timer)
                        .start()) {
            cache.awaitFirstProbe(LONG);
            CompletableFuture<Answer> answer = cache.resolve(
                            Question.of(CART_BY_SUFFIX, RecordType.A), Client.IN_PROCESS)
                    .toStage()
                    .toCompletableFuture();
            forwarded.await();
            List<Runnable> ofQuestion = List.copyOf(timer.deadlines);
            assertThat(ofQuestion).hasSize(1);
            refusal.complete(Answer.failure(Rcode.REFUSED));
            lookedUp.await();
            assertThat(answer).isNotDone();
            ofQuestion.get(0).run();
            assertThat(answer).isCompleted();
            assertThat(answer.join().rcode()).isEqualTo(Rcode.SERVFAIL);
            never.complete(Answer.FAILED);
        }
    }

    @Test
    void withoutATimerTheDeadlineIsImmediate() throws Exception {
        CompletableFuture<Answer> never = new CompletableFuture<>();
        try (DeadlineTimer timer = new DeadlineTimer();
                DnsServer server = supportingSuffix((question, client) -> new Resolution.Pending(never));
                NodeCache cache = NodeCache.builder("cluster.local")
                        .zone(zone("cluster.local", server).build())
                        .timer(timer)
                        .start()) {
            timer.shutdownNow();
            CompletableFuture<Answer> answer = cache.resolve(Question.of(CART, RecordType.A), Client.IN_PROCESS)
                    .toStage()
                    .toCompletableFuture();
            assertThat(answer).isCompleted();
            assertThat(answer.join().rcode()).isEqualTo(Rcode.SERVFAIL);
            never.complete(Answer.FAILED);
        }
    }
}
