package io.k8sdns.architecture;

import static io.k8sdns.records.RecordType.A;
import static io.k8sdns.resolver.AnswerStatus.NXDOMAIN;
import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.ClusterDns;
import io.k8sdns.advice.HostAdvice;
import io.k8sdns.advice.NdotsAdvisor;
import io.k8sdns.autopath.AutopathResolver;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.explain.Explainer;
import io.k8sdns.explain.Explanation;
import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.FederatedZone;
import io.k8sdns.federation.FederationZoneName;
import io.k8sdns.federation.MemoryStore;
import io.k8sdns.federation.Shard;
import io.k8sdns.federation.SourceCluster;
import io.k8sdns.federation.StubZoneResolver;
import io.k8sdns.federation.api.StubZone;
import io.k8sdns.federation.api.StubZones;
import io.k8sdns.federation.controller.FederationController;
import io.k8sdns.federation.external.ExternalRecords;
import io.k8sdns.federation.external.ExternalSync;
import io.k8sdns.federation.external.FederatedService;
import io.k8sdns.federation.external.MemoryExternalZone;
import io.k8sdns.federation.external.RecordOwner;
import io.k8sdns.federation.external.WantedRecords;
import io.k8sdns.federation.store.FederationJson;
import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.kubedns.KubeDnsConfig;
import io.k8sdns.kubedns.KubeDnsConfigDirectory;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.micrometer.RequestMeters;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.nodecache.NodeCache;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolvconf.KubeletDns;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.PodDns;
import io.k8sdns.resolvconf.PodDnsSpec;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.PlannedQuery.Reason;
import io.k8sdns.search.PlannedQuery.Transport;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.upstream.Forwarder;
import io.k8sdns.upstream.ForwardingResolver;
import io.k8sdns.verify.Expectation;
import io.k8sdns.verify.Expectations;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.DnsSession;
import io.k8sdns.zone.ClusterZone;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.Type;

/** Runs the example of each package's documentation, which is a region of this class. */
class PackageExamplesTest {
    private static final Path ROOT = Path.of(System.getProperty("k8sdns.root", "../.."));
    private static final Pattern REGION =
            Pattern.compile("// region (io\\.k8sdns[a-z.]*)\\n(.*?) *// endregion", Pattern.DOTALL);
    private static final Pattern EXAMPLE = Pattern.compile("<pre>\\{@code\\n(.*?) \\* \\}</pre>", Pattern.DOTALL);

    /** Packages whose examples are run by other tests, with Netty, an API server, etcd and name servers. */
    private static final List<String> WITHOUT =
            List.of("io.k8sdns.netty", "io.k8sdns.clientjava", "io.k8sdns.etcd", "io.k8sdns.rfc2136");

    /** The beginning of the documentation of packages that are exported only to our modules. */
    private static final String INTERNAL = "/**\n * Internal";

    @TempDir
    private Path folder;

