package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The notes of the commands about a repository: manifests next to a chart, overlays of a kustomization, and other files. */
class RepositoryNotesTest {
    /** A command that reads standard input, to the end of the line or the next one. */
    private static final Pattern PIPED = Pattern.compile("\\| k8sdns ([^;\\n]+)");

    /** Documents with problems of many sorts, each of which has a line. */
    private static final String MANY_SORTS = """
            {apiVersion: v1, kind: Service, spec: {ports: [{port: 80}]}}
            ---
            {kind: Service, metadata: {name: x}, spec: {ports: [{port: 80}]}}
            ---
            {apiVersion: v1, kind: Servic, metadata: {name: y}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: z, namespace: lab}, spec: {clusterip: 10.96.0.9, ports: [{port: 80}]}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: a, namespace: lab}, spec: {ports: [{port: 80, protocol: XYZ}]}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: b, namespace: lab}, spec: {ports: [{port: 99999}]}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: c, namespace: lab}, spec: {ports: 5}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: lab, labels: {a b: c}}, spec: {containers: [{name: a, image: a}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: bad, namespace: lab}, spec: {}}
            ---
            {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: db-1, namespace: lab}}
            """;

    @TempDir
    private Path folder;

    private String root;

    private void file(String name, String text) throws IOException {
        Path path = folder.resolve("repo").resolve(name);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private static String web(String namespace, int port) {
        return """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: %s}
                spec: {clusterIP: 10.96.0.9, ports: [{port: %d, targetPort: 8080, protocol: TCP}], type: ClusterIP}
                """.formatted(namespace, port);
    }

    private static String of(String type, String name) {
        String[] parts = type.split(" ", -1);
        return "---\n{apiVersion: %s, kind: %s, metadata: {name: %s, namespace: shop}}\n"
                .formatted(parts[0], parts[1], name);
    }

    @BeforeEach
    void makeRepository() throws IOException {
        root = folder.resolve("repo").toString();
        file("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");
        file("charts/web/values.yaml", "replicas: 2\n");
        for (String name : List.of("one", "two", "three", "four")) {
            file("charts/web/templates/" + name + ".yaml", """
                    {{- if .Values.enabled }}
                    apiVersion: v1
                    kind: Service
                    metadata:
                      name: {{ .Release.Name }}
                    {{- end }}
                    """);
        }
        file(
                "deploy/base/kustomization.yaml",
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [web.yaml]\n");
        file(
                "deploy/base/web.yaml",
                web("shop", 80)
                        + of("apps/v1 ControllerRevision", "web")
                        + of("policy/v1 PodDisruptionBudget", "logs")
                        + of("networking.k8s.io/v1 Ingress", "web")
                        + of("networking.k8s.io/v1 Ingress", "api"));
        file("deploy/overlays/prod/kustomization.yaml", "resources: [../../base]\n");
        file("deploy/overlays/prod/web.yaml", web("shop", 81));
        file("deploy/overlays/test/kustomization.yaml", "resources: [../../base]\n");
        file("deploy/overlays/test/web.yaml", web("shop", 81));
        file("deploy/crd.yaml", of("apiextensions.k8s.io/v1 CustomResourceDefinition", "widgets.example.org"));
        file("deploy/namespaces.yaml", """
                {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: lab}}
                """);
        file("deploy/lab.yaml", web("lab", 80).replace("10.96.0.9", "10.96.0.300"));
        file(".github/workflows/build.yaml", "on: push\njobs: {build: {runs-on: linux}}\n");
        file("compose.yaml", "services: {web: {image: web}}\n");
        file("broken.yaml", "a: b: c\n");
    }

    private List<String> err(String... arguments) {
        Run run = Run.of(arguments);
        assertThat(run.code()).as(run.err()).isZero();
        return run.err().replace(root + "/", "").lines().toList();
    }

    @Test
    void recordsPrintsASummaryThenWhatIsMissingThenTheRest() {
        assertThat(err("records", root))
                .containsExactly(
                        "read 19 files: 2 Services, 2 Namespaces",
                        "6 files are used, 1 file has only skipped objects, 4 files are not Kubernetes manifests,"
                                + " 4 files are templates, 3 files are kustomizations, 1 file cannot be parsed",
                        "completed 2 Services",
                        "skipped 2 ControllerRevisions, 1 CustomResourceDefinition, 4 Ingresses, 2 PodDisruptionBudgets",
                        "9 warnings",
                        "warning: 4 files are templates, which are not rendered here, for example"
                                + " charts/web/templates/four.yaml:1; to read the chart: helm template charts/web"
                                + " | k8sdns records -f -; for the names of a release: helm template NAME charts/web"
                                + " -f values.yaml | k8sdns records -f -",
                        "warning: broken.yaml:1: the document is skipped: mapping values are not allowed here",
                        "warning: deploy/overlays/prod/web.yaml:1: Service shop/web: given before at"
                                + " deploy/base/web.yaml:1; this one is used and has no port 80/TCP, targetPort 8080 of port"
                                + " 80/TCP",
                        "warning: deploy/base/web.yaml:1: Service shop/web: given before at"
                                + " deploy/overlays/prod/web.yaml:1; this one is used and has no port 81/TCP, targetPort 8080"
                                + " of port 81/TCP",
                        "warning: deploy/overlays/test/web.yaml:1: Service shop/web: given before at"
                                + " deploy/base/web.yaml:1; this one is used and has no port 80/TCP, targetPort 8080 of port"
                                + " 80/TCP",
                        "warning: deploy/lab.yaml:4: Service lab/web, spec.clusterIP: not an IP address:"
                                + " \"10.96.0.300\"",
                        "note: deploy/lab.yaml:1: Service lab/web: no record: it has no cluster IP and is not headless",
                        "--verbose prints all 25 notes and warnings");
    }

    @Test
    void queryPrintsOnlyWhatConcernsTheName() {
        assertThat(err("query", "-f", root, "web.shop.svc.cluster.local"))
                .containsExactly(
                        "warning: deploy/overlays/prod/web.yaml:1: Service shop/web: given before at"
                                + " deploy/base/web.yaml:1; this one is used and has no port 80/TCP, targetPort 8080 of port"
                                + " 80/TCP",
                        "warning: deploy/base/web.yaml:1: Service shop/web: given before at"
                                + " deploy/overlays/prod/web.yaml:1; this one is used and has no port 81/TCP, targetPort 8080"
                                + " of port 81/TCP",
                        "warning: deploy/overlays/test/web.yaml:1: Service shop/web: given before at"
                                + " deploy/base/web.yaml:1; this one is used and has no port 80/TCP, targetPort 8080 of port"
                                + " 80/TCP",
                        "note: deploy/overlays/test/web.yaml:1: Service shop/web: completed: spec.ipFamilyPolicy"
                                + " SingleStack, spec.ipFamilies [IPv4]",
                        "note: 5 files were not read completely and may have more objects, for example broken.yaml:1:"
                                + " the document is skipped: mapping values are not allowed here; --verbose prints all",
                        "note: templates are not rendered; use helm template RELEASE charts/web | k8sdns query -f - NAME");
        assertThat(err("query", "-f", root, "web.lab.svc.cluster.local"))
                .hasSize(5)
                .noneMatch(line -> line.contains("shop"))
                .anyMatch(line -> line.contains("Service lab/web, spec.clusterIP: not an IP address"));
        assertThat(err("query", "-f", root, "--verbose", "web.lab.svc.cluster.local"))
                .anyMatch(line -> line.startsWith("read 19 files"))
                .anyMatch(line -> line.contains("Service shop/web"));
    }

    @Test
    void queryOfACleanNamePrintsOnlyWhatWasCompleted() {
        assertThat(Run.of("query", "-f", Run.BOOKSTORE, "cart.shop.svc.cluster.local")
                        .err()
                        .lines())
                .allMatch(line -> line.contains(" shop/cart") && line.contains("completed: "));
    }

    @Test
    void notesMarkInventedPodsAndAddresses() throws IOException {
        String web = """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec: {selector: {app: web}, ports: [{port: 80}]}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: shop}
                spec:
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec: {containers: [{name: web, image: web}]}
                """;
        file("web.yaml", web);
        String path = root + "/web.yaml";

        for (List<String> command : List.of(
                List.of("records", "--verbose", path),
                List.of("diff", "--verbose", path, path),
                List.of("explain", "--verbose", "-f", path, "web.shop.svc.cluster.local"))) {
            assertThat(Run.of(command).err().lines())
                    .as("%s", command)
                    .anyMatch(line -> line.matches(".*: Service shop/web: completed: .*"
                            + "spec\\.clusterIPs \\[[0-9.]+ \\(invented address\\)]"))
                    .anyMatch(line -> line.matches(".*Pod shop/web-deployment-1 \\(invented name\\): completed: .*"
                            + "status\\.podIPs \\[[0-9.]+ \\(invented address\\)]"));
        }
        assertThat(Run.of("query", "-f", path, "web.shop.svc.cluster.local")
                        .err()
                        .lines())
                .anyMatch(line -> line.contains("(invented address)"));
    }

    @Test
    void queryPrintsNotesOfTheServiceAtTheEndOfAnAlias() throws IOException {
        file("alias.yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: alias, namespace: lab}
                spec: {type: ExternalName, externalName: web.shop.svc.cluster.local}
                """);
        assertThat(err("query", "-f", root, "alias.lab.svc.cluster.local"))
                .anyMatch(line -> line.contains("Service shop/web: given before"));
    }

    @Test
    void queryPrintsNotesOfTheOwnersOfAnAddress() {
        assertThat(err("query", "-f", root, "9.0.96.10.in-addr.arpa", "PTR"))
                .anyMatch(line -> line.contains("Service shop/web: given before"));
        assertThat(err("query", "-f", root, "8.0.96.10.in-addr.arpa", "PTR"))
                .noneMatch(line -> line.contains("Service shop/web"));
    }

    @Test
    void queryPrintsNotesOfEndpoints() throws IOException {
        file("db.yaml", """
                {apiVersion: v1, kind: Service, metadata: {name: db, namespace: lab}, spec: {clusterIP: None, selector: {app: db}}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: good, namespace: lab, labels: {app: db}}, spec: {containers: [{name: a, image: a}]}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: bad, namespace: lab, labels: {app: db}}, spec: {}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: other, namespace: lab}, spec: {containers: [{name: a, image: a}]}}
                """);
        assertThat(err("query", "-f", root, "db.lab.svc.cluster.local"))
                .anyMatch(line -> line.contains("Pod lab/good"))
                .noneMatch(line -> line.contains("Pod lab/bad"))
                .noneMatch(line -> line.contains("Pod lab/other"));
    }

    @Test
    void queryPrintsSkippedPodsAndSlicesThatMayBelongToAService() throws IOException {
        file("db.yaml", """
                {apiVersion: v1, kind: Service, metadata: {name: db, namespace: lab}, spec: {clusterIP: None, selector: {app: db}}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: bad, namespace: lab, labels: {app: db}}, spec: {}}
                ---
                {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: db-1, namespace: lab}}
                ---
                {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: dbs, namespace: lab}}
                """);
        assertThat(err("query", "-f", root, "db.lab.svc.cluster.local"))
                .anyMatch(line -> line.contains("Pod lab/bad"))
                .anyMatch(line -> line.contains("EndpointSlice lab/db-1"))
                .noneMatch(line -> line.contains("EndpointSlice lab/dbs"));
    }

    @Test
    void queriesPrintsOnlyWhatConcernsTheNames() throws IOException {
        Path conf = Files.writeString(
                folder.resolve("pod.conf"),
                "nameserver 10.96.0.10\nsearch shop.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n");
        assertThat(err("queries", "--resolv-conf", conf.toString(), "-f", root, "web", "www.example.com"))
                .hasSize(7)
                .anyMatch(line -> line.contains("Service shop/web: given before at deploy/base/web.yaml:1"))
                .anyMatch(line ->
                        line.startsWith("note: templates are not rendered; use helm template RELEASE charts/web"))
                .anyMatch(line -> line.startsWith("note: 5 files were not read completely"))
                .noneMatch(line -> line.contains("lab/web"))
                .last()
                .asString()
                .contains("www.example.com");
    }

    /** The commands behind the pipes of notes need all arguments that the printing command got. */
    @Test
    void commandsInNotesAreNoUsageErrors() throws Exception {
        Path conf = Files.writeString(folder.resolve("pod.conf"), "nameserver 10.96.0.10\n");
        List<Run> runs = new ArrayList<>();
        runs.add(Run.of("records", root));
        runs.add(Run.of("query", "--verbose", "-f", root, "web.shop"));
        runs.add(Run.of("explain", "--verbose", "-f", root, "web.shop"));
        runs.add(Run.of("queries", "--verbose", "--resolv-conf", conf.toString(), "-f", root, "web"));
        runs.add(Run.of("diff", root, "-f", root));
        runs.add(Run.of("diff", root, root));
        try (RunningServer server = RunningServer.atFreePort(List.of(), root)) {
            runs.add(new Run(0, "", server.err()));
            runs.add(Run.of("verify", "--server", server.address(), root));
            runs.add(Run.of("verify", "--server", server.address(), "--as-applied", root));
            runs.forEach(RepositoryNotesTest::requireCommandsThatRun);
        }
    }

    private static void requireCommandsThatRun(Run run) {
        List<String> commands = PIPED.matcher(run.err())
                .results()
                .map(found -> found.group(1))
                .distinct()
                .toList();
        assertThat(commands).as(run.err()).isNotEmpty();
        for (String command : commands) {
            String[] arguments = command.split(" ", -1);
            assertThatCode(() -> Main.commandLine(arguments).parseArgs(arguments))
                    .as(command)
                    .doesNotThrowAnyException();
            // The server would not end.
            if (!command.startsWith("serve ")) {
                // Errors in usage that only the command finds end so.
                assertThat(Run.withInput("", arguments).err()).as(command).doesNotContain("--help)");
            }
        }
    }

    @Test
    void hiddenServicesAreReportedOnceWithTheirFilters() {
        assertThat(err("records", "--namespace", "lab", root))
                .filteredOn(line -> line.contains("hidden"))
                .containsExactly("note: 1 of 2 Services is hidden by --namespace");
        assertThat(err("records", "--namespace", "lab", "--labels", "app=a", root))
                .filteredOn(line -> line.contains("hidden"))
                .containsExactly("note: 2 of 2 Services are hidden by --namespace, --labels");
        assertThat(err("records", root)).noneMatch(line -> line.contains("hidden"));
        assertThat(err("query", "-f", root, "--namespace", "lab", "web.shop.svc.cluster.local"))
                .endsWith("note: hidden by --namespace: Service shop/web");
        assertThat(err("query", "-f", root, "--namespace", "lab", "web.lab.svc.cluster.local"))
                .noneMatch(line -> line.contains("hidden"));
    }

    @Test
    void manyFilesHaveAtMost24Lines() throws Exception {
        for (int i = 0; i < 60; i++) {
            file("charts/c" + i + "/Chart.yaml", "apiVersion: v2\nname: c\n");
            file("charts/c" + i + "/templates/a.yaml", "{{ .Values.a }}: {{ .Values.b }}\n");
            file("deploy/overlays/o" + i + "/web.yaml", web("shop", 100 + i));
            String kind = IntStream.rangeClosed(0, i % 30).mapToObj(n -> "a").reduce("Kind", String::concat);
            file("deploy/k" + i + ".yaml", of("example.org/v1 " + kind, "k"));
            file("deploy/bad" + i + ".yaml", web("ns" + i, 80).replace("10.96.0.9", "10.96.0.999"));
        }
        for (String name : List.of("a", "b")) {
            file("deploy/many-sorts-" + name + ".yaml", MANY_SORTS);
        }
        for (List<String> command : List.of(
                List.of("records", "--namespace", "lab", root),
                List.of("query", "-f", root, "web.shop.svc.cluster.local"),
                List.of("explain", "-f", root, "web.shop"))) {
            assertThat(err(command.toArray(String[]::new))).hasSizeLessThanOrEqualTo(24);
        }
        Run compared = Run.of("diff", root, root);
        assertThat(compared.code()).as("a chart is not rendered").isEqualTo(Main.INVALID);
        assertThat(compared.err().lines()).hasSizeLessThanOrEqualTo(24);
        String deploy = root + "/deploy";
        for (List<String> side : List.of(List.of(deploy), List.of("-f", deploy))) {
            assertThat(Run.of(List.of("diff", "--namespace", "shop", deploy), side.toArray(String[]::new))
                            .err()
                            .lines())
                    .hasSizeBetween(10, 24);
        }
        try (RunningServer server = RunningServer.atFreePort(List.of("--namespace", "lab"), root)) {
            assertThat(server.err().lines()).hasSizeBetween(10, 24);
            Run verified = Run.of("verify", "--server", server.address(), "--namespace", "lab", root);
            assertThat(verified.err().lines()).hasSizeBetween(10, 24);
        }
        Run strict = Run.of("records", "--strict", root);
        assertThat(strict.code()).isEqualTo(Main.INVALID);
        assertThat(strict.err().lines()).hasSizeLessThanOrEqualTo(24);
    }

    @Test
    void hintsOfStrictReadingNameTheCommand() {
        String chart = root + "/charts/web";
        assertThat(Run.of("query", "--strict", "-f", chart, "web.shop").err())
                .contains("helm template " + chart + " | k8sdns query -f - NAME; ")
                .doesNotContain("k8sdns records");
        assertThat(Run.of("verify", "--strict", "--server", "127.0.0.1:1", "-f", chart)
                        .err())
                .contains(" | k8sdns verify --server HOST:PORT -f -; ");
    }
}
