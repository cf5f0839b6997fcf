package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Diagnostic.Severity;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The fields of kustomizations that decide names. */
class KustomizationTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private void file(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static String service(String name) {
        return "{apiVersion: v1, kind: Service, metadata: {name: " + name
                + "}, spec: {clusterIP: None, ports: [{port: 80}]}}\n";
    }

    private static String statefulSet(String name, String service) {
        return "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: " + name + "}, spec: {serviceName: " + service
                + ", selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}},"
                + " spec: {containers: [{name: a, image: a}]}}}}\n";
    }

    private ManifestResult read(String... paths) throws IOException {
        List<ManifestInput> inputs = List.of(paths).stream()
                .map(path -> ManifestInput.path(folder.resolve(path)))
                .toList();
        return Manifests.read(inputs, ManifestOptions.DEFAULTS);
    }

    /** The Services and Nodes. */
    private static List<String> names(ManifestResult result) {
        return result.snapshot().objects().stream()
                .map(one -> one.ref().toString())
                .filter(ref -> ref.startsWith("Service ") || ref.startsWith("Node "))
                .sorted()
                .toList();
    }

    private static List<String> pods(ManifestResult result) {
        return result.snapshot()
                .objects(NamespacedObject.class)
                .map(NamespacedObject::ref)
                .filter(ref -> ref.kind().equals("Pod"))
                .map(ObjectRef::toString)
                .toList();
    }

    private List<String> problems(ManifestResult result, String code) {
        return result.diagnostics().stream()
                .filter(one -> one.code().equals(code))
                .map(this::line)
                .toList();
    }

    private String line(Diagnostic one) {
        return one.toString().replace(folder + "/", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"kustomization.yaml", "kustomization.yml", "Kustomization"})
    void namespacePrefixAndSuffixAreApplied(String name) throws IOException {
        file("app/" + name, "{namespace: shop, namePrefix: eu-, nameSuffix: -v2, resources: [web.yaml]}");
        file("app/web.yaml", service("web"));

        for (String path : List.of("", "app", "app/" + name)) {
            ManifestResult result = read(path);
            assertThat(names(result)).as(path).containsExactly("Service shop/eu-web-v2");
            assertThat(result.summary())
                    .startsWith("read 2 files: 1 Service; 1 file is used, 1 file is a kustomization");
        }
    }

    @Test
    void aNamespaceIsRenamedByTheNamespaceAndNotByThePrefix() throws IOException {
        file("kustomization.yaml", "{namespace: shop, namePrefix: eu-, resources: [all.yaml]}");
        file("all.yaml", """
                {apiVersion: v1, kind: Namespace, metadata: {name: base, labels: {a: b}}}
                ---
                {apiVersion: v1, kind: Node, metadata: {name: node}}
                """);

        ManifestResult result = read("");
        assertThat(names(result)).containsExactly("Node eu-node");
        assertThat(result.snapshot()
                        .objects(Namespace.class)
                        .filter(one -> one.labels().values().containsKey("a")))
                .extracting(Namespace::name)
                .containsExactly("shop");
        file("kustomization.yaml", "{namePrefix: eu-, resources: [all.yaml]}");
        assertThat(read("").snapshot().objects(Namespace.class))
                .extracting(Namespace::name)
                .contains("base");
    }

    @Test
    void prefixesOfOuterKustomizationsAreAddedToThoseOfInnerOnes() throws IOException {
        file("base/kustomization.yaml", "{namespace: base, namePrefix: a-, nameSuffix: -a, resources: [web.yaml]}");
        file("base/web.yaml", service("web"));
        file("prod/kustomization.yaml", "{namespace: prod, namePrefix: b-, nameSuffix: -b, resources: [../base]}");
        file("test/kustomization.yaml", "{namePrefix: c-, bases: [../base]}");

        ManifestResult result = read("");
        assertThat(names(result)).containsExactly("Service base/c-a-web-a", "Service prod/b-a-web-a-b");
        assertThat(problems(result, "given-again")).isEmpty();
    }

    @Test
    void entriesOfListsAreRenamedAlsoIfTheListHasTheirType() throws IOException {
        file("kustomization.yaml", "{namePrefix: a-, resources: [list.yaml, typed.yaml]}");
        file(
                "list.yaml",
                "{apiVersion: v1, kind: List, items: [" + service("web").strip() + "]}");
        file(
                "typed.yaml",
                "{items: [{metadata: {name: db}, spec: {clusterIP: None}}], kind: ServiceList, apiVersion: v1}");

        assertThat(names(read(""))).containsExactly("Service default/a-db", "Service default/a-web");
    }

    @Test
    void aComponentAlsoChangesTheResourcesListedBeforeIt() throws IOException {
        file("base/kustomization.yaml", "{resources: [web.yaml], namePrefix: base-}");
        file("base/web.yaml", service("web"));
        file("addon/kustomization.yaml", """
                apiVersion: kustomize.config.k8s.io/v1alpha1
                kind: Component
                namePrefix: addon-
                resources: [cache.yaml]
                """);
        file("addon/cache.yaml", service("cache"));
        file("kustomization.yaml", "{namePrefix: top-, resources: [base, db.yaml], components: [addon]}");
        file("db.yaml", service("db"));

        assertThat(names(read("")))
                .containsExactly(
                        "Service default/top-addon-base-web",
                        "Service default/top-addon-cache",
                        "Service default/top-addon-db");
    }

    @Test
    void theServiceNameOfAStatefulSetIsChangedWithTheService() throws IOException {
        file("base/kustomization.yaml", "{namePrefix: a-, resources: [db.yaml]}");
        file("base/db.yaml", service("db") + "---\n" + statefulSet("db", "db"));
        file("kustomization.yaml", "{namePrefix: b-, resources: [base, late.yaml]}");
        // Names the Service of the base by its first name.
        file("late.yaml", statefulSet("late", "db"));

        ManifestResult result = read("");
        assertThat(result.snapshot().objects(NamespacedObject.class).map(NamespacedObject::ref))
                .anyMatch(ref -> ref.toString().equals("Service default/b-a-db"));
        assertThat(pods(result)).containsExactlyInAnyOrder("Pod default/b-a-db-0", "Pod default/b-late-0");
        assertThat(subdomains(result)).containsExactly("b-a-db", "b-a-db");
    }

    @Test
    void aStatefulSetRefersToAServiceWhoseNamespaceAloneChanges() throws IOException {
        file("kustomization.yaml", "{namespace: shop, resources: [a.yaml, sub]}");
        file("a.yaml", service("db") + "---\n" + statefulSet("set", "db"));
        file("sub/kustomization.yaml", "{namePrefix: x-, resources: [b.yaml]}");
        file("sub/b.yaml", service("db"));

        ManifestResult result = read("");
        assertThat(result.snapshot()
                        .objects(NamespacedObject.class)
                        .map(one -> one.ref().toString()))
                .contains("Service shop/db", "Service shop/x-db");
        assertThat(subdomains(result)).containsExactly("db");
    }

    @Test
    void aReferenceToTheNameWithThePrefixAloneIsChangedToo() throws IOException {
        file("kustomization.yaml", "{namePrefix: a-, nameSuffix: -b, resources: [db.yaml]}");
        file("db.yaml", service("db") + "---\n" + statefulSet("set", "a-db"));

        assertThat(subdomains(read(""))).containsExactly("a-db-b");
    }

    private static List<String> subdomains(ManifestResult result) {
        return result.snapshot()
                .objects(Pod.class)
                .map(pod -> pod.subdomain().orElse("none"))
                .toList();
    }

    @Test
    void aServiceOutsideOfTheKustomizationDoesNotGiveItsName() throws IOException {
        file("a/kustomization.yaml", "{namePrefix: a-, resources: [db.yaml]}");
        file("a/db.yaml", statefulSet("db", "db"));
        file("b.yaml", service("db"));

        assertThat(subdomains(read(""))).containsExactly("db");
    }

    @Test
    void aStatefulSetRefersToTheServiceWithTheSamePrefix() throws IOException {
        file("base/kustomization.yaml", "resources: [db.yaml]");
        file("base/db.yaml", service("db") + "---\n" + statefulSet("db", "db"));
        file("one/kustomization.yaml", "{namePrefix: one-, resources: [../base]}");
        file("two/kustomization.yaml", "{namePrefix: two-, resources: [../base]}");
        file("kustomization.yaml", "{namePrefix: all-, resources: [one, two]}");

        ManifestResult result = read("");
        assertThat(pods(result)).containsExactlyInAnyOrder("Pod default/all-one-db-0", "Pod default/all-two-db-0");
        assertThat(subdomains(result)).containsExactlyInAnyOrder("all-one-db", "all-two-db");
    }

    @Test
    void filesThatNoKustomizationNamesAreReadAsBefore() throws IOException {
        file("app/kustomization.yaml", "{namePrefix: a-, resources: [web.yaml], patches: [{path: patch.yaml}]}");
        file("app/web.yaml", service("web"));
        file("app/patch.yaml", service("web").replace("80", "81"));
        file("app/other.yaml", service("other"));

        assertThat(names(read(""))).containsExactly("Service default/a-web", "Service default/other");
    }

    @Test
    void otherFieldsAreReportedOnce() throws IOException {
        file("base/kustomization.yaml", "resources: [web.yaml]\nimages: [{name: a}]\npatches: [{patch: a}]\n");
        file("base/web.yaml", service("web"));
        file("prod/kustomization.yaml", "resources: [../base]\npatches: [{patch: a}]\nvars: []\n");

        ManifestResult result = read("");
        assertThat(problems(result, "kustomization-fields"))
                .containsExactly("prod/kustomization.yaml:2: not applied: patches, images (base/kustomization.yaml:2)");
        assertThat(DiagnosticReport.lines(result, "k8sdns records -f -", false))
                .anyMatch(line -> line.startsWith("warning: ") && line.contains("not applied: patches"))
                .contains("note: to read it: kubectl kustomize " + folder + "/prod | k8sdns records -f -");
    }

    @ParameterizedTest
    @ValueSource(strings = {"helmCharts", "helmChartInflationGenerator"})
    void theCommandForAKustomizationWithChartsEnablesHelm(String field) throws IOException {
        file("base/kustomization.yaml", field + ": [{name: redis}]\n");
        file("prod/kustomization.yaml", "resources: [../base]\nimages: [{name: a}]\n");

        assertThat(DiagnosticReport.lines(read(""), "k8sdns records -f -", false))
                .contains(
                        "note: to read it: kubectl kustomize --enable-helm " + folder + "/prod | k8sdns records -f -");
    }

    @Test
    void fieldsWithoutEffectOnRecordsAreANote() throws IOException {
        file("kustomization.yaml", "{resources: [web.yaml], images: [{name: a}], commonAnnotations: {a: b}}");
        file("web.yaml", service("web"));

        assertThat(read("").diagnostics())
                .filteredOn(one -> one.code().equals("kustomization-fields"))
                .singleElement()
                .extracting(Diagnostic::severity)
                .isEqualTo(Severity.NOTE);
        assertThat(Manifests.read(folder).objects()).isNotEmpty();
        file("kustomization.yaml", "{resources: [web.yaml], patches: [{patch: a}]}");
        assertThatThrownBy(() -> Manifests.read(folder)).isInstanceOf(ManifestException.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    labels: [{pairs: {a: b}}]                                               | NOTE    | labels
                    labels: [{pairs: {a: b}, includeSelectors: false}]                      | NOTE    | labels
                    labels: [{pairs: {a: b}}, {pairs: {a: b}, includeSelectors: true}]      | WARNING | labels with includeSelectors
                    labels: [{pairs: {a: b}, fields: [{path: spec/selector, create: true}]}]| WARNING | labels with fields
                    commonLabels: {a: b}                                                    | WARNING | commonLabels
                    """)
    void labelsThatChangeSelectorsMayChangeRecords(String field, Severity severity, String name) throws IOException {
        file("kustomization.yaml", "resources: [web.yaml]\n" + field + "\n");
        file("web.yaml", service("web"));

        ManifestResult result = read("");
        assertThat(result.diagnostics())
                .filteredOn(one -> one.code().equals("kustomization-fields"))
                .extracting(Diagnostic::severity)
                .containsExactly(severity);
        assertThat(problems(result, "kustomization-fields"))
                .containsExactly("kustomization.yaml:2: not applied: " + name);
    }

    @Test
    void entriesThatCannotBeReadAreReportedAndTheOthersRead() throws IOException {
        file("outside.yaml", service("outside"));
        file("plain/web.yaml", service("plain"));
        file("app/kustomization.yaml", """
                resources:
                - web.yaml
                - https://example.com/web.yaml
                - github.com/example/app?ref=v1
                - missing.yaml
                - ../outside.yaml
                - ../plain
                - ../missing
                - kustomization.yaml
                - /etc/passwd
                - ""
                components: [web.yaml]
                """);
        file("app/web.yaml", service("web"));

        ManifestResult result = read("");
        assertThat(problems(result, "kustomization-resource"))
                .containsExactly(
                        "app/kustomization.yaml:3: \"https://example.com/web.yaml\" is not read: a URL, and nothing is"
                                + " downloaded",
                        "app/kustomization.yaml:4: \"github.com/example/app?ref=v1\" is not read: a URL, and nothing is"
                                + " downloaded",
                        "app/kustomization.yaml:5: \"missing.yaml\" is not read: no such file or directory",
                        "app/kustomization.yaml:6: \"../outside.yaml\" is not read: a file outside of the"
                                + " kustomization's directory, which kustomize refuses",
                        "app/kustomization.yaml:7: \"../plain\" is not read: the directory has no kustomization that can"
                                + " be read",
                        "app/kustomization.yaml:8: \"../missing\" is not read: no such file or directory",
                        "app/kustomization.yaml:9: \"kustomization.yaml\" is not read: a kustomization; name its"
                                + " directory",
                        "app/kustomization.yaml:10: \"/etc/passwd\" is not read: an absolute path",
                        "app/kustomization.yaml:12: \"web.yaml\" is not read: a file; a component is a directory");
        assertThat(names(result))
                .containsExactly("Service default/outside", "Service default/plain", "Service default/web");
    }

    @Test
    void entriesThatGiveObjectsAgainAreReportedBecauseKustomizeMayRefuseThem() throws IOException {
        file("base/kustomization.yaml", "resources: [web.yaml]");
        file("base/web.yaml", service("web"));
        file("one/kustomization.yaml", "{namePrefix: one-, resources: [../base]}");
        file("same/kustomization.yaml", "{namePrefix: one-, resources: [../base]}");
        file("app/kustomization.yaml", """
                namePrefix: app-
                resources:
                - ../base
                - ../one
                - ../base/
                - db.yaml
                - ./db.yaml
                - ../same
                """);
        file("app/db.yaml", service("db"));

        ManifestResult result = read("app");
        String refused = " may be refused by kustomize (may not add resource with an already registered id): ";
        assertThat(problems(result, "kustomization-repeated"))
                .containsExactly(
                        "app/kustomization.yaml:5: \"../base/\"" + refused
                                + "base/web.yaml is read twice with the same names",
                        "app/kustomization.yaml:7: \"./db.yaml\"" + refused
                                + "app/db.yaml is read twice with the same names",
                        "app/kustomization.yaml:8: \"../same\"" + refused
                                + "base/web.yaml is read twice with the same names");
        assertThat(names(result))
                .containsExactly("Service default/app-db", "Service default/app-one-web", "Service default/app-web");
        assertThatThrownBy(() -> Manifests.read(folder.resolve("app"))).isInstanceOf(ManifestException.class);
    }

    @Test
    void repeatedFieldsOfARenamedObjectAreReported() throws IOException {
        file("kustomization.yaml", "{namePrefix: a-, resources: [web.yaml]}");
        file("web.yaml", service("web").replace("{apiVersion", "{kind: Service, apiVersion"));

        assertThat(problems(read(""), "duplicate-field")).hasSize(1);
    }

    @Test
    void watchedFilesHaveANoteThatKustomizationsAreNotApplied() throws IOException {
        file("kustomization.yaml", "{namePrefix: a-, resources: [web.yaml]}");
        file("web.yaml", service("web"));
        List<ManifestResult> reports = new ArrayList<>();

        WatchedManifests.read(List.of(folder), ManifestOptions.DEFAULTS, any -> List.of(), reports::add)
                .close();
        assertThat(names(reports.get(0))).containsExactly("Service default/web");
        assertThat(problems(reports.get(0), "kustomization-followed")).hasSize(1);
        assertThat(problems(read(""), "kustomization-followed")).isEmpty();
    }

    @Test
    void hostNamesAreThoseOfTheChangedNamespace() throws IOException {
        file("kustomization.yaml", "{namespace: shop, namePrefix: a-, resources: [web.yaml]}");
        file("web.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {DB_HOST: db}}");

        assertThat(HostUses.in(List.of(ManifestInput.path(folder)), "default", (namespace, word) -> false))
                .singleElement()
                .satisfies(use -> assertThat(use.object().toString()).isEqualTo("ConfigMap shop/a-web"));
    }

    @Test
    void cyclesAreReportedAndAllObjectsAreRead() throws IOException {
        file("a/kustomization.yaml", "{namePrefix: a-, resources: [../b, a.yaml, ., ..]}");
        file("a/a.yaml", service("a"));
        file("b/kustomization.yaml", "{namePrefix: b-, resources: [../a, b.yaml]}");
        file("b/b.yaml", service("b"));

        ManifestResult result = read("");
        assertThat(problems(result, "kustomization-resource"))
                .anyMatch(line -> line.startsWith("b/kustomization.yaml:1: \"../a\" is not read: a cycle"))
                .anyMatch(line -> line.startsWith("a/kustomization.yaml:1: \".\" is not read: a cycle"))
                .hasSize(3);
        assertThat(names(result)).containsExactly("Service default/a-a", "Service default/a-b-b");
    }

    @Test
    void kustomizationsThatShareResourcesAreReadUpToALimit() throws IOException {
        for (int i = 0; i < 60; i++) {
            String next = i == 59 ? "web.yaml" : "../" + (i + 1);
            String other = i == 59 ? "web.yaml" : "../" + (i + 1) + "/";
            file(i + "/kustomization.yaml", "{namePrefix: a, resources: [" + next + ", " + other + "]}");
        }
        file("59/web.yaml", service("web"));
        file("z.yaml", service("z"));

        ManifestResult result = inTime(() -> read(""));
        assertThat(problems(result, "kustomization-limit")).hasSize(1);
        assertThat(names(result)).contains("Service default/z").anyMatch(name -> name.endsWith("aaaweb"));
    }

    @Test
    void aDeepChainEnds() throws IOException {
        for (int i = 0; i < 300; i++) {
            file(i + "/kustomization.yaml", "resources: [../" + (i + 1) + "]");
        }
        file("300/kustomization.yaml", "resources: [web.yaml]");
        file("300/web.yaml", service("web"));

        ManifestResult result = inTime(() -> read(""));
        assertThat(problems(result, "kustomization-resource"))
                .anyMatch(line -> line.contains("nested deeper than 100"));
        assertThat(names(result)).containsExactly("Service default/web");
    }

    @Test
    void thousandsOfNamesThatChangeHundredsOfTimesExceedTheLimit() throws IOException {
        file(
                "a/c/kustomization.yaml",
                "{apiVersion: kustomize.config.k8s.io/v1alpha1, kind: Component, namePrefix: a}");
        file("a/web.yaml", services(10_000));
        file("a/kustomization.yaml", "resources: [web.yaml]\ncomponents:\n" + "- c\n".repeat(900));
        file("b/kustomization.yaml", "{namePrefix: b-, resources: [z.yaml]}");
        file("b/z.yaml", service("z"));

        ManifestResult result = inTime(() -> read(""));
        assertThat(problems(result, "kustomization-limit"))
                .singleElement()
                .asString()
                .startsWith("a/kustomization.yaml: the names are not changed");
        assertThat(names(result)).hasSize(10_001).contains("Service default/web-0", "Service default/z");
    }

    @Test
    void aNameThatChangesHundredsOfTimesIsFollowed() throws IOException {
        file("c/kustomization.yaml", "{apiVersion: kustomize.config.k8s.io/v1alpha1, kind: Component, namePrefix: a}");
        file("web.yaml", services(1_000) + "---\n" + statefulSet("set", "a".repeat(20) + "web-7"));
        file("kustomization.yaml", "resources: [web.yaml]\ncomponents:\n" + "- c\n".repeat(40));

        ManifestResult result = inTime(() -> read(""));
        assertThat(problems(result, "kustomization-limit")).isEmpty();
        assertThat(names(result)).contains("Service default/" + "a".repeat(40) + "web-7");
        assertThat(subdomains(result)).containsExactly("a".repeat(40) + "web-7");
    }

    private static String services(int count) {
        return IntStream.range(0, count).mapToObj(i -> service("web-" + i)).collect(Collectors.joining("---\n"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 12_000})
    void thousandsOfStatefulSetsOfOneServiceAreReadInTime(int namespaces) throws IOException {
        StringBuilder objects = new StringBuilder();
        for (int i = 0; i < 12_000; i++) {
            String metadata = "metadata: {namespace: ns" + i % namespaces + ", name: ";
            objects.append(service("db").replace("metadata: {name: ", metadata)).append("---\n");
            objects.append(statefulSet("set" + i, "db").replace("metadata: {name: ", metadata))
                    .append("---\n");
        }
        file("kustomization.yaml", "{namePrefix: a-, resources: [db.yaml]}");
        file("db.yaml", objects.toString());

        ManifestResult result = inTime(() -> read(""));
        assertThat(subdomains(result)).hasSize(12_000).containsOnly("a-db");
    }

    @Test
    void thousandsOfServicesWithOneEarlierNameExceedTheLimit() throws IOException {
        StringBuilder overlays = new StringBuilder("resources:\n");
        for (int i = 0; i < 3_000; i++) {
            overlays.append("- ").append(i).append('\n');
            file(i + "/kustomization.yaml", "{namePrefix: p" + i + "-, resources: [../base]}");
        }
        file("base/kustomization.yaml", "resources: [db.yaml]");
        file("base/db.yaml", service("db") + "---\n" + statefulSet("set", "db"));
        file("kustomization.yaml", overlays.toString());

        ManifestResult result = inTime(() -> read(""));
        assertThat(problems(result, "kustomization-limit"))
                .singleElement()
                .asString()
                .startsWith("kustomization.yaml: the names are not changed");
        assertThat(names(result)).containsExactly("Service default/db");
        assertThat(subdomains(result)).containsExactly("db");
    }

    private interface Reading {
        ManifestResult read() throws IOException;
    }

    private static ManifestResult inTime(Reading reading) {
        return assertTimeoutPreemptively(SOON, reading::read);
    }
}