    @Test
    void everyPackageHasAnExampleThatRuns() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        for (Path file : packageInfos()) {
            String text = Files.readString(file);
            String name = text.replaceAll("(?s).*\\npackage ([a-z0-9.]*);.*", "$1");
            List<String> examples = EXAMPLE.matcher(text)
                    .results()
                    .map(match -> withoutStars(match.group(1)))
                    .toList();
            if (!WITHOUT.contains(name) && !text.startsWith(INTERNAL)) {
                documented.put(name, examples.isEmpty() ? "no example" : examples.get(0));
            }
        }
        String tests = Files.readString(
                ROOT.resolve("tools/k8sdns-cli/src/test/java/io/k8sdns/architecture/PackageExamplesTest.java"));
        Map<String, String> run = REGION.matcher(tests)
                .results()
                .collect(Collectors.toMap(
                        match -> match.group(1), PackageExamplesTest::code, (one, other) -> one, TreeMap::new));
        assertThat(documented).isEqualTo(run);
    }

    private static List<Path> packageInfos() throws IOException {
        List<Path> found = new ArrayList<>();
        for (String folder :
                List.of("k8sdns-model", "k8sdns-records", "k8sdns-resolvconf", "k8sdns-server-embedded", "adapters")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                files.filter(file -> file.endsWith("package-info.java")
                                && file.toString().replace('\\', '/').contains("/src/main/java/"))
                        .forEach(found::add);
            }
        }
        return found;
    }

    private static String withoutStars(String javadoc) {
        return javadoc.lines().map(line -> line.replaceFirst("^ \\* ?", "")).collect(Collectors.joining("\n"));
    }

    private static String code(MatchResult region) {
        return region.group(2).stripTrailing().stripIndent();
    }

    @Test
    void frontDoor() {
        ClusterSnapshot cluster =
                ClusterSnapshot.of(List.of(Namespace.of("shop"), ClusterIpService.of("shop", "cart", "10.96.0.20")));
        // region io.k8sdns
        ClusterDns dns = ClusterDns.of(cluster);
        assertThat(dns.lookup("cart.shop", A).addresses()).containsExactly("10.96.0.20");
        assertThat(dns.lookup("no.shop", A).status()).isEqualTo(NXDOMAIN);
        assertThat(dns.explain("no.shop", A).causes()).hasToString("[Service shop/no: no such Service]");
        // endregion
    }

    @Test
    void explanations() {
        ClusterSnapshot cluster =
                ClusterSnapshot.of(List.of(Namespace.of("shop"), ClusterIpService.of("shop", "cart", "10.96.0.20")));
        // region io.k8sdns.explain
        Explanation why = Explainer.of(cluster).explain("crat.shop", A);
        assertThat(why.causes()).hasToString("[Service shop/crat: no such Service]");
        assertThat(why.suggestions().get(0).text()).isEqualTo("look up cart.shop.svc.cluster.local.");
        // endregion
    }

    @Test
    void stubZones() throws IOException {
        Path file = folder.resolve("stub-zones.json");
        List<Map<String, StubZone>> known = new ArrayList<>();
        // region io.k8sdns.federation.api
        StubZones zones = StubZones.builder().file(file).listener(known::add).open();
        assertThat(zones.put(StubZone.parse("myfed", List.of("192.0.2.53", "[2001:db8::53]:5353"))))
                .isTrue();
        // endregion
        assertThat(known.get(1)).isEqualTo(zones.all());
        assertThat(file).content().contains("[2001:db8::53]:5353");
    }

    @Test
    void model() {
        // region io.k8sdns.model
        HeadlessService db = HeadlessService.of("shop", "db", ServicePort.of("postgres", Protocol.TCP, 5432));
        EndpointSlice slice = EndpointSlice.of(
                "shop", "db", Endpoint.builder("10.244.30.31").hostname("db-0").build());
        // endregion
        assertThat(ClusterDns.of(ClusterSnapshot.of(List.of(Namespace.of("shop"), db, slice)))
                        .lookup("db-0.db.shop", A)
                        .addresses())
                .containsExactly("10.244.30.31");
    }

    @Test
    void cluster() {
        // region io.k8sdns.cluster
        ClusterSnapshot cluster = ClusterSnapshot.of(List.of(
                Namespace.of("shop"),
                HeadlessService.builder("shop", "db").selector("app=db").build()));
        for (Diagnostic note : cluster.diagnostics()) {
            System.out.println(note); // Service shop/db: no record: its selector matches no Pod
        }
        // endregion
        assertThat(cluster.diagnostics())
                .extracting(Diagnostic::toString)
                .containsExactly("Service shop/db: no record: its selector matches no Pod");
    }

    @Test
    void name() {
        // region io.k8sdns.name
        DnsLabels cart = DnsLabels.parse("cart.shop.svc").append(DnsLabels.parse("cluster.local"));
        assertThat(cart).isEqualTo(DnsLabels.parse("Cart.Shop.svc.cluster.local."));
        assertThat(cart.endsWith(DnsLabels.parse("svc.cluster.local"))).isTrue();
        // endregion
    }

    @Test
    void records() {
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        ClusterSnapshot cluster =
                ClusterSnapshot.of(List.of(Namespace.of("shop"), ClusterIpService.of("shop", "cart", "10.96.0.20")));
        // region io.k8sdns.records
        ZoneSettings settings =
                ZoneSettings.builder().zone("prod.example").ttlSeconds(30).build();
        List<RecordSet> sets = ClusterDns.of(cluster, settings).records();
        assertThat(sets.stream().flatMap(RecordSet::lines)).contains("cart.shop.svc.prod.example. 30 IN A 10.96.0.20");
        // endregion
    }

    @Test
    void resolvconf() {
        // region io.k8sdns.resolvconf
        PodDnsSpec pod = PodDnsSpec.builder("web-0").namespace("shop").build();
        PodDns dns = KubeletDns.forPod(pod, NodeDns.ofClusterDns("10.96.0.10"));
        String file = dns.resolvConf().render();
        // endregion
        assertThat(file).startsWith("nameserver 10.96.0.10\nsearch shop.svc.cluster.local ");
    }

    @Test
    void search() {
        // region io.k8sdns.search
        AnswerSource answers = AnswerScript.of(Map.of("api.payments.example", "A"));
        Reply reply = answers.answer(new PlannedQuery(
                "api.payments.example.", QueryType.A, "10.96.0.10", Transport.UDP, 0, 0, Reason.FIRST));
        assertThat(reply.kind()).isEqualTo(Reply.Kind.DATA);
        // endregion
    }

    @Test
    void plan() {
        PodDnsSpec pod = PodDnsSpec.builder("web-0").namespace("shop").build();
        PodDns dns = KubeletDns.forPod(pod, NodeDns.ofClusterDns("10.96.0.10"));
        // region io.k8sdns.plan
        QueryTrace lookup = QueryPlan.of(dns.resolvConf(), "api.payments.example", Dialect.GLIBC)
                .run(AnswerScript.of(Map.of("api.payments.example", "A")));
        assertThat(lookup.queries()).hasSize(8); // A and AAAA of three search domains, and of the name itself
        // endregion
    }

    @Test
    void advice() {
        PodDnsSpec pod = PodDnsSpec.builder("web-0").namespace("shop").build();
        PodDns dns = KubeletDns.forPod(pod, NodeDns.ofClusterDns("10.96.0.10"));
        // region io.k8sdns.advice
        NdotsAdvisor advisor = new NdotsAdvisor(dns.resolvConf().render(), Map.of(), List.of(Dialect.GLIBC));
        HostAdvice advice =
                advisor.advise("api.payments.example", AnswerScript.of(Map.of("api.payments.example", "A")));
        assertThat(advice.suggestions().get(1).text()).isEqualTo("api.payments.example."); // 2 queries instead of 8
        // endregion
        assertThat(advice.traces().get(Dialect.GLIBC).queries()).hasSize(8);
        assertThat(advice.suggestions().get(1).traces().get(Dialect.GLIBC).queries())
                .hasSize(2);
    }

    @Test
    void zone() throws Exception {
        List<Name> log = new ArrayList<>();
        // region io.k8sdns.zone
        ClusterZone zone = ClusterZone.create();
        zone.onChange(change -> log.addAll(change.names()));
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        zone.await("cart.shop", A, Duration.ofSeconds(1));
        // endregion
        assertThat(log).contains(Name.fromString("cart.shop.svc.cluster.local."));
    }

    @Test
    void resolver() {
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        List<Answer> answers = new ArrayList<>();
        // region io.k8sdns.resolver
        ResolverChain chain = ResolverChain.of(zone);
        DnsResolver blocking = (question, client) -> question.name().toString().startsWith("blocked.")
                ? new Resolution.Ready(Answer.failure(Rcode.REFUSED))
                : chain.resolve(question, client);
        DnsResolver hiding = (question, client) -> blocking.resolve(question, client)
                .map(answer -> answer.rcode() == Rcode.NXDOMAIN ? Answer.failure(Rcode.REFUSED) : answer);
        Question cart = Question.of(Name.fromConstantString("cart.shop.svc.cluster.local."), A);
        hiding.resolve(cart, Client.IN_PROCESS).deliver(answers::add);
        // endregion
        assertThat(answers.get(0).addresses()).containsExactly("10.96.0.20");
    }

    @Test
    void autopath() {
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        List<Answer> answers = new ArrayList<>();
        // region io.k8sdns.autopath
        DnsResolver autopath =
                AutopathResolver.builder(ResolverChain.of(zone)).byName().build();
        Question cart = Question.of(Name.fromConstantString("cart.shop.search.web.cluster.local.ap.k8s.io."), A);
        autopath.resolve(cart, Client.IN_PROCESS).deliver(answers::add); // CNAME cart.shop.svc.cluster.local.
        // endregion
        assertThat(answers.get(0).cnames()).containsExactly(Name.fromConstantString("cart.shop.svc.cluster.local."));
        assertThat(answers.get(0).addresses()).containsExactly("10.96.0.20");
    }

    @Test
    void federation() {
        FederationJson format = new FederationJson();
        MemoryStore store = new MemoryStore();
        store.replaceAll(
                Map.of("/prod/shop/cart/foo", "{\"externalIP\": \"192.0.2.10\", \"clusterIP\": \"10.0.3.64\"}"));
        DnsResolver others = (question, client) -> new Resolution.Ready(Answer.failure(Rcode.NXDOMAIN));
        List<Answer> answers = new ArrayList<>();
        // region io.k8sdns.federation
        FederatedZone zone = FederatedZone.builder(format).build();
        store.watch(zone);
        Forwarder nameServers = (question, client) -> {
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            zone.resolve(question, client).deliver(answer::complete);
            return answer;
        };
        DnsResolver inFoo = StubZoneResolver.builder(
                        FederationZoneName.parse("federation."), new SourceCluster("foo"), others)
                .routes(federation -> Optional.of(nameServers))
                .build();
        inFoo.resolve(Question.of("cart.shop.prod.svc.federation.", A), Client.IN_PROCESS)
                .deliver(answers::add); // 10.0.3.64
        // endregion
        assertThat(answers.get(0).addresses()).containsExactly("10.0.3.64");
    }

    @Test
    void externalRecords() {
        Shard shard = Shard.builder()
                .externalAddresses(List.of(IpAddress.parse("192.0.2.1")))
                .build();
        Map<String, ClusterLocation> clusters = Map.of();
        MemoryExternalZone zone = new MemoryExternalZone();
        Random random = new Random(1);
        // region io.k8sdns.federation.external
        ExternalRecords records = ExternalRecords.builder(
                        new RecordOwner("controller", "prod"), DnsLabels.parse("example.org"))
                .build();
        WantedRecords wanted = records.of(
                List.of(FederatedService.builder("shop", "cart")
                        .shard("foo", shard)
                        .build()),
                clusters);
        ExternalSync sync = ExternalSync.builder(zone, System::nanoTime, random).build();
        ExternalSync.Report report = sync.pass(wanted); // cart.shop.prod.svc.example.org. 180 IN A 192.0.2.1
        // endregion
        assertThat(report.isDone()).isTrue();
        assertThat(zone.content()).isEqualTo(wanted.names()).hasSize(1);
    }

    @Test
    void federationController() throws Exception {
        MemoryStore store = new MemoryStore();
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        ClusterSource source = new ClusterSource() {
            @Override
            public void start(Sink sink) {
                sink.stateChanged(SyncState.SYNCED);
            }

            @Override
            public void close() {}
        };
        // region io.k8sdns.federation.controller
        FederationController controller =
                FederationController.builder("prod", store, executor).start();
        controller.join("foo", source);
        // endregion
        try (controller) {
            controller.reconciled().toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(controller.problems().toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .isEmpty();
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void federationStore() {
        // region io.k8sdns.federation.store
        FederationJson json = new FederationJson();
        FederatedZone zone = FederatedZone.builder(json).build();
        MemoryStore store = new MemoryStore();
        store.replaceAll(json.readStore("{\"/prod/shop/cart/foo\": {\"externalIP\": \"192.0.2.10\"}}"));
        store.watch(zone);
        // endregion
        assertThat(zone.isReady()).isTrue();
        assertThat(zone.skippedKeys()).isEmpty();
    }

    @Test
    void upstream() throws Exception {
        ClusterZone zone = ClusterZone.create();
        // region io.k8sdns.upstream
        SimpleResolver upstream = new SimpleResolver("192.0.2.53");
        upstream.setTimeout(Duration.ofSeconds(2));
        DnsResolver resolver = ResolverChain.of(zone).withUpstream(ForwardingResolver.over(upstream));
        // endregion
        resolver.resolve(Question.of(Name.fromConstantString("cluster.local."), A), Client.IN_PROCESS)
                .deliver(answer -> assertThat(answer.recursionAvailable()).isTrue());
    }

    @Test
    void forward() throws Exception {
        ClusterZone zone = ClusterZone.create();
        try (DnsServer server = DnsServer.start(
                ClusterZone.create(ZoneSettings.builder().zone("corp.example").build()), 0)) {
            String upstreamAddress = "127.0.0.1:" + server.port();
            // region io.k8sdns.forward
            UpstreamForwarder forwarder = UpstreamForwarder.start(
                    UpstreamZone.of(".", "192.0.2.53", "192.0.2.54"), UpstreamZone.of("corp.example", upstreamAddress));
            AnswerCache cache =
                    AnswerCache.builder(forwarder).capacityBytes(64L << 20).build();
            DnsResolver resolver = ResolverChain.of(zone)
                    .withUpstream(ForwardingResolver.builder(cache).build());
            // endregion
            Answer answer = resolver.resolve(Question.of("corp.example", RecordType.SOA), Client.IN_PROCESS)
                    .toStage()
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            forwarder.close();
            assertThat(answer.status()).isEqualTo(AnswerStatus.NOERROR);
        }
    }

    @Test
    void nodeCache() throws Exception {
        try (DnsServer clusterServer = DnsServer.start(ClusterZone.create(), 0)) {
            String clusterDns = "127.0.0.1:" + clusterServer.port();
            // region io.k8sdns.nodecache
            NodeCache cache = NodeCache.builder("cluster.local")
                    .zone(UpstreamZone.of("cluster.local", clusterDns))
                    .zone(UpstreamZone.of(".", "192.0.2.53"))
                    .start();
            DnsServer server = DnsServer.start(cache, 0);
            cache.requireOthers(server.addresses()); // throws if a server is this cache
            // endregion
            Answer answer = cache.resolve(Question.of("cluster.local", RecordType.SOA), Client.IN_PROCESS)
                    .toStage()
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            server.close();
            cache.close();
            assertThat(answer.status()).isEqualTo(AnswerStatus.NOERROR);
        }
    }

    @Test
    void wire() throws Exception {
        ClusterZone zone = ClusterZone.create();
        List<Message> sent = new ArrayList<>();
        ByteBuffer query = ByteBuffer.wrap(
                Message.newQuery(Record.newRecord(Name.fromConstantString("cluster.local."), Type.SOA, DClass.IN))
                        .toWire());
        DnsResponder.Sink transport = response -> sent.add(message(response));
        Client client = Client.builder(Client.Transport.UDP).build();
        // region io.k8sdns.wire
        DnsResponder responder = DnsResponder.builder(ResolverChain.of(zone)).build();
        DnsSession session = responder.session(); // for one thread
        session.respond(query, client, response -> transport.response(response));
        // endregion
        assertThat(sent.get(0).getRcode()).isEqualTo(Rcode.NOERROR);
    }

    private static Message message(ByteBuffer response) {
        try {
            return new Message(response);
        } catch (IOException malformed) {
            throw new AssertionError(malformed);
        }
    }

    @Test
    void verify() throws Exception {
        ClusterSnapshot cluster =
                ClusterSnapshot.of(List.of(Namespace.of("shop"), ClusterIpService.of("shop", "cart", "10.96.0.20")));
        ClusterZone zone = ClusterZone.of(cluster, ZoneSettings.DEFAULTS);
        try (DnsServer started = DnsServer.start(zone, 0)) {
            SimpleResolver server = new SimpleResolver(started.addresses().get(0));
            server.setTimeout(Duration.ofSeconds(60));
            // region io.k8sdns.verify
            for (Expectation one : Expectations.of(zone.current(), cluster, Visibility.ALL)) {
                Message response = server.send(one.query(1));
                assertThat(one.difference(response)).as(one.toString()).isEmpty();
            }
            // endregion
        }
    }

    @Test
    void manifest() throws Exception {
        Path deploy = ROOT.resolve("examples/bookstore");
        // region io.k8sdns.manifest
        ClusterSnapshot cluster = Manifests.read(deploy); // throws with all problems

        ManifestResult lenient = Manifests.read(List.of(ManifestInput.path(deploy)), ManifestOptions.DEFAULTS);
        lenient.diagnostics().forEach(System.out::println);
        // endregion
        assertThat(lenient.snapshot()).isEqualTo(cluster);
    }

    @Test
    void kubeDns() throws Exception {
        Path mounted = Files.createDirectory(folder.resolve("kube-dns"));
        Files.writeString(mounted.resolve("stubDomains"), "{\"acme.example\": [\"10.0.0.10\"]}");
        // region io.k8sdns.kubedns
        List<DnsLabels> zones = List.of(DnsLabels.parse("cluster.local"));
        KubeDnsConfigDirectory directory =
                new KubeDnsConfigDirectory(mounted, data -> KubeDnsConfig.parse(data, zones));
        directory.poll().ifPresent(config -> System.out.println(config.stubDomains()));
        // endregion
        assertThat(directory.current().stubDomains()).hasSize(1);
    }

    @Test
    void sockets() throws Exception {
        ClusterZone zone = ClusterZone.create();
        // region io.k8sdns.sockets
        try (DnsServer server = DnsServer.start(zone, 0)) {
            System.out.println("dig @127.0.0.1 -p " + server.port() + " cluster.local SOA");
        }
        // endregion
        assertThat(zone.current().nameCount()).isPositive();
    }

    @Test
    void micrometer() {
        ClusterZone zone = ClusterZone.create();
        MeterRegistry registry = new SimpleMeterRegistry();
        // region io.k8sdns.micrometer
        DnsResponder responder = DnsResponder.builder(ResolverChain.of(zone))
                .observer(new RequestMeters(registry))
                .build();
        // endregion
        responder.respond(ByteBuffer.allocate(1), Client.IN_PROCESS, response -> {});
        assertThat(registry.getMeters()).isNotEmpty();
    }
}
