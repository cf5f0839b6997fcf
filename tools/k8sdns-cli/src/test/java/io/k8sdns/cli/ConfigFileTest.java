package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Tests {@code serve --config}. */
@Timeout(300)
class ConfigFileTest {
    @TempDir
    private Path folder;

    private String config(String text) throws IOException {
        return Files.writeString(folder.resolve("k8sdns.yaml"), text).toString();
    }

    private static Record first(RunningServer server, String name) throws IOException {
        try (TestClient client = server.client()) {
            Message answer = client.ask(Name.fromString(name), Type.A, io.k8sdns.resolver.Client.Transport.UDP);
            return answer.getSection(Section.ANSWER).get(0);
        }
    }

    @Test
    void keysAreOptions() throws Exception {
        String config = config("""
                # a comment
                listen: 127.0.0.1:0
                filename: ["%s"]
                zone: [k8s.example, cluster.local]
                ttl: 30
                as-is: false
                no-bare-srv: true
                """.formatted(Run.BOOKSTORE));
        try (RunningServer server = RunningServer.with("--config", config)) {
            Record record = first(server, "cart.shop.svc.k8s.example.");
            assertThat(record.rdataToString()).isEqualTo("10.96.0.20");
            assertThat(record.getTTL()).isEqualTo(30);
            assertThat(first(server, "cart.shop.svc.cluster.local.").getTTL()).isEqualTo(30);
        }
    }

    @Test
    void optionsOfTheCommandLineWin() throws Exception {
        String config = config("""
                listen: 192.0.2.1:53
                filename: /no/such/folder
                zone: [k8s.example]
                ttl: 30
                """);
        try (RunningServer server = RunningServer.with(
                "--listen", "127.0.0.1:0", "--config", config, "--zone", "cluster.local", "--", Run.BOOKSTORE)) {
            assertThat(first(server, "cart.shop.svc.cluster.local.").getTTL()).isEqualTo(30);
        }
    }

    /** A server that starts finds its port in use; one whose options exclude each other does not come that far. */
    @TestFactory
    Stream<DynamicTest> optionsOfTheCommandLineReplaceThoseThatTheyExclude() {
        String manifests = "filename: [%s]\n".formatted(Run.BOOKSTORE);
        String reading = manifests + "watch: true\nas-is: true\nservice-cidr: [10.0.0.0/8]\npod-cidr: [10.0.0.0/8]\n"
                + "strict: true\nverbose: true\ndefault-namespace: shop\n";
        String live = "live: true\ncontext: staging\nstale-limit: 5\n";
        return Stream.of(
                        List.of(live, "-f", Run.BOOKSTORE),
                        List.of(live, Run.BOOKSTORE),
                        List.of("in-cluster: true", "-f", Run.BOOKSTORE),
                        List.of("kubeconfig: some\nstale-limit: 5", "--watch", Run.BOOKSTORE),
                        List.of(live, "--in-cluster"),
                        List.of("in-cluster: true", "--live"),
                        List.of("in-cluster: true", "--kubeconfig", "some"),
                        List.of(reading, "--live"),
                        List.of(reading, "--kubeconfig", "some"),
                        List.of(reading, "--in-cluster"),
                        List.of(manifests + "namespace: [shop]", "-A"),
                        List.of(manifests + "namespace-labels: a=b", "-A"),
                        List.of(manifests + "all-namespaces: true", "-n", "shop"),
                        List.of(manifests + "namespace-labels: a=b", "-n", "shop"),
                        List.of(manifests + "all-namespaces: true", "--namespace-labels", "a=b"),
                        List.of(manifests + "namespace: [shop]", "--namespace-labels", "a=b"),
                        List.of(manifests + "no-endpoints: true", "--ignore-empty-services"),
                        List.of(manifests + "ignore-empty-services: true", "--no-endpoints"),
                        List.of(manifests + "quiet: true", "--log-level", "warn"),
                        List.of(manifests + "log-level: warn", "-q"))
                .map(one -> dynamicTest(one.toString(), () -> {
                    try (RunningServer other = RunningServer.atFreePort(List.of(), Run.BOOKSTORE)) {
                        List<String> command = new ArrayList<>(
                                List.of("serve", "--config", config(one.get(0)), "--listen", other.address()));
                        command.addAll(one.subList(1, one.size()));
                        Run run = Run.of(command);
                        assertThat(run.err()).contains(other.address() + " is in use");
                        assertThat(run.code()).isEqualTo(Main.FAILED);
                    }
                }));
    }

