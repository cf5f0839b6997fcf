package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that input without any object is invalid, unless it is a directory or a file that {@code diff} compares. */
@Timeout(300)
class EmptyInputTest {
    private static final String CONFIG_MAP = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}\n";

    @TempDir
    private Path folder;

    private String write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    private static void assertInvalid(Run run, String error) {
        assertThat(run.code()).as(run.err()).isEqualTo(Main.INVALID);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).last().asString().isEqualTo(error);
    }

    @ParameterizedTest
    @CsvSource({
        "records, records -f -",
        "records, records -q -f -",
        "query, query -f - cart.shop.svc.cluster.local",
        "explain, explain -f - cart.shop",
        "serve, serve --listen 127.0.0.1:0 -f -",
        "queries, queries --resolv-conf FILE -f - cart.shop",
        "verify, verify --server 127.0.0.1:53 -f -",
        "diff, diff -f - examples/bookstore",
        "diff, diff examples/bookstore -",
    })
    void emptyStandardInputIsInvalid(String command, String arguments) throws IOException {
        String[] words = arguments
                .replace("examples/bookstore", Run.BOOKSTORE)
                .replace("FILE", write("resolv.conf", "nameserver 10.96.0.10\n"))
                .split(" ", -1);
        assertInvalid(Run.withInput("", words), "k8sdns " + command + ": no Kubernetes object in standard input");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "# nothing but a comment\n---\n",
                "replicas: 2\n",
                "{apiVersion: v1, kind: List, items: []}\n",
            })
    void aFileWithoutAnObjectIsInvalid(String text) throws IOException {
        String file = write("values.yaml", text);
        assertInvalid(Run.of("records", "-f", file), "k8sdns records: no Kubernetes object in " + file + "");
        assertInvalid(
                Run.of("records", "-f", file, "-f", file), "k8sdns records: no Kubernetes object in the 2 manifests");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                CONFIG_MAP,
                "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}\n",
                "{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n",
                "{apiVersion: example.com/v1, kind: Shop, metadata: {name: a}}\n",
            })
    void anObjectOfAnyKindIsEnough(String text) throws IOException {
        Run run = Run.withInput(text, "records", "-f", "-");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(Run.of("records", "-f", write("empty.yaml", ""), "-f", write("more.yaml", text))
                        .code())
                .isZero();
    }

    /** All records of the chart are missing: an empty result would be wrong. */
    @ParameterizedTest
    @ValueSource(strings = {"records", "query", "explain", "verify", "serve", "diff"})
    void templatesAloneAreInvalid(String command) throws IOException {
        Path templates = Files.createDirectories(folder.resolve("web/templates"));
        Files.writeString(folder.resolve("web/Chart.yaml"), "apiVersion: v2\nname: web\n");
        Files.writeString(templates.resolve("a.yaml"), "{{ .Values.a }}: {{ .Values.b }}\n");
        String chart = folder.resolve("web").toString();
        List<String> words = new ArrayList<>(List.of(command, "-q", "-f", chart));
        words.addAll(
                switch (command) {
                    case "verify" -> List.of("--server", "127.0.0.1:53");
                    case "serve" -> List.of("--listen", "127.0.0.1:0");
                    case "records" -> List.of();
                    case "diff" -> List.of(Run.BOOKSTORE);
                    default -> List.of("cart.shop");
                });
        Run run = Run.of(words);
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .startsWith("k8sdns " + command + ": no Kubernetes object in " + chart
                        + ", because templates are not rendered; use helm template RELEASE " + chart + " | k8sdns "
                        + command
                        + " ")
                .hasLineCount(1);
        assertThat(Run.of("records", "-q", "-f", chart, "-f", Run.BOOKSTORE).code())
                .isZero();
    }

    @Test
    void aChartWithTemplatesIsNotCompared() throws IOException {
        Path chart = folder.resolve("web");
        Path templates = Files.createDirectories(chart.resolve("templates"));
        Files.writeString(chart.resolve("Chart.yaml"), "name: web\n");
        Files.writeString(templates.resolve("a.yaml"), "{{ .Values.a }}: {{ .Values.b }}\n");
        Files.writeString(templates.resolve("b.yaml"), CONFIG_MAP);
        Run run = Run.of("diff", "-q", chart.toString(), Run.BOOKSTORE);
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err())
                .startsWith("k8sdns diff: the chart " + chart + " cannot be compared, because its templates are not"
                        + " rendered; use helm template RELEASE " + chart + " | k8sdns diff - B, or --render");
    }

    /** Their names would seem to vanish, also beside objects that are read. */
    @Test
    void aDirectoryWithAChartIsNotCompared() throws IOException {
        Path chart = folder.resolve("deploy/web");
        Path templates = Files.createDirectories(chart.resolve("templates"));
        Files.createDirectories(chart.resolve("charts/db/templates"));
        Files.writeString(chart.resolve("Chart.yaml"), "name: web\n");
        Files.writeString(chart.resolve("charts/db/Chart.yaml"), "name: db\n");
        Files.writeString(chart.resolve("charts/db/templates/a.yaml"), "{{ .Values.a }}: {{ .Values.b }}\n");
        Files.writeString(templates.resolve("b.yaml"), "{{ .Values.a }}: {{ .Values.b }}\n");
        write("settings.yaml", CONFIG_MAP);
        for (Path directory : List.of(folder, folder.resolve("deploy"), templates)) {
            Run run = Run.of("diff", "-q", Run.BOOKSTORE, directory.toString());
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.out()).isEmpty();
            assertThat(run.err()).contains("helm template RELEASE " + chart + " | k8sdns diff A -");
        }
        assertThat(Run.of("diff", "-q", folder.toString(), Run.BOOKSTORE).err())
                .startsWith("k8sdns diff: the chart " + chart + " cannot be compared, because its templates are not"
                        + " rendered; compare what is not in it, or use helm template RELEASE " + chart
                        + " | k8sdns diff - B");
        // Templates of another program, whose names are unknown.
        Files.delete(chart.resolve("Chart.yaml"));
        Files.delete(chart.resolve("charts/db/Chart.yaml"));
        assertThat(Run.of("diff", "-q", folder.toString(), Run.BOOKSTORE).code())
                .isZero();
    }

    @Test
    void anObjectBesidesTemplatesIsEnough() throws IOException {
        write("template.yaml", "{{ .Values.a }}: {{ .Values.b }}\n");
        write("settings.yaml", CONFIG_MAP);
        Run run = Run.of("records", folder.toString());
        assertThat(run.code()).as(run.err()).isZero();
    }

    @Test
    void aDirectoryMayHaveNoObject() throws IOException {
        write("values.yaml", "replicas: 2\n");
        Run run = Run.of("records", folder.toString());
        assertThat(run.code()).as(run.err()).isZero();
    }

    @Test
    void aWatchedFileMayHaveNoObjectYet() throws Exception {
        try (RunningServer server = RunningServer.atFreePort(List.of("--watch"), write("later.yaml", ""))) {
            assertThat(server.address()).isNotEmpty();
        }
    }

    @Test
    void anEmptyFileCanBeCompared() throws IOException {
        Run run = Run.of(List.of("diff", "-o", "name", write("empty.yaml", ""), Run.BOOKSTORE));
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.lines()).contains("cart.shop.svc.cluster.local.");
    }
}
