package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Position;
import io.k8sdns.model.Service;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests options, summary, report and source. */
class ManifestsTest {
    private static final String WRONG = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, labels: {a: 1}}
            spec: {clusterIP: None, selector: {app: web}, ports: [{port: 0}]}
            ---
            a: b: c
            """;

    @TempDir
    private Path folder;

    @Test
    void readOfPathsReturnsTheClusterAndThrowsWithAllProblems() throws IOException {
        Path good = Files.writeString(folder.resolve("good.yaml"), """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec: {clusterIP: 192.0.2.1, ports: [{port: 80}]}
                """);
        assertThat(Manifests.read(good).objects(Service.class))
                .extracting(Service::name)
                .containsExactly("web");

        Path wrong = Files.writeString(folder.resolve("wrong.yaml"), WRONG);
        assertThatThrownBy(() -> Manifests.read(good, wrong))
                .isInstanceOf(ManifestException.class)
                .hasMessageStartingWith("3 problems in the manifests:\n  ")
                .hasMessageContaining("\n  " + wrong + ":3: Service default/web, metadata.labels[a]: ")
                .hasMessageContaining("spec.ports[0].port: ");
    }

    @Test
    void readOfPathsRefusesInputWithoutObjects() throws IOException {
        Path namespace = Files.writeString(
                folder.resolve("namespace.yaml"), "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
        Path empty = Files.createDirectory(folder.resolve("empty"));
        assertThatThrownBy(() -> Manifests.read(namespace))
                .isInstanceOf(ManifestException.class)
                .hasMessage("no Service, EndpointSlice or Pod in [" + namespace + "]");
        assertThatThrownBy(() -> Manifests.read(empty))
                .isInstanceOf(ManifestException.class)
                .hasMessage(empty + ": no .yaml, .yml or .json file in this directory");
    }

    @Test
    void readOfPathsRefusesDocumentsAndFilesThatAreNotObjects() throws IOException {
        String good = """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec: {clusterIP: 192.0.2.1, ports: [{port: 80}]}
                """;
        for (String other : List.of("metadata: {name: fragment}\n", "- a list\n", "text\n")) {
            Path file = Files.writeString(folder.resolve("web.yaml"), good + "---\n" + other);
            assertThatThrownBy(() -> Manifests.read(file))
                    .as(other)
                    .isInstanceOf(ManifestException.class)
                    .hasMessageStartingWith(file + ":6: ")
                    .hasMessageEndingWith("not a Kubernetes object");
        }
        Path web = Files.writeString(folder.resolve("web.yaml"), good);
        for (String nothing : List.of("", "\n", "# commented out\n", "---\n---\n")) {
            Path file = Files.writeString(folder.resolve("empty.yaml"), nothing);
            assertThatThrownBy(() -> Manifests.read(folder))
                    .as(nothing)
                    .isInstanceOf(ManifestException.class)
                    .hasMessage(file + ": empty, not a Kubernetes object");
        }
        Files.delete(folder.resolve("empty.yaml"));
        assertThat(Manifests.read(web)).isEqualTo(Manifests.read(folder));
    }

    @Test
    void readOfPathsRefusesMistakesThatAnApiServerAccepts() throws IOException {
        String slice = """
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: web-1, namespace: shop, labels: {kubernetes.io/service-name: wbe}}
                addressType: IPv4
                endpoints: [{addresses: [192.0.2.7]}]
                """;
        String alias = """
                apiVersion: v1
                kind: Service
                metadata: {name: pay, namespace: shop}
                spec: {externalName: pay.example.com, ports: [{port: 80}]}
                """;
        String twice =
                "{apiVersion: v1, kind: Service, metadata: {name: NAME}, spec: {clusterIP: 10.96.0.20, ports: [{port: 1}]}}";
        String overwritten = """
                {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {clusterIP: None, selector: {app: web}}}
                ---
                {apiVersion: v1, kind: Endpoints, metadata: {name: web}, subsets: [{addresses: [{ip: 192.0.2.7}]}]}
                """;
        Map<String, String> wrong = Map.of(
                overwritten,
                "a controller replaces its addresses with those of the Pods",
                slice,
                "no record: there is no Service wbe",
                slice.replace("k8s.io/v1", "k8s.io/v1beta1"),
                "no matches for kind \"EndpointSlice\"",
                slice.replace("discovery.k8s.io/v1", "discovery/v1"),
                "no matches for kind \"EndpointSlice\"",
                slice.replace("discovery.k8s.io/v1", "discover.k8s.io/v1"),
                "no matches for kind \"EndpointSlice\"",
                "{apiVersion: apps.k8s.io/v1, kind: StatefulSet, metadata: {name: db}}",
                "no matches for kind \"StatefulSet\"",
                "{apiVersion: v1, kind: List, items: [null]}",
                "not a Kubernetes object",
                alias,
                "spec.externalName: ignored, as spec.type is not ExternalName",
                twice.replace("NAME", "a") + "\n---\n" + twice.replace("NAME", "b"),
                "10.96.0.20 is that of Service default/a, too");
        for (Map.Entry<String, String> one : wrong.entrySet()) {
            Path file = Files.writeString(folder.resolve("wrong.yaml"), one.getKey());
            assertThatThrownBy(() -> Manifests.read(file))
                    .as(one.getKey())
                    .isInstanceOf(ManifestException.class)
                    .hasMessageContaining(one.getValue());
        }
        Path good = Files.writeString(folder.resolve("good.yaml"), twice.replace("NAME", "a"));
        Path empty = Files.createDirectory(folder.resolve("nothing"));
        assertThatThrownBy(() -> Manifests.read(good, empty))
                .hasMessage(empty + ": no .yaml, .yml or .json file in this directory");
        Path upperCase = Files.writeString(empty.resolve("f.YML"), alias);
        assertThatThrownBy(() -> Manifests.read(good, empty))
                .hasMessageContaining(upperCase + ": cannot be read: the extension must be .yaml, .yml or .json");
    }

    @Test
    void faultsOfAnObjectWithoutAValidNameAreAllReportedInTheOrderOfTheInput() throws IOException {
        Path first = Files.writeString(folder.resolve("first.yaml"), """
                apiVersion: v1
                kind: Service
                metadata: {name: Cart, namespace: shop}
                spec:
                  clusterip: 192.0.2.1
                  ports: [{port: 80000}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {namespace: shop}
                spec: {containers: [{name: a, image: a}], dnsPolcy: None}
                """);
        Path second = Files.writeString(folder.resolve("second.yaml"), WRONG);
        assertThatThrownBy(() -> Manifests.read(second, first)).isInstanceOfSatisfying(ManifestException.class, e -> {
            assertThat(e.diagnostics())
                    .extracting(Diagnostic::toString)
                    .anyMatch(line -> line.contains("Service shop/Cart, metadata.name: "))
                    .anyMatch(line -> line.contains("spec.clusterip"))
                    .anyMatch(line -> line.contains("spec.ports[0].port: ") && line.contains("80000"))
                    .anyMatch(line -> line.contains("a Pod without a name"))
                    .anyMatch(line -> line.contains("dnsPolcy"));
            List<Position> places = e.diagnostics().stream()
                    .map(one -> one.position().orElseThrow())
                    .toList();
            assertThat(places)
                    .isSortedAccordingTo(Comparator.comparing(
                                    (Position place) -> place.file().equals(first.toString()))
                            .thenComparing(Position::line));
        });
    }

    @Test
    void strictMakesEveryWarningAnErrorAndReportsAll() {
        assertThatThrownBy(() -> ManifestText.of(WRONG, ManifestOptions.DEFAULTS.withStrict()))
                .isInstanceOfSatisfying(ManifestException.class, e -> {
                    assertThat(e.diagnostics())
                            .extracting(Diagnostic::code)
                            .containsExactly("wrong-type", "invalid-port", "broken-document");
                    assertThat(e)
                            .hasMessageStartingWith(
                                    "3 problems in the manifests:\n  test.yaml:3: Service default/web, ");
                });
    }

    @Test
    void completedFieldsAreNotErrorsUnderStrict() {
        ManifestText text = ManifestText.of(
                "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}",
                ManifestOptions.DEFAULTS.withStrict());

        assertThat(text.notes()).isNotEmpty();
    }

    @Test
    void failedCompletionIsAnErrorUnderStrict() {
        assertThatThrownBy(() -> ManifestText.of(
                        "{apiVersion: v1, kind: Service, metadata: {name: web},"
                                + " spec: {ipFamilyPolicy: RequireDualStack, ports: [{port: 80}]}}",
                        ManifestOptions.DEFAULTS.withStrict()))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining("test.yaml:1: Service default/web, spec.ipFamilyPolicy");
    }

    @Test
    void anObjectGivenTwiceIsAnErrorUnderStrict() {
        String namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n";

        assertThatThrownBy(
                        () -> ManifestText.of(namespace + "---\n" + namespace, ManifestOptions.DEFAULTS.withStrict()))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining("given before at test.yaml:1; this one is used; both are equal");
    }

    @ParameterizedTest
    @CsvSource({
        "targetPort: 8080, targetPort: web, and has no targetPort 8080 of port 80/TCP",
        "targetPort: 80, targetPort: web, and has also targetPort web of port 80/TCP",
        "targetPort: 80, targetPort: 80, used; both are equal"
    })
    void anObjectGivenTwiceIsReportedWithItsDifferences(String first, String second, String what) {
        String service = "{apiVersion: v1, kind: Service, metadata: {name: h}, "
                + "spec: {clusterIP: None, ports: [{name: x, port: 80, %s}]}}\n";
        ManifestText text = ManifestText.asIs(service.formatted(first) + "---\n" + service.formatted(second));

        assertThat(text.warnings())
                .hasSize(1)
                .first()
                .asString()
                .contains("this one is used")
                .endsWith(what);
    }

    @Test
    void anUnreadableTargetPortIsADifference() {
        String service = "{apiVersion: v1, kind: Service, metadata: {name: h, labels: {a: 5}}, "
                + "spec: {clusterIP: None, ports: [{name: x, port: 80, targetPort: %s}]}}\n";
        ManifestText text = ManifestText.asIs(service.formatted("80") + "---\n" + service.formatted("70000"));

        assertThat(text.warnings())
                .hasSize(4)
                .anyMatch(line -> line.endsWith("this one is used and has also targetPort (unknown) of port 80/TCP"));
    }

    @Test
    void anInvalidTargetPortIsAnErrorUnderStrict() {
        assertThatThrownBy(() -> ManifestText.of(
                        "{apiVersion: v1, kind: Service, metadata: {name: h}, spec: {ports: [{port: 80, targetPort: -1}]}}",
                        ManifestOptions.DEFAULTS.withStrict()))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining("test.yaml:1: Service default/h, spec.ports[0].targetPort");
    }

    @Test
    void anAdditionalCheckHasPositionsCountsAndObeysStrict() throws IOException {
        String service = "\n{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {clusterIP: 10.0.0.1}}";
        Function<ClusterSnapshot, List<Diagnostic>> check = cluster -> cluster.objects(ClusterIpService.class)
                .map(one -> Diagnostic.warning("odd", one.ref(), "odd"))
                .toList();
        ManifestResult result = Manifests.read(input(service), ManifestOptions.DEFAULTS.withAsIs(), check);

        assertThat(result.diagnostics())
                .extracting(Diagnostic::toString)
                .containsExactly("test.yaml:2: Service default/web: odd");
        assertThat(result.summary()).endsWith("; 1 warning");
        assertThatThrownBy(() -> Manifests.read(input(service), ManifestOptions.DEFAULTS.withStrict(), check))
                .isInstanceOf(ManifestException.class);
    }

    private static List<ManifestInput> input(String text) {
        return List.of(
                ManifestInput.stream("test.yaml", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "items:", "items: null", "items: []"})
    void anEmptyListIsSilent(String items) {
        assertThat(ManifestText.asIs("apiVersion: v1\nkind: List\n" + items)
                        .result()
                        .diagnostics())
                .isEmpty();
    }

    @Test
    @SuppressWarnings("NullAway") // The arguments that a caller without NullAway may pass.
    void nullArgumentsAndUnreadableCollectionsAreReported() {
        List<ManifestInput> none = List.of();
        List<ManifestInput> unreadable = new AbstractList<>() {
            @Override
            public ManifestInput get(int index) {
                throw new IllegalStateException("closed");
            }

            @Override
            public int size() {
                return 1;
            }
        };

        assertNull("inputs", () -> Manifests.read(null, ManifestOptions.DEFAULTS));
        assertNull(
                "inputs[1]",
                () -> Manifests.read(Arrays.asList(ManifestInput.path(Path.of("a")), null), ManifestOptions.DEFAULTS));
        assertNull("options", () -> Manifests.read(none, null));
        assertNull("check", () -> Manifests.read(none, ManifestOptions.DEFAULTS, null));
        assertNull("defaultNamespace", () -> ManifestOptions.DEFAULTS.withDefaultNamespace(null));
        assertNull(
                "paths[0]",
                () -> WatchedManifests.read(
                        Collections.singletonList(null), ManifestOptions.DEFAULTS, any -> List.of(), any -> {}));
        assertNull("options", () -> WatchedManifests.read(List.of(), null, any -> List.of(), any -> {}));
        assertNull("check", () -> WatchedManifests.read(List.of(), ManifestOptions.DEFAULTS, null, any -> {}));
        assertNull("report", () -> WatchedManifests.read(List.of(), ManifestOptions.DEFAULTS, any -> List.of(), null));
        assertThatThrownBy(() -> Manifests.read(unreadable, ManifestOptions.DEFAULTS))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessage("inputs: cannot be read: java.lang.IllegalStateException: closed");
    }

    private static void assertNull(String name, ThrowingCallable call) {
        assertThatThrownBy(call).isExactlyInstanceOf(NullPointerException.class).hasMessage(name);
    }

    @Test
    void theDefaultNamespaceIsAValidName() {
        assertThatThrownBy(() -> ManifestOptions.DEFAULTS.withDefaultNamespace("A b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("A b");
    }

    @Test
    void theSummaryReportsServicesWhosePodsAreMissing() {
        ManifestText text = ManifestText.asApplied("""
                {apiVersion: v1, kind: Service, metadata: {name: db}, spec: {clusterIP: None, selector: {app: db}}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: ext}, spec: {type: ExternalName, externalName: 192.0.2.1}}
                ---
                {apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: db}}
                ---
                {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a}}
                ---
                {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: b}}
                ---
                a: b: c
                """);

        assertThat(text.result().summary())
                .isEqualTo("read 1 file: 2 Services; completed 1 Service; "
                        + "skipped 1 ControllerRevision, 2 NetworkPolicies; 1 warning; "
                        + "no record: Service default/db (its selector matches no Pod), "
                        + "Service default/ext (an external name is a name, not an address)");
    }

    @Test
    void completionNotesHaveThePlaceOfTheirObject() {
        ManifestText text = ManifestText.asApplied(
                "\n\n{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}\n");

        assertThat(text.notes()).hasSize(2);
        assertThat(text.notes().get(0).toString()).startsWith("defaulted test.yaml:3: Service");
        assertThat(text.notes().get(1).toString()).startsWith("completed-service test.yaml:3: Service");
    }

    @Test
    void defaultsOfTheApiServerAreReportedUnlessReadAsIs() {
        String service = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {clusterIP: 10.96.0.9, "
                + "ports: [{name: a, port: 80}, {name: b, port: 81, protocol: TCP, targetPort: 8081}]}}";

        assertThat(ManifestText.asApplied(service).notes().get(0).toString())
                .isEqualTo("defaulted test.yaml:1: Service default/web: completed: spec.type ClusterIP, "
                        + "spec.ports[0].protocol TCP, spec.ports[0].targetPort 80");
        assertThat(ManifestText.asIs(service).notes()).isEmpty();
    }

    @Test
    void theSourceDeliversTheObjectsOnce() {
        ManifestResult result = ManifestText.asIs(WRONG + "---\n{apiVersion: v1, kind: Namespace, metadata: {name: a}}")
                .result();
        List<Object> delivered = new ArrayList<>();
        ClusterSource.Sink sink = new ClusterSource.Sink() {
            @Override
            public void changed(List<ClusterChange> batch) {
                delivered.addAll(batch);
            }

            @Override
            public void stateChanged(SyncState state) {
                delivered.add(state);
            }

            @Override
            public void diagnosed(Diagnostic diagnostic) {
                delivered.add(diagnostic);
            }
        };
        try (ManifestSource source = ManifestSource.of(result)) {
            source.start(sink);

            assertThatThrownBy(() -> source.start(sink)).isInstanceOf(IllegalStateException.class);
        }
        List<Object> expected = new ArrayList<>(result.diagnostics());
        result.snapshot().objects().forEach(object -> expected.add(new ClusterChange.Put(object)));
        expected.add(SyncState.SYNCED);
        assertThat(delivered).isEqualTo(expected).contains(new ClusterChange.Put(Namespace.of("a")));
    }

    @Test
    void aClosedSourceDeliversNothing() {
        ManifestSource source = ManifestSource.of(ManifestText.asIs("").result());
        source.close();

        assertThatThrownBy(() -> source.start(new ClusterSource.Sink() {
                    @Override
                    public void changed(List<ClusterChange> batch) {
                        throw new AssertionError(batch);
                    }

                    @Override
                    public void stateChanged(SyncState state) {
                        throw new AssertionError(state);
                    }

                    @Override
                    public void diagnosed(Diagnostic diagnostic) {
                        throw new AssertionError(diagnostic);
                    }
                }))
                .isInstanceOf(IllegalStateException.class);
    }
}
