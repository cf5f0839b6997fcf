package io.k8sdns.cli;

import static io.k8sdns.records.RecordType.A;
import static io.k8sdns.records.RecordType.PTR;
import static io.k8sdns.records.RecordType.SRV;
import static io.k8sdns.resolver.AnswerStatus.NXDOMAIN;
import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.ClusterDns;
import io.k8sdns.advice.HostAdvice;
import io.k8sdns.advice.HostAdvice.Suggestion;
import io.k8sdns.advice.NdotsAdvisor;
import io.k8sdns.clientjava.ApiClusterSource;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.manifest.PodManifest;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolvconf.KubeletDns;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.PodDns;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.Dialect;
import io.k8sdns.sockets.DnsClient;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.upstream.ForwardingResolver;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import io.kubernetes.client.openapi.ApiClient;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Resolver;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.Type;

/** Runs the Java code of the README: each block is a region of this class or of the example of a transport. */
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

    /** The lines after a command line are the output of that command. */
    @Test
    void commandsPrintTheOutputInTheReadme() throws IOException {
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

    /** Returns the path of a file that is in the checkout or was written by an earlier command. */
    private String located(String argument) {
        return Stream.of(Run.ROOT, folder)
                .map(place -> place.resolve(argument))
                .filter(Files::isRegularFile)
                .findFirst()
                .map(Path::toString)
                .orElse(argument);
    }

    @Test
    void predictsTheResolvConfAndTheQueriesOfAPod() throws IOException {
        Path manifest = Run.ROOT.resolve("examples/pod.yaml");
        // region
        PodDns pod = KubeletDns.forPod(PodManifest.read(manifest), NodeDns.ofClusterDns("10.96.0.10"));
        // endregion
        assertThat(pod.resolvConf().render()).isEqualTo("""
                nameserver 10.96.0.10
                search shop.svc.cluster.local svc.cluster.local cluster.local corp.example
                options ndots:5 edns0
                """);
        // region
        AnswerScript answers = AnswerScript.of(Map.of("api.payments.example", "A"));
        for (Dialect resolver : List.of(Dialect.GLIBC, Dialect.MUSL_1_2_5, Dialect.GO)) {
            QueryTrace lookup = QueryPlan.of(pod.resolvConf(), "api.payments.example", resolver)
                    .run(answers);
            assertThat(lookup.queries()).hasSize(10);
        }
        // endregion
        // region
        NdotsAdvisor advisor =
                new NdotsAdvisor(pod.resolvConf().render(), Map.of(), List.of(Dialect.GLIBC, Dialect.MUSL_1_2_5));
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

    /** Runs in a separate JVM, whose working directory contains the manifests at the path in the README. */
    @Test
    void predictsTheRecordsOfManifests() throws Exception {
        copy(Path.of(Run.BOOKSTORE), Files.createDirectory(folder.resolve("deploy")));
        Process program = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        absoluteClassPath(),
                        Prediction.class.getName())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(program.getInputStream().readAllBytes(), Charset.defaultCharset());
        assertThat(program.waitFor()).as(output).isZero();
        assertThat(output).contains(Prediction.DONE);
    }

    private static String absoluteClassPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    /** The first program of the README. */
    static final class Prediction {
        static final String DONE = "both names were looked up";

        private Prediction() {}

        public static void main(String[] args) throws IOException {
            // region
            ClusterDns dns = ClusterDns.of(Manifests.read(Path.of("deploy")));
            assertThat(dns.lookup("db-0.db.shop", A).addresses()).containsExactly("10.244.30.31");
            assertThat(dns.lookup("no.shop", A).status()).isEqualTo(NXDOMAIN);
            assertThat(dns.explain("no.shop", A).causes()).hasToString("[Service shop/no: no such Service]");
            // endregion
            System.out.println(DONE);
        }
    }

    @Test
    void predictsTheRecordsOfObjects() {
        // region
        ClusterDns dns = ClusterDns.of(ClusterSnapshot.of(List.of(
                Namespace.of("shop"),
                ClusterIpService.of("shop", "cart", "10.96.0.20"),
                HeadlessService.of("shop", "db", ServicePort.of("postgres", Protocol.TCP, 5432)),
                EndpointSlice.builder("shop", "db-1")
                        .service("db")
                        .endpoint(Endpoint.of("10.244.30.31").withHostname("db-0"))
                        .port(EndpointPort.of("postgres", Protocol.TCP, 5432))
                        .build(),
                ExternalNameService.of("shop", "pay", "pay.example.com"))));
        assertThat(dns.lookup("db-0.db.shop", A).addresses()).containsExactly("10.244.30.31");
        assertThat(dns.lookup("_postgres._tcp.db.shop", SRV).srvTargets()).hasSize(1);
        assertThat(dns.lookup("10.96.0.20", PTR).ptrTargets())
                .containsExactly(Name.fromConstantString("cart.shop.svc.cluster.local."));
        assertThat(dns.lookup("pay.shop", A).cnames()).containsExactly(Name.fromConstantString("pay.example.com."));
        assertThat(dns.records().stream().flatMap(RecordSet::lines))
                .contains("cart.shop.svc.cluster.local. 5 IN A 10.96.0.20");
        // endregion
    }

    @Test
    void servesALiveZone() throws Exception {
        List<Name> log = new CopyOnWriteArrayList<>();
        // region
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        DnsServer server = DnsServer.start(zone, 0); // UDP and TCP at 127.0.0.1, port server.port()
        zone.onChange(change -> log.addAll(change.names()));
        zone.await("cart.shop", A, Duration.ofSeconds(1));
        // endregion
        try (server;
                TestClient client = new TestClient(server.addresses().get(0))) {
            Message response =
                    client.ask(Name.fromString("cart.shop.svc.cluster.local."), Type.A, Client.Transport.TCP);
            assertThat(Answer.of(response).addresses()).containsExactly("10.96.0.20");
            zone.put(ClusterIpService.of("shop", "new", "10.96.0.21"));
            assertThat(log).contains(Name.fromString("new.shop.svc.cluster.local."));
        }
    }

    @Test
    void forwardsOtherNames() throws Exception {
        ClusterZone other =
                ClusterZone.create(ZoneSettings.builder().zone("example.com").build());
        other.put(ClusterIpService.of("shop", "pay", "192.0.2.7"));
        ClusterZone zone = ClusterZone.create();
        try (DnsServer upstream = DnsServer.start(other, 0)) {
            Resolver upstreamServer = new SimpleResolver(upstream.addresses().get(0));
            upstreamServer.setTimeout(Duration.ofSeconds(60));
            // region
            DnsResolver resolver = ResolverChain.of(zone).withUpstream(ForwardingResolver.over(upstreamServer));
            DnsServer server = DnsServer.start(resolver, 0);
            // endregion
            // region
            try (DnsClient client = new DnsClient()) {
                Question question = Question.of("pay.shop.svc.example.com", A);
                Answer answer = client.ask(question, server.address(), Duration.ofSeconds(30));
                assertThat(answer.addresses()).containsExactly("192.0.2.7");
            }
            // endregion
            server.close();
        }
    }

    @Test
    void tenantsSeeTheirNames() throws Exception {
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        // region
        ResolverChain shop = ResolverChain.of(zone.view(Visibility.ofNamespaces(Set.of("shop", "shared"))));
        ResolverChain nothing = ResolverChain.of(zone.view(Visibility.NOTHING));
        DnsResolver tenants =
                DnsResolver.byClient(client -> client.namespace().equals(Optional.of("shop")) ? shop : nothing);

        DnsResponder responder = DnsResponder.builder(tenants)
                .clients(client -> namespaceOf(client)
                        .map(namespace ->
                                client.toBuilder().namespace(namespace).build())
                        .orElse(client))
                .build();
        DnsServer server = DnsServer.builder(List.of(address), responder).start();
        // endregion
        Name cart = Name.fromConstantString("cart.shop.svc.cluster.local.");
        try (server;
                TestClient client = new TestClient(server.addresses().get(0))) {
            Message response = client.ask(cart, Type.A, Client.Transport.TCP);
            assertThat(Answer.of(response).addresses()).containsExactly("10.96.0.20");
        }
        List<AnswerStatus> statuses = new ArrayList<>();
        tenants.resolve(Question.of(cart, A), Client.IN_PROCESS).deliver(answer -> statuses.add(answer.status()));
        assertThat(statuses).containsExactly(NXDOMAIN);
    }

    private static Optional<String> namespaceOf(Client client) {
        return client.address()
                .filter(address -> address.getAddress().isLoopbackAddress())
                .map(address -> "shop");
    }

    @Test
    void followsALiveCluster() throws Exception {
        ClusterZone zone = ClusterZone.create();
        try (StubApi api = StubApi.answering()) {
            ApiClient client =
                    new ApiClient().setBasePath(api.url()).addDefaultHeader("Authorization", "Bearer secret");
            // region
            ApiClusterSource source = ApiClusterSource.follow(client, zone).awaitSynced(Duration.ofSeconds(30));
            // endregion
            source.close();
            assertThat(ClusterDns.of(zone).lookup("cart.shop", A).addresses()).containsExactly("10.96.0.20");
        }
    }
}
