package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.clientjava.ApiClusterSource;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.manifest.PodManifest;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordRules;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolvconf.KubeletDns;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.PodDns;
import io.k8sdns.resolvconf.PodDnsSpec;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolver;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.HostAdvice;
import io.k8sdns.search.HostAdvice.Suggestion;
import io.k8sdns.search.NdotsAdvisor;
import io.k8sdns.search.QueryPlan;
import io.k8sdns.search.QueryTrace;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.sockets.ServerLimits;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** The README's Java is code that runs: each block is a region of this class or of the example of a transport. */
class ReadmeTest {
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CONSOLE = Pattern.compile("```console\n(.*?)```", Pattern.DOTALL);
    private static final Pattern REGION = Pattern.compile("// region[a-z ]*\n(.*?) *// endregion", Pattern.DOTALL);

    @TempDir
    private Path folder;

    @Test
    void javaBlocksAreRegionsOfTestsThatRun() throws IOException {
        String readme = Files.readString(Run.ROOT.resolve("README.md"));
        assertThat(BLOCK.matcher(readme).results().map(match -> match.group(1)))
                .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                regions("tools/k8sdns-cli/src/test/java/io/k8sdns/cli/ReadmeTest.java"),
                                regions("k8sdns-server-embedded/src/test/java/io/k8sdns/wire/EmbeddingExampleTest.java")
                                        .filter(region -> region.contains("DatagramChannel")))
                        .toList());
    }

    /** What follows a line with a dollar is what the command of that line prints. */
    @Test
    void commandsPrintWhatTheReadmeShows() throws IOException {
        List<String> blocks = CONSOLE.matcher(Files.readString(Run.ROOT.resolve("README.md")))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(blocks).hasSizeGreaterThan(1);
        for (String block : blocks) {
            String[] parts = block.split("\n", 2);
            String[] command = parts[0].split(" \\| tee ", -1);
            Run run = Run.of(Stream.of(command[0].split(" ", -1))
                    .skip("$ ./k8sdns".split(" ", -1).length)
                    .map(this::located)
                    .toArray(String[]::new));
            assertThat(run.out()).as(parts[0] + run.err()).isEqualToNormalizingNewlines(parts[1]);
            if (command.length > 1) {
                Files.writeString(folder.resolve(command[1]), run.out());
            }
        }
    }

    /** Files stand in the checkout, or where a command before put them. */
    private String located(String argument) {
        return Stream.of(Run.ROOT, folder)
                .map(place -> place.resolve(argument))
                .filter(Files::isRegularFile)
                .findFirst()
                .map(Path::toString)
                .orElse(argument);
    }

    @Test
    void predictsWhatAPodFindsAndAsks() throws IOException {
        Path manifest = Run.ROOT.resolve("examples/pod.yaml");
        // region
        NodeDns node = NodeDns.builder()
                .clusterDns(IpAddress.parse("10.96.0.10"))
                .hostResolvConf("nameserver 192.0.2.53\n")
                .build();
        PodDnsSpec pod = PodManifest.read(ManifestInput.path(manifest)).spec(node);
        PodDns dns = KubeletDns.forPod(pod, node);
        // endregion
        assertThat(dns.resolvConf().render()).isEqualTo("""
                nameserver 10.96.0.10
                search shop.svc.cluster.local svc.cluster.local cluster.local corp.example
                options ndots:5 edns0
                """);
        // region
        AnswerScript answers = AnswerScript.of(Map.of("api.payments.example", "A"));
        for (Dialect resolver : List.of(Dialect.GLIBC, Dialect.MUSL_1_2_5, Dialect.GO)) {
            QueryTrace lookup = QueryPlan.of(dns.resolvConf(), "api.payments.example", resolver)
                    .run(answers);
            assertThat(lookup.queries()).hasSize(10);
        }
        // endregion
        // region
        NdotsAdvisor advisor =
                new NdotsAdvisor(dns.resolvConf().render(), Map.of(), List.of(Dialect.GLIBC, Dialect.MUSL_1_2_5));
        HostAdvice advice = advisor.advise("api.payments.example", answers);
        assertThat(advice.suggestions().stream().map(Suggestion::text))
                .containsExactly("ndots:2", "api.payments.example.");
        // endregion
    }

    private static Stream<String> regions(String file) throws IOException {
        return REGION.matcher(Files.readString(Run.ROOT.resolve(file)))
                .results()
                .map(match -> match.group(1).stripTrailing().stripIndent() + "\n");
    }

    @Test
    void predictsTheRecordsOfObjects() {
        // region
        ClusterSnapshot cluster = ClusterSnapshot.of(List.of(
                Namespace.of("shop"),
                HeadlessService.of("shop", "db", List.of(ServicePort.of("postgres", Protocol.TCP, 5432))),
                new EndpointSlice(
                        Metadata.of("shop", "db-1"),
                        Optional.of("db"),
                        AddressType.IPV4,
                        List.of(Endpoint.of(IpAddress.parse("192.0.2.10")).withHostname("db-0")),
                        List.of(EndpointPort.of("postgres", Protocol.TCP, 5432)))));
        ClusterZone zone = ClusterZone.of(cluster, new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);

        assertThat(zone.current().recordSets(DnsLabels.parse("cluster.local")).stream()
                        .flatMap(RecordSet::lines))
                .contains("db-0.db.shop.svc.cluster.local. 5 IN A 192.0.2.10");
        // endregion
    }

    @Test
    void predictsTheRecordsOfManifests() throws IOException {
        Path folder = Path.of(Run.BOOKSTORE);
        // region
        ClusterSnapshot cluster = Manifests.read(List.of(ManifestInput.path(folder)), ManifestOptions.DEFAULTS)
                .snapshot();
        // endregion
        ClusterZone zone = ClusterZone.of(cluster, new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
        assertThat(zone.current().recordSets(DnsLabels.parse("cluster.local")).stream()
                        .flatMap(RecordSet::lines))
                .contains("cart.shop.svc.cluster.local. 5 IN A 10.96.0.20");
    }

    @Test
    void embedsAResolver() throws IOException {
        // region
        ClusterZone zone = ClusterZone.empty(new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
        Resolver resolver = ResolverChain.of(zone);
        zone.apply(List.of(
                new ClusterChange.Put(Namespace.of("shop")),
                new ClusterChange.Put(
                        ClusterIpService.of("shop", "cart", List.of(IpAddress.parse("10.96.0.20")), List.of()))));

        Question question = new Question(Name.fromString("cart.shop.svc.cluster.local."), Type.A, DClass.IN);
        resolver.resolve(question, Client.IN_PROCESS)
                .deliver(answer -> answer.answer().forEach(System.out::println));
        // endregion
        Answer answer = resolver.resolve(question, Client.IN_PROCESS)
                .toStage()
                .toCompletableFuture()
                .join();
        assertThat(answer.answer())
                .singleElement()
                .satisfies(set ->
                        assertThat(set.lines()).containsExactly("cart.shop.svc.cluster.local. 5 IN A 10.96.0.20"));
    }

    @Test
    void runsAServer() throws IOException {
        ClusterZone zone = ClusterZone.empty(new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        // region
        DnsResponder responder = DnsResponder.builder(ResolverChain.of(zone)).build();
        DnsServer server = DnsServer.start(List.of(address), responder, ServerLimits.DEFAULTS);
        // endregion
        try (server;
                Asker asker = new Asker(server.addresses().get(0))) {
            assertThat(asker.ask(Name.fromString("cluster.local."), Type.SOA, Client.Transport.TCP)
                            .getRcode())
                    .isEqualTo(Rcode.NOERROR);
        }
    }

    @Test
    void followsALiveCluster() throws Exception {
        ClusterZone zone = ClusterZone.empty(new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
        Question question = new Question(Name.fromString("cart.shop.svc.cluster.local."), Type.A, DClass.IN);
        try (StubApi api = StubApi.answering()) {
            ApiClient client =
                    new ApiClient().setBasePath(api.url()).addDefaultHeader("Authorization", "Bearer secret");
            // region
            ZoneFeed feed = ZoneFeed.builder(zone, InstantSource.system()).build();
            Resolver resolver = ResolverChain.of(zone, feed::state, Optional.empty());
            try (ApiClusterSource source =
                    ApiClusterSource.builder(client).pods().build()) {
                source.start(feed);
                feed.synced().toCompletableFuture().get(30, TimeUnit.SECONDS);
                resolver.resolve(question, Client.IN_PROCESS)
                        .deliver(answer -> answer.answer().forEach(System.out::println));
            }
            // endregion
            assertThat(resolver.resolve(question, Client.IN_PROCESS)
                            .toStage()
                            .toCompletableFuture()
                            .join()
                            .answer())
                    .hasSize(1);
        }
    }
}
