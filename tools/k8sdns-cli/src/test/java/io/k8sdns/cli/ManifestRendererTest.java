package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code --render}, with scripts in place of the programs. */
@DisabledOnOs(OS.WINDOWS)
class ManifestRendererTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final String SERVICE =
            "{apiVersion: v1, kind: Service, metadata: {name: rendered}, spec: {clusterIP: 10.96.0.9, ports: [{port: 80}]}}";

    @TempDir
    Path folder;

    private Path programs;
    private Path app;
    private Path chart;

    @BeforeEach
    void makeInputs() throws IOException {
        programs = Files.createDirectories(folder.resolve("bin"));
        app = Files.createDirectories(folder.resolve("app; echo $(date)"));
        Files.writeString(app.resolve("kustomization.yaml"), "resources: []\n");
        chart = Files.createDirectories(folder.resolve("chart"));
        Files.writeString(chart.resolve("Chart.yaml"), "apiVersion: v2\nname: web\n");
    }

    private void program(String name, String script) throws IOException {
        Path file = Files.writeString(programs.resolve(name), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private ManifestRenderer renderer() {
        return new ManifestRenderer(programs.toString(), TIMEOUT, 1 << 20);
    }

    private String rendered(Path named) throws IOException {
        return new String(
                        renderer()
                                .render(named, "shop", Optional.empty())
                                .orElseThrow()
                                .open()
                                .readAllBytes(),
                        StandardCharsets.UTF_8)
                .strip();
    }

    @Test
    void aKustomizationIsRenderedByKubectlAndOtherwiseByKustomize() throws IOException {
        program("kustomize", "echo \"$0|$#|$1|$2\"");
        assertThat(rendered(app)).endsWith("kustomize|2|build|" + app);
        program("kubectl", "echo \"$0|$#|$1|$2\"");
        assertThat(rendered(app)).endsWith("kubectl|2|kustomize|" + app);
        assertThat(rendered(app.resolve("kustomization.yaml"))).endsWith("kubectl|2|kustomize|" + app);
        assertThat(renderer()
                        .render(app, "shop", Optional.empty())
                        .orElseThrow()
                        .command())
                .isEqualTo("kubectl kustomize '" + app + "'");
    }

    @Test
    void aChartIsRenderedByHelm() throws IOException {
        program("helm", "echo \"$#|$1|$2|$3|$4\"");
        String expected = "4|template|" + chart + "|--namespace|shop";
        assertThat(rendered(chart)).isEqualTo(expected);
        assertThat(rendered(chart.resolve("Chart.yaml"))).isEqualTo(expected);
        assertThat(renderer()
                        .render(chart, "shop", Optional.of("cart"))
                        .orElseThrow()
                        .command())
                .isEqualTo("helm template cart " + chart + " --namespace shop");
    }

    @Test
    void aDirectoryIsNeverAnOptionOrAUrl() throws IOException {
        program("helm", "echo \"$2\"");
        Path odd = Path.of("-h", "Chart.yaml");
        assertThat(rendered(odd)).isEqualTo(Path.of("-h").toAbsolutePath().toString());
    }

    @Test
    void otherManifestsAreNotRendered() throws IOException {
        assertThat(renderer().render(folder, "shop", Optional.empty())).isEmpty();
        assertThat(renderer().render(Files.writeString(folder.resolve("a.yaml"), SERVICE), "shop", Optional.empty()))
                .isEmpty();
    }

    @Test
    void aMissingProgramIsReported() {
        assertThatThrownBy(() -> rendered(app))
                .isInstanceOf(IOException.class)
                .hasMessage("--render: neither kubectl nor kustomize is on the PATH; it renders " + app);
        assertThatThrownBy(() -> rendered(chart)).hasMessage("--render: helm is not on the PATH; it renders " + chart);
    }

    @Test
    void theErrorsOfAProgramAreInTheMessage() throws IOException {
        program("helm", "echo half; echo 'values are missing' >&2; echo 'set a.b' >&2; exit 3");
        assertThatThrownBy(() -> rendered(chart))
                .hasMessage("--render: helm template " + chart
                        + " --namespace shop failed with exit code 3: values are missing set a.b");
    }

    @Test
    void aKustomizationWithChartsIsNotRendered() throws IOException {
        program("kubectl", "[ $# = 2 ] && echo 'x: must specify --enable-helm' >&2; exit 1");
        assertThatThrownBy(() -> rendered(app))
                .hasMessage("--render: kubectl kustomize '" + app
                        + "' failed with exit code 1: x: must specify --enable-helm; --render downloads no chart, use: "
                        + "kubectl kustomize --enable-helm '" + app + "'");
    }

    @Test
    void timeAndOutputAreLimited() throws IOException {
        program("helm", "echo a; exec sleep 600");
        ManifestRenderer impatient = new ManifestRenderer(programs.toString(), Duration.ofMillis(200), 1 << 20);
        assertThatThrownBy(() -> impatient.render(chart, "shop", Optional.empty()))
                .hasMessageContaining("did not end within");

        program("helm", "exec cat /dev/zero");
        assertThatThrownBy(() -> rendered(chart)).hasMessageEndingWith("printed more than 1 MiB");
        program("helm", "head -c 3000000 /dev/zero >&2; echo done");
        assertThat(rendered(chart)).isEqualTo("done");
    }

    @Test
    void programsThatARendererStartsEndWithIt() throws Exception {
        Path id = folder.resolve("id");
        program("helm", "sh -c 'sleep 600 & echo $! >\"" + id + "\"; wait' & wait");
        ManifestRenderer impatient = new ManifestRenderer(programs.toString(), Duration.ofSeconds(15), 1 << 20);
        assertThatThrownBy(() -> impatient.render(chart, "shop", Optional.empty()))
                .hasMessageContaining("did not end within");
        awaitEnd(id);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void programsWhoseParentEndsFirstEndWithTheRenderer() throws Exception {
        Path id = folder.resolve("id");
        program("helm", "sh -c 'sleep 600 >&- 2>&- & echo $! >\"" + id + "\"'; echo done");
        assertThat(rendered(chart)).isEqualTo("done");
        awaitEnd(id);

        program("helm", "sh -c 'sleep 600 & echo $! >\"" + id + "\"'; echo done");
        assertThat(rendered(chart)).isEqualTo("done");
        awaitEnd(id);

        program("helm", "sh -c 'sleep 600 & echo $! >\"" + id + "\"'; echo 'no values' >&2; exit 1");
        assertThatThrownBy(() -> rendered(chart)).hasMessageContaining("failed with exit code 1: no values");
        awaitEnd(id);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void programsThatAreStartedWhileTheOthersEndEndWithTheRenderer() throws Exception {
        String variable = "LEFT=" + UUID.randomUUID();
        program(
                "helm",
                "export " + variable
                        + "; (i=0; while [ $i -lt 300 ]; do sleep 60 & i=$((i+1)); done) >/dev/null 2>&1 & echo done");
        assertThat(rendered(chart)).isEqualTo("done");
        // A process that was killed may still have to run once. The sleeps last longer than this.
        List<ProcessHandle> left = with(variable);
        for (long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
                !left.isEmpty() && System.nanoTime() < until;
                left = with(variable)) {
            Thread.onSpinWait();
        }
        assertThat(left).isEmpty();
    }

    private static List<ProcessHandle> with(String variable) {
        return ProcessHandle.allProcesses()
                .filter(process -> has(process, variable))
                .toList();
    }

    private static boolean has(ProcessHandle process, String variable) {
        try {
            return Files.readString(
                            Path.of("/proc", String.valueOf(process.pid()), "environ"), StandardCharsets.ISO_8859_1)
                    .contains(variable);
        } catch (IOException ended) {
            return false;
        }
    }

    /** Waits for the end of the process whose id is in a file. */
    private static void awaitEnd(Path id) throws Exception {
        String process = Files.readString(id).strip();
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (isRunning(process)) {
            assertThat(System.nanoTime())
                    .as("process " + process + " still runs")
                    .isLessThan(until);
        }
    }

    /** A process that has ended stays a zombie if its parent does not wait for it, as in some containers. */
    private static boolean isRunning(String process) {
        if (!Files.isDirectory(Path.of("/proc/self"))) {
            return ProcessHandle.of(Long.parseLong(process)).isPresent();
        }
        try {
            return !Files.readString(Path.of("/proc", process, "stat")).contains(") Z ");
        } catch (IOException ended) {
            return false;
        }
    }

    @Test
    void theCommandReadsTheOutput() throws IOException, InterruptedException {
        program("kubectl", "echo '" + SERVICE + "'; echo 'commonLabels is deprecated' >&2");
        Program.Result result = records("--render", app.toString());
        assertThat(result.err())
                .contains("read 1 file: 1 Service")
                .containsOnlyOnce("warning: kubectl kustomize '" + app + "': commonLabels is deprecated");
        assertThat(result.out()).contains("rendered.default.svc.cluster.local. 5 IN A 10.96.0.9");
        assertThat(result.code()).isZero();

        program("kubectl", "echo 'no such base' >&2; exit 1");
        Program.Result failed = records("--render", app.toString());
        assertThat(failed.err())
                .contains("--render: kubectl kustomize '" + app + "' failed")
                .contains("no such base");
        assertThat(failed.code()).isEqualTo(Main.FAILED);

        program("kubectl", "exit 0");
        Program.Result empty = records("--render", app.toString());
        assertThat(empty.err()).contains("no Kubernetes object in " + app);
        assertThat(empty.code()).isEqualTo(Main.INVALID);
    }

    @Test
    void theReleaseOfAChartHasTheNameOfTheOption() throws IOException, InterruptedException {
        program("helm", "echo '" + SERVICE.replace("rendered", "'$2'-web") + "'");
        assertThat(records("--render", "--release", "cart", chart.toString()).out())
                .contains("cart-web.default.svc.cluster.local. 5 IN A 10.96.0.9");
        assertThat(Run.of("records", "--release", "cart", chart.toString()).err())
                .contains("--release without --render");
        for (String invalid : List.of("Cart", "a_b", "")) {
            Run run = Run.of("records", "--render", "--release=" + invalid, chart.toString());
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err()).contains("--release: not the name of a release: '" + invalid + "'");
        }
    }

    @Test
    void thePodOfAChartIsRendered() throws IOException, InterruptedException {
        program(
                "helm",
                "echo '{apiVersion: v1, kind: Pod, metadata: {name: '$2'}, spec: {containers: [{name: a, image: b}]}}'");
        Program.Result result = run(
                "resolvconf",
                "--render",
                "--release",
                "cart",
                "-f",
                chart.toString(),
                "--from",
                "default/cart",
                "--cluster-dns",
                "10.96.0.10");
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.out()).contains("search default.svc.cluster.local svc.cluster.local cluster.local");
        assertThat(Run.of("resolvconf", "--release", "cart", "-f", chart.toString())
                        .err())
                .contains("--release without --render");
    }

    private Program.Result records(String... arguments) throws IOException, InterruptedException {
        return run("records", arguments);
    }

    private Program.Result run(String name, String... arguments) throws IOException, InterruptedException {
        String[] command = new String[arguments.length + 5];
        command[0] = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        command[1] = "-cp";
        command[2] = System.getProperty("java.class.path");
        command[3] = Main.class.getName();
        command[4] = name;
        System.arraycopy(arguments, 0, command, 5, arguments.length);
        return Program.run(folder, Map.of("PATH", programs + ":/usr/bin:/bin"), command);
    }

    @Test
    void optionsThatDoNotFitAreRefused() {
        assertThat(Run.of("serve", "--render", "--watch", "-f", chart.toString())
                        .err())
                .contains("--render and --watch exclude each other");
        assertThat(Run.of("records", "--render", "--live").err()).contains("--render is for manifests");
        assertThat(Run.of("records", "--render", folder.resolve("bin").toString())
                        .err())
                .contains("warning: --render: nothing is rendered");
    }
}
