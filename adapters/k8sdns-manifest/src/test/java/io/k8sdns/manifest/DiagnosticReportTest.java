package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiagnosticReportTest {
    private static final String COMMAND = "k8sdns serve -f -";

    private final List<ManifestInput> files = new ArrayList<>();

    private void file(String name, String... documents) {
        String text = String.join("\n---\n", documents);
        files.add(ManifestInput.stream(name, new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))));
    }

    private ManifestResult read() throws IOException {
        return Manifests.read(files, ManifestOptions.DEFAULTS);
    }

    private List<String> lines() throws IOException {
        return DiagnosticReport.lines(read(), COMMAND, false);
    }

    private static String service(String name, int port) {
        return "{apiVersion: v1, kind: Service, metadata: {name: %s}, spec: {clusterIP: 10.96.0.9, ports: [{port: %d}]}}"
                .formatted(name, port);
    }

    /** Adds objects of skipped kinds, so that there are too many notes to print them in full. */
    private void fillWithControllerRevisions() {
        file(
                "many.yaml",
                IntStream.range(0, 13)
                        .mapToObj(i -> "{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: d" + i + "}}")
                        .toArray(String[]::new));
    }

    private static List<Diagnostic> warnings(int count, String code) {
        return IntStream.range(0, count)
                .mapToObj(i -> Diagnostic.warning(code, ObjectRef.of("Namespace", "n" + i), "wrong " + i % 2)
                        .atPosition(new Position("a.yaml", i + 1)))
                .toList();
    }

    @Test
    void fewDiagnosticsArePrintedInFull() {
        List<Diagnostic> all = Stream.of(
                        List.of(Diagnostic.note("n", ObjectRef.of("Node", "x"), "text")),
                        warnings(1, "a"),
                        warnings(7, "b"))
                .flatMap(List::stream)
                .toList();

        assertThat(DiagnosticReport.lines(all, false))
                .containsExactly(
                        "warning: a.yaml:1: Namespace n0: wrong 0",
                        "warning: a.yaml:2: Namespace n1: wrong 1",
                        "warning: a.yaml:3: Namespace n2: wrong 0",
                        "warning: a.yaml:4: Namespace n3: wrong 1",
                        "warning: a.yaml:5: Namespace n4: wrong 0",
                        "warning: ... and 2 more of this sort (b; --verbose prints all)",
                        "warning: a.yaml:1: Namespace n0: wrong 0",
                        "note: Node x: text");
    }

    @Test
    void manyDiagnosticsAreCountedByKindWithAnExample() {
        List<Diagnostic> all = new ArrayList<>(List.of(Diagnostic.note("n", ObjectRef.of("Node", "x"), "text")));
        all.addAll(warnings(3, "odd"));
        all.addAll(Collections.nCopies(9, warnings(1, "even").get(0)));
        all.addAll(warnings(100, "invalid-address"));

        assertThat(DiagnosticReport.lines(all, false))
                .containsExactly(
                        "warning: 100 addresses are invalid, for example a.yaml:1: Namespace n0: wrong 0",
                        "warning: 9 Namespaces: wrong 0, for example a.yaml:1: Namespace n0",
                        "warning: a.yaml:1: Namespace n0: wrong 0",
                        "warning: a.yaml:2: Namespace n1: wrong 1",
                        "warning: a.yaml:3: Namespace n2: wrong 0",
                        "note: Node x: text",
                        "--verbose prints all 113 notes and warnings");
        assertThat(DiagnosticReport.lines(all, true)).hasSize(113).startsWith("note: Node x: text");
    }

    @Test
    void manyKindsOfProblemsEndInACount() {
        List<Diagnostic> all = IntStream.range(0, 30)
                .boxed()
                .flatMap(i -> warnings(i + 1, "code-" + i).stream())
                .toList();

        assertThat(DiagnosticReport.lines(all, false))
                .hasSize(20)
                .startsWith("warning: a.yaml:1: Namespace n0: wrong 0 (and 29 more of this sort)")
                .endsWith("and 66 notes and warnings of other sorts; --verbose prints all 465 notes and warnings");
    }

    @Test
    void reportCanBeLimitedToTenToTwentyLines() throws IOException {
        fillWithControllerRevisions();
        ManifestResult result = read();

        assertThat(DiagnosticReport.lines(result, COMMAND, 10)).hasSizeBetween(2, 10);
        for (int wrong : List.of(9, 21)) {
            assertThatThrownBy(() -> DiagnosticReport.lines(result, COMMAND, wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("10 to 20: " + wrong);
        }
    }

    @Test
    void objectGivenAgainUnchangedIsLessHarmfulThanOneThatDiffers() throws IOException {
        fillWithControllerRevisions();
        file("base.yaml", service("same", 80), service("other", 80));
        file("overlay.yaml", service("same", 80), service("other", 81));

        ManifestResult result = read();
        assertThat(result.diagnostics())
                .filteredOn(one -> one.text().startsWith("given before"))
                .extracting(Diagnostic::code)
                .containsExactly("given-again", "given-twice");
        assertThat(DiagnosticReport.lines(result, COMMAND, false))
                .containsSubsequence(
                        "warning: overlay.yaml:3: Service default/other: given before at base.yaml:3; this one is used"
                                + " and has no port 80/TCP",
                        "note: overlay.yaml:1: Service default/same: given before at base.yaml:1; this one is used;"
                                + " both are equal")
                .contains("1 warning");
    }

    @Test
    void kindsAreSortedAndInTheRightPlural() throws IOException {
        file(
                "all.yaml",
                Stream.of(
                                "networking.k8s.io/v1 NetworkPolicy",
                                "apps/v1 ControllerRevision",
                                "networking.k8s.io/v1 Ingress",
                                "storage.k8s.io/v1 StorageClass",
                                "gateway.networking.k8s.io/v1 Gateway",
                                "monitoring.coreos.com/v1 Prometheus",
                                "example.org/v1 Endpoints")
                        .flatMap(type -> Stream.of(type, type))
                        .map(type -> "{apiVersion: %s, kind: %s, metadata: {name: a}}"
                                .formatted((Object[]) type.split(" ", -1)))
                        .toArray(String[]::new));

        assertThat(lines())
                .contains("skipped 2 ControllerRevisions, 2 Endpoints, 2 Gateways, 2 Ingresses, 2 NetworkPolicies,"
                        + " 2 Prometheuses, 2 StorageClasses");
    }

    @Test
    void manyKindsOfCustomResourcesAreOnlyCounted() throws IOException {
        file(
                "all.yaml",
                Stream.concat(
                                Stream.of("{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: a}}"),
                                IntStream.range(0, 14)
                                        .mapToObj(i -> "{apiVersion: example.org/v1, kind: Kind%d, metadata: {name: a}}"
                                                .formatted(i / 2)))
                        .toArray(String[]::new));

        assertThat(lines()).contains("skipped 1 ControllerRevision, 14 custom resources of 7 kinds");
    }

    @Test
    void filesThatAreNotManifestsAreCounted() throws IOException {
        fillWithControllerRevisions();
        file("web.yaml", service("web", 80));
        file(".github/workflows/build.yaml", "{on: push, jobs: {build: {runs-on: linux}}}");
        file("compose.yaml", "services: {web: {image: web}}");
        file("empty.yaml", "");
        file("broken.yaml", "a: b: c");

        assertThat(lines())
                .startsWith(
                        "read 6 files: 1 Service",
                        "1 file is used, 1 file has only skipped objects, 3 files are not Kubernetes manifests,"
                                + " 1 file cannot be parsed")
                .filteredOn(line -> line.contains("compose.yaml"))
                .as("entries that the summary counts are not repeated")
                .isEmpty();
    }

    @Test
    void kindsOfOtherProgramsAreHarmlessAndMisspeltOnesAreNot() throws IOException {
        fillWithControllerRevisions();
        for (String document : List.of(
                "{apiVersion: skaffold/v3, kind: Config, metadata: {name: a}}",
                "{apiVersion: release-notes/v2, kind: bug-fix}",
                "{apiVersion: v1, kind: Servce, metadata: {name: web}}",
                "{apiVersion: apps/v1beta1, kind: StatefulSet, metadata: {name: db}}")) {
            file(document.substring(13, 17) + ".yaml", document);
        }

        assertThat(lines())
                .startsWith(
                        "read 5 files: no object that has records",
                        "3 files have only skipped objects, 2 files are not Kubernetes manifests",
                        "skipped 13 ControllerRevisions",
                        "2 warnings")
                .anyMatch(line -> line.contains("warning: v1, .yaml:1: Servce web: no matches for kind"))
                .anyMatch(line -> line.contains("warning: apps.yaml:1: StatefulSet db: no matches for kind"))
                .contains(
                        "note: 2 objects are of kinds that Kubernetes does not have, for example skaf.yaml:1: Config a");
    }

    @ParameterizedTest
    @CsvSource({
        "charts/web/Chart.yaml, charts/web/templates/svc.yaml, charts/web",
        "Chart.yaml, templates/svc.yaml, .",
        "a b/Chart.yaml, a b/templates/svc.yaml, 'a b'",
        "web/Chart.yaml, web/charts/db/templates/svc.yaml, web",
        "other.yaml, deploy/web/templates/svc.yaml, deploy/web"
    })
    void templatesAreReportedWithTheirChart(String chart, String template, String directory) throws IOException {
        file(chart, "{apiVersion: v2, name: web, version: 1.0.0}");
        file(template, "{apiVersion: v1, kind: Service, metadata: {name: {{ .Release.Name }}}");
        String word = directory.contains(" ") ? "'" + directory + "'" : directory;

        assertThat(lines())
                .contains("note: to read the chart: helm template " + word
                        + " | k8sdns serve -f -; for the names of a release: helm template NAME " + word
                        + " -f values.yaml | k8sdns serve -f -");
    }

    @Test
    void aChartWithoutTemplateActionsIsReported() throws IOException {
        file("web/Chart.yaml", "{apiVersion: v2, name: web, version: 1.0.0}");
        file("web/templates/svc.yaml", service("web", 80));

        assertThat(lines())
                .contains("note: to read the chart: helm template web | k8sdns serve -f -; for the names of a release: "
                        + "helm template NAME web -f values.yaml | k8sdns serve -f -");
    }

    @Test
    void aChartAmongManyNotesIsReported() throws IOException {
        file("web/Chart.yaml", "{apiVersion: v2, name: web, version: 1.0.0}");
        fillWithControllerRevisions();

        assertThat(lines())
                .anyMatch(line -> line.contains("; to read the chart: helm template web | k8sdns serve -f -; "));
    }

    @Test
    void templateOutsideOfAChartHasNoCommand() throws IOException {
        file("values.j2.yaml", "{apiVersion: v1, kind: Service, metadata: {name: {{ name }}}");

        assertThat(lines()).noneMatch(line -> line.contains("helm"));
    }

    @Test
    void kustomizationsAreReportedWithAnOverlay() throws IOException {
        fillWithControllerRevisions();
        file(
                "deploy/base/kustomization.yaml",
                "{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization, resources: [web.yaml]}");
        file("deploy/overlays/prod/kustomization.yaml", "resources: [../../base]");
        file("deploy/overlays/test/kustomization.yml", "{kind: Kustomization, resources: [../../base]}");

        assertThat(lines())
                .contains("note: 3 kustomizations are not built here; to read one of them: kubectl kustomize"
                        + " deploy/overlays/prod | k8sdns serve -f -")
                .anyMatch(line -> line.endsWith("3 files are kustomizations"));
    }

    @Test
    void kustomizationOfAnotherToolIsASkippedKind() throws IOException {
        file(
                "flux.yaml",
                "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: a}, spec: {}}");

        assertThat(lines()).noneMatch(line -> line.contains("kubectl kustomize"));
    }

    @Test
    void objectsWithoutARecordAreReportedOnce() throws IOException {
        fillWithControllerRevisions();
        file(
                "web.yaml",
                IntStream.range(0, 3)
                        .mapToObj(i -> ("{apiVersion: v1, kind: Service, metadata: {name: s%d}, "
                                        + "spec: {clusterIP: None, selector: {app: a}}}")
                                .formatted(i))
                        .toArray(String[]::new));

        assertThat(lines())
                .filteredOn(line -> line.contains("its selector matches no Pod"))
                .containsExactly(
                        "note: 3 Services: no record: its selector matches no Pod, for example web.yaml:1: Service"
                                + " default/s0");
    }

    @Test
    void verbosePrintsTheCommandsForKustomizationsAndChartsToo() throws IOException {
        file("app/kustomization.yaml", "{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization}");
        file("web/Chart.yaml", "{apiVersion: v2, name: web, version: 1.0.0}");
        file("z.yaml", "{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: d}}");

        List<String> lines = DiagnosticReport.lines(read(), COMMAND, true);

        assertThat(lines)
                .filteredOn(line -> line.startsWith("note: to "))
                .containsExactly(
                        "note: to read it: kubectl kustomize app | k8sdns serve -f -",
                        "note: to read the chart: helm template web | k8sdns serve -f -; for the names of a release: "
                                + "helm template NAME web -f values.yaml | k8sdns serve -f -");
        // Each is below the last line of its kind.
        assertThat(lines.get(lines.indexOf("note: to read it: kubectl kustomize app | k8sdns serve -f -") - 1))
                .contains("app/kustomization.yaml");
        assertThat(lines.get(lines.size() - 1)).contains("z.yaml");
    }

    @Test
    void verbosePrintsTheSummaryAndEverything() throws IOException {
        fillWithControllerRevisions();
        ManifestResult result = read();

        assertThat(DiagnosticReport.lines(result, COMMAND, true))
                .hasSize(14)
                .startsWith(
                        "read 1 file: no object that has records; skipped 13 ControllerRevisions",
                        "note: many.yaml:1: ControllerRevision d0: ControllerRevision of apps/v1 is not read");
    }
}
