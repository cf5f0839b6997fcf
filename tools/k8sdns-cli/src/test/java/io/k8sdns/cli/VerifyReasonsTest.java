package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Law: each difference that {@code verify} finds has a reason, and what the reason says about addresses is true. */
@Timeout(300)
class VerifyReasonsTest {
    private static final String NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}";

    private static final String WORKLOAD = """
            apiVersion: apps/v1
            kind: %s
            metadata: {name: %s, namespace: shop}
            spec:
              replicas: %d
              %sselector: {matchLabels: {app: %s}}
              template:
                metadata: {labels: {app: %s}}
                spec: {containers: [{name: a, image: b}]}
            """;

    private static final String SLICE = """
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: api-1, namespace: shop, labels: {kubernetes.io/service-name: api}}
            addressType: IPv4
            ports: [{name: http, port: %d}]
            endpoints:
            - {addresses: [10.244.0.9], hostname: api-0}
            - {addresses: [10.244.0.10], conditions: {ready: %s}}
            - {addresses: [%s]}
            """;

    /** The forms of each object; a cluster has one of them, or none. */
    private static final List<List<String>> OBJECTS = List.of(
            services(
                    "cart",
                    "{clusterIP: 10.96.0.20, ports: [{name: http, port: 80}]}",
                    "{clusterIP: 10.96.0.21, ports: [{name: http, port: 81}]}",
                    "{clusterIP: 10.96.0.20, ports: [{name: http, port: 80}, {name: https, port: 443}]}",
                    "{clusterIP: 10.96.0.20, clusterIPs: [10.96.0.20, 'fd00:96::20'], ports: [{name: http, port: 80}]}",
                    "{type: ExternalName, externalName: example.com}",
                    "{clusterIP: None, selector: {app: web}, ports: [{name: http, port: 80}]}"),
            services(
                    "gone",
                    "{type: ExternalName, externalName: example.com}",
                    "{type: ExternalName, externalName: cart.shop.svc.cluster.local}"),
            services("web", "{clusterIP: None, selector: {app: web}, ports: [{name: http, port: 80}]}"),
            services(
                    "db",
                    "{clusterIP: None, selector: {app: db}, ports: [{name: sql, port: 5432}]}",
                    "{clusterIP: None, selector: {app: db}, ports: [{name: sql, port: 5433}], publishNotReadyAddresses: true}"),
            services("api", "{clusterIP: None, ports: [{name: http, port: 80}]}"),
            services("no-such-name", "{clusterIP: 10.96.0.22, ports: [{name: http, port: 80}]}"),
            IntStream.range(0, 4)
                    .mapToObj(replicas -> WORKLOAD.formatted("Deployment", "web", replicas, "", "web", "web"))
                    .toList(),
            IntStream.range(0, 4)
                    .mapToObj(replicas ->
                            WORKLOAD.formatted("StatefulSet", "db", replicas, "serviceName: db\n  ", "db", "db"))
                    .toList(),
            List.of(
                    SLICE.formatted(80, true, "10.244.0.11"),
                    SLICE.formatted(80, false, "10.244.0.12"),
                    SLICE.formatted(81, true, "192.0.2.7")),
            pods("10.244.0.20", "Running", "10.244.0.11", "Succeeded", "10.244.0.21", "Running"),
            List.of(
                    "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: ExternalIP, address: 192.0.2.7}]}}"));

    /** The data of the records that servers add, of each type. */
    private static final Map<Integer, List<String>> ADDED = Map.of(
            Type.A, List.of("10.244.0.99", "10.244.0.20", "192.0.2.7", "10.96.0.20"),
            Type.AAAA, List.of("fd00::99"),
            Type.SRV,
                    Stream.of("cart", "web", "api-7.api", "10-244-0-10.api", "10-244-0-99.api", "db-3.db", "_tcp.cart")
                            .map(name -> "0 9 82 " + name + ".shop.svc.cluster.local.")
                            .toList(),
            Type.PTR,
                    List.of("old.shop.svc.cluster.local.", "cart.shop.svc.cluster.local.", "router.example.com.", "."),
            Type.CNAME, List.of("example.net."),
            Type.TXT, List.of("2.0.0"));

    private static final Pattern OF_NO_OBJECT = Pattern.compile("(?:because: |; )([^;]*?) (?:is neither|are neither)");
    private static final Pattern OF_AN_OBJECT =
            Pattern.compile("(?:[A-Z]\\w+ [\\w./-]+|],) has the address ([0-9a-f.:]+[0-9a-f])");

    private static List<String> services(String name, String... specs) {
        return Stream.of(specs)
                .map(spec -> "{apiVersion: v1, kind: Service, metadata: {name: " + name + ", namespace: shop}, spec: "
                        + spec + "}")
                .toList();
    }

    private static List<String> pods(String... addressesAndPhases) {
        return IntStream.range(0, addressesAndPhases.length / 2)
                .mapToObj(i -> "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop, labels: {app: web}}, "
                        + "spec: {containers: [{name: a, image: b}]}, status: {phase: " + addressesAndPhases[2 * i + 1]
                        + ", podIPs: [{ip: " + addressesAndPhases[2 * i] + "}]}}")
                .toList();
    }

    @TempDir
    private Path folder;

    private Path cluster(String name, Random random) throws IOException {
        List<String> objects = new ArrayList<>(List.of(NAMESPACE));
        OBJECTS.forEach(forms -> {
            int chosen = random.nextInt(forms.size() + 1);
            if (chosen < forms.size()) {
                objects.add(forms.get(chosen));
            }
        });
        return Files.writeString(folder.resolve(name), String.join("\n---\n", objects));
    }

    private static ClusterSnapshot read(Path manifest) throws IOException {
        return Manifests.read(List.of(ManifestInput.path(manifest)), ManifestOptions.DEFAULTS)
                .snapshot();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4})
    void eachDifferenceHasATrueReason(int faults) throws IOException {
        int differences = 0;
        for (int seed = 0; seed < 40; seed++) {
            Random random = new Random(seed);
            Path expected = cluster("expected.yaml", random);
            ClusterSnapshot served = read(cluster("served.yaml", random));
            DnsResolver right = ResolverChain.of(ClusterZone.of(served, ZoneSettings.DEFAULTS));
            try (DnsServer server = DnsServer.start(
                    (question, client) ->
                            right.resolve(question, client).map(answer -> withFaults(question, answer, faults)),
                    0)) {
                List<String> lines = Run.of(
                                "verify", "--server", "127.0.0.1:" + server.port(), "--as-applied", expected.toString())
                        .lines();
                // Without a Service nothing is checked.
                for (int i = 0; i < lines.size() - 1; i += 2) {
                    assertThat(lines.get(i)).doesNotStartWith(" ");
                    assertThat(lines.get(i + 1))
                            .as(lines.get(i))
                            .matches("  because: \\S.*\\S")
                            .doesNotContain("null");
                    if (lines.get(i).matches(".* _(tcp|udp)[.].*: expected NXDOMAIN, .*")) {
                        assertThat(lines.get(i + 1)).matches(".*(there are none|no names below it)");
                    }
                    requireTrue(lines.get(i + 1), read(expected));
                    differences++;
                }
            }
        }
        assertThat(differences).isGreaterThan(500);
    }

    /** A server that answers nothing right must not make verify slow. */
    @Test
    void theLastQuestionsOfManyAreNotExplained() throws IOException {
        String services = IntStream.range(0, 260)
                .mapToObj(i -> services("s" + i, "{clusterIP: 10.96.1." + i % 250 + ", ports: [{name: a, port: 80}]}")
                        .get(0))
                .collect(Collectors.joining("\n---\n", NAMESPACE + "\n---\n", "\n"));
        Path expected = Files.writeString(folder.resolve("expected.yaml"), services);
        try (DnsServer server =
                DnsServer.start((question, client) -> new Resolution.Ready(Answer.failure(Rcode.SERVFAIL)), 0)) {
            List<String> lines = Run.of("verify", "--server", "127.0.0.1:" + server.port(), expected.toString())
                    .lines();
            String last = "  because: " + DifferenceReasons.NOT_EXPLAINED;
            assertThat(lines.indexOf(last)).isEqualTo(2 * DifferenceReasons.MAX_QUESTIONS + 1);
            assertThat(lines.size()).isGreaterThan(2 * DifferenceReasons.MAX_QUESTIONS + 3);
            assertThat(lines.get(lines.size() - 2)).isEqualTo(last);
        }
    }

    /** Returns the right answer to most questions; one more record for some, and SERVFAIL for others. */
    private static Answer withFaults(Question question, Answer answer, int faults) {
        int fault = faults == 0
                ? -1
                : Math.floorMod(question.name().hashCode() + question.type().number(), faults);
        if (fault == 0) {
            return Answer.failure(Rcode.SERVFAIL);
        }
        List<String> added = ADDED.getOrDefault(question.type().number(), List.of());
        if (fault != 1 || added.isEmpty()) {
            return answer;
        }
        List<Record> records = answer.answer().stream()
                .filter(set -> set.owner().equals(question.name()) && set.type().equals(question.type()))
                .flatMap(set -> set.records().stream())
                .collect(Collectors.toCollection(ArrayList::new));
        long ttl = records.isEmpty() ? 5 : records.get(0).getTTL();
        int chosen = Math.floorMod(question.name().hashCode() / faults, added.size());
        records.add(record(question, ttl, added.get(chosen)));
        return Answer.builder(Rcode.NOERROR)
                .answer(List.of(RecordSet.of(records)))
                .build();
    }

    private static Record record(Question question, long ttl, String data) {
        try {
            return Record.fromString(question.name(), question.type().number(), DClass.IN, ttl, data, Name.root);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void requireTrue(String reason, ClusterSnapshot expected) {
        String objects = expected.objects().toString();
        Matcher unknown = OF_NO_OBJECT.matcher(reason);
        if (unknown.find()) {
            assertThat(unknown.group(1).split(", ")).noneMatch(address -> hasAddress(objects, address));
        }
        Matcher known = OF_AN_OBJECT.matcher(reason);
        while (known.find()) {
            assertThat(hasAddress(objects, known.group(1))).as(reason).isTrue();
        }
    }

    private static boolean hasAddress(String objects, String address) {
        return Pattern.compile("(?<![\\d.])" + Pattern.quote(address) + "(?![\\d.])")
                .matcher(objects)
                .find();
    }
}
