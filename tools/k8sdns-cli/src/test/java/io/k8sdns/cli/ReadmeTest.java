package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.Manifests;
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
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolver;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.sockets.ServerLimits;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** The README's Java is code that runs: each block is a region of this class or of the example of a transport. */
class ReadmeTest {
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern REGION = Pattern.compile("// region[a-z ]*\n(.*?) *// endregion", Pattern.DOTALL);

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
}