    /** Otherwise an option of the file would be replaced, although both can be given, or both would be an error, although one wins. */
    @TestFactory
    Stream<DynamicTest> optionsThatAreReplacedExcludeEachOtherOnTheCommandLine() {
        String file = folder.resolve("kubeconfig").toString();
        Map<String, List<String>> options = Stream.of(
                        "--filename " + Run.BOOKSTORE,
                        "--watch",
                        "--render",
                        "--release web",
                        "--as-is",
                        "--service-cidr 10.0.0.0/8",
                        "--pod-cidr 10.0.0.0/8",
                        "--ready none",
                        "--default-namespace shop",
                        "--strict",
                        "--verbose",
                        "--live",
                        "--kubeconfig " + file,
                        "--context staging",
                        "--in-cluster",
                        "--stale-limit 5",
                        "--namespace shop",
                        "--namespace-labels a=b",
                        "--all-namespaces",
                        "--no-endpoints",
                        "--ignore-empty-services",
                        "--quiet",
                        "--log-level warn")
                .map(option -> List.of(option.split(" ", 2)))
                .collect(Collectors.toMap(option -> option.get(0), Function.identity()));
        return options.keySet().stream()
                .sorted()
                .flatMap(one -> ReplacedOptions.by(one).stream()
                        .sorted()
                        // kubectl's cluster and its files: the file of the command line is used.
                        .filter(other -> !(one + other).equals("--live--kubeconfig"))
                        .map(other -> dynamicTest(one + " " + other, () -> {
                            List<String> command = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0"));
                            command.addAll(options.get(one));
                            command.addAll(options.get(other));
                            if (!Stream.of("--live", "--kubeconfig", "--in-cluster")
                                    .anyMatch(command::contains)) {
                                command.add(Run.BOOKSTORE);
                            }
                            Run run = Run.of(command);
                            assertThat(run.err())
                                    .containsPattern(
                                            "exclude each other|is for (manifests|a live cluster)|not both|needs --live");
                            assertThat(run.code()).isEqualTo(Main.INVALID);
                        })));
    }

    @Test
    void sourcesOfOneFileExcludeEachOther() throws IOException {
        String config = config("filename: [%s]\nlive: true\n".formatted(Run.BOOKSTORE));
        Run run = Run.of("serve", "--config", config);
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("objects come from manifests or from a live cluster, not both");
    }

    @TestFactory
    Stream<DynamicTest> errorsNameFileAndLine() {
        String unknown = ": not the long name of an option of k8sdns serve that can be in a file";
        Map<String, String> errors = Map.ofEntries(
                Map.entry("ttl: 5\nlisten-on: a", ":2: unknown key 'listen-on'"),
                Map.entry("f: a", ":1: unknown key 'f'"),
                Map.entry("watsh: true", ":1: unknown key 'watsh'" + unknown + ", did you mean watch? (see"),
                Map.entry(
                        "ttl: 5\nservice_cidr: a",
                        ":2: unknown key 'service_cidr'" + unknown + ", did you mean service-cidr? (see"),
                Map.entry(
                        "noBareSrv: true",
                        ":1: unknown key 'noBareSrv'" + unknown + ", did you mean no-bare-srv? (see"),
                Map.entry("cofnig: a", ":1: unknown key 'cofnig'" + unknown + " (see"),
                Map.entry("--ttl: 5", ":1: unknown key '--ttl'" + unknown + ", did you mean ttl? (see"),
                Map.entry("config: other.yaml", ":1: unknown key 'config'"),
                Map.entry("help: true", ":1: unknown key 'help'"),
                Map.entry("ttl: 5\nttl: 6", ":2: 'ttl' is given before, in line 1"),
                Map.entry("ttl: [5]", ":1: 'ttl' has one value, not a list"),
                Map.entry("\n\nttl:", ":3: no value"),
                Map.entry("zone:\n- a\n- {b: c}", ":3: a text or a number is expected here"),
                Map.entry("watch: maybe", ":1: 'watch' is true or false"),
                Map.entry("listen: 127.0.0.1:0\nttl: five", ":2: Invalid value for option '--ttl'"),
                Map.entry("- ttl", ":1: not a mapping of options to values"),
                Map.entry("ttl: 5\nzone: [a", ":2: not valid YAML: "));
        return errors.entrySet().stream()
                .map(error -> dynamicTest(error.getValue(), () -> {
                    String config = config(error.getKey());
                    Run run = Run.of("serve", "--config", config, "-f", Run.BOOKSTORE);
                    assertThat(run.code()).isEqualTo(Main.INVALID);
                    assertThat(run.err().lines()).singleElement().asString().contains(config + error.getValue());
                }));
    }

    @Test
    void emptyFileHasNoOptions() throws Exception {
        try (RunningServer server =
                RunningServer.atFreePort(List.of("--config", config("# nothing\n")), Run.BOOKSTORE)) {
            assertThat(first(server, "cart.shop.svc.cluster.local.").rdataToString())
                    .isEqualTo("10.96.0.20");
        }
    }
}
