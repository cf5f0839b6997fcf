package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.k8sdns.manifest.JsonObject;
import io.k8sdns.resolver.Client.Transport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Tests the options that kubectl has, too: {@code -f}, {@code -A}, {@code -o}, {@code help}, {@code completion} and others. */
@Timeout(300)
class DialectTest {
    private static final String RESOLV_CONF = "nameserver 10.96.0.10\nsearch shop.svc.cluster.local\noptions ndots:5\n";

    @TempDir
    private Path folder;

    @Test
    void manifestsOfTheOptionAndOfThePositionalParameterAreTheSame() {
        List<String> positional = Run.of("records", Run.BOOKSTORE).lines();
        assertThat(Run.of("records", "-f", Run.BOOKSTORE).lines()).isEqualTo(positional);
        assertThat(Run.of("records", "--filename", Run.BOOKSTORE, "-A").lines()).isEqualTo(positional);
    }

    @Test
    void manifestsOfBothAreRead() throws IOException {
        String more = service("more", "10.96.0.77");
        assertThat(Run.of("records", "-f", more, Run.BOOKSTORE).lines())
                .contains(
                        "more.shop.svc.cluster.local. 5 IN A 10.96.0.77",
                        "cart.shop.svc.cluster.local. 5 IN A 10.96.0.20");
    }

    @Test
    void manifestsAreSeparatedByCommasUnlessAFileHasThatName() throws IOException {
        String one = service("one", "10.96.0.71");
        String two = service("two", "10.96.0.72");
        assertThat(Run.of("records", "-f", one + "," + two).out()).contains("10.96.0.71", "10.96.0.72");
        String three = service("three,four", "10.96.0.73");
        assertThat(Run.of("records", "-f", three).out()).contains("10.96.0.73");
        Run empty = Run.of("records", "-f", one + ",");
        assertThat(empty.code()).isEqualTo(Main.INVALID);
        assertThat(empty.err()).contains("MANIFEST is an empty text");
    }

    @Test
    void directoriesAreRecursiveWithAndWithoutTheOption() throws IOException {
        Files.createDirectories(folder.resolve("a/b"));
        Files.move(Path.of(service("deep", "10.96.0.74")), folder.resolve("a/b/deep.yaml"));
        for (List<String> option : List.of(List.<String>of(), List.of("-R"), List.of("--recursive"))) {
            assertThat(Run.of(
                                    option.isEmpty() ? List.of("records") : List.of("records", option.get(0)),
                                    folder.toString())
                            .out())
                    .contains("10.96.0.74");
        }
    }

    @Test
    void bothNamesOfTheSelectorAreKeysOfAFileOfOptions() throws Exception {
        for (String key : List.of("labels", "selector")) {
            String config =
                    Files.writeString(folder.resolve("config"), key + ": in(\n").toString();
            assertThat(Run.of("serve", "--config", config, Run.BOOKSTORE).err())
                    .contains(config + ":1: Invalid value for option '");
        }
        String both = Files.writeString(folder.resolve("config"), "labels: a=b\nselector: a=b\n")
                .toString();
        assertThat(Run.of("serve", "--config", both, Run.BOOKSTORE).err())
                .contains(":2: 'selector' is given before, in line 1");
    }

    @Test
    void serveWatchesWithTheShortOption() {
        assertThat(Run.of("serve", "-w", "-f", "-").err()).contains("--watch: standard input cannot be watched");
    }

    @Test
    void theProgramWithoutACommandPrintsItsHelp() {
        Run run = Run.of();
        assertThat(run.code()).isZero();
        assertThat(run.out()).isEqualTo(Run.of("--help").out()).contains("Commands:", "  records ");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void versionIsACommand() {
        Run run = Run.of("version");
        assertThat(run.code()).isZero();
        assertThat(run.out()).isEqualTo(Run.of("--version").out());
    }

    @Test
    void versionHasTheObjectsOfOtherFormats() {
        String version = Run.of("version").out().strip().replaceFirst("^k8sdns ", "");
        assertThat(JsonObject.parse(Run.of("version", "-o", "json").out()).text("version"))
                .contains(version);
        assertThat(documents(Run.of("version", "-o", "yaml").out()))
                .containsExactly(
                        Map.of("version", version, "java", Runtime.version().toString()));
    }

    private String service(String name, String address) throws IOException {
        String text =
                "{apiVersion: v1, kind: Service, metadata: {name: %s, namespace: shop}, spec: {clusterIP: %s, ports: [{port: 80}]}}";
        return Files.writeString(folder.resolve(name + ".yaml"), text.formatted(name, address))
                .toString();
    }

    @Test
    void serveAndVerifyTakeManifestsByOption() throws Exception {
        try (RunningServer server = RunningServer.atFreePort(List.of("-f", Run.BOOKSTORE))) {
            Run run = Run.of("verify", "--server", server.address(), "--as-applied", "-f", Run.BOOKSTORE);
            assertThat(run.code()).as(run.out() + run.err()).isZero();
        }
    }

    @Test
    void jsonIsAnOutputFormat() {
        List<List<String>> commands = List.of(
                List.of("records", Run.BOOKSTORE),
                List.of("query", "-f", Run.BOOKSTORE, "db.shop.svc.cluster.local"),
                List.of(
                        "resolvconf",
                        "--pod",
                        Run.ROOT.resolve("examples/pod.yaml").toString()));
        for (List<String> command : commands) {
            Run json = Run.of(command, "-o", "json");
            assertThat(json.out())
                    .as(json.err())
                    .startsWith("{")
                    .isEqualTo(Run.of(command, "--json").out());
        }
    }

    @Test
    void yamlHasTheSameObjectsAsJson() throws IOException {
        String resolvConf =
                Files.writeString(folder.resolve("resolv.conf"), RESOLV_CONF).toString();
        String hosts = Files.writeString(folder.resolve("hosts"), "api.payments.example\ndb\n")
                .toString();
        List<List<String>> commands = List.of(
                List.of("records", Run.BOOKSTORE),
                List.of("query", "-f", Run.BOOKSTORE, "db.shop.svc.cluster.local", "SRV"),
                List.of(
                        "resolvconf",
                        "-f",
                        Run.ROOT.resolve("examples/pod.yaml").toString()),
                List.of("queries", "--resolv-conf", resolvConf, "db"),
                List.of("queries", "--resolv-conf", resolvConf, "--advise", hosts));
        for (List<String> command : commands) {
            List<Object> json = Run.of(command, "-o", "json").lines().stream()
                    .flatMap(line -> documents(line).stream())
                    .toList();
            assertThat(json).as(command.toString()).isNotEmpty();
            assertThat(documents(Run.of(command, "-o", "yaml").out())).isEqualTo(json);
        }
    }

    /** Reads YAML, of which JSON is a subset. */
    private static List<Object> documents(String text) {
        Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
        return StreamSupport.stream(yaml.loadAll(text).spliterator(), false).toList();
    }

    @Test
    void namesAreOwnerNames() {
        List<String> records = Run.of("records", Run.BOOKSTORE).lines();
        assertThat(Run.of("records", "-o", "name", Run.BOOKSTORE).lines())
                .isEqualTo(records.stream()
                        .map(line -> line.split(" ", 2)[0])
                        .distinct()
                        .toList());
        assertThat(Run.of("query", "-f", Run.BOOKSTORE, "-o", "name", "db.shop.svc.cluster.local")
                        .lines())
                .containsExactly("db.shop.svc.cluster.local.");
    }

    @Test
    void namesOfQueriesAreThoseAskedFor() throws IOException {
        String resolvConf =
                Files.writeString(folder.resolve("resolv.conf"), RESOLV_CONF).toString();
        List<String> queries = List.of("queries", "-o", "name", "--resolv-conf", resolvConf, "--dialect", "glibc");
        assertThat(Run.of(queries, "db", "lab.test").lines())
                .as("without answers all that may be asked for")
                .containsExactly("db.shop.svc.cluster.local.", "db.", "lab.test.shop.svc.cluster.local.", "lab.test.");
        assertThat(Run.of(queries, "-f", Run.BOOKSTORE, "db").lines()).containsExactly("db.shop.svc.cluster.local.");
        assertThat(Run.of(queries, "--advise", resolvConf).err()).contains("--advise and -o name exclude each other");
        assertThat(Run.of("queries", "-o", "name", "--batch", resolvConf).err())
                .contains("--batch and -o name exclude each other");
    }

    @Test
    void namesOfExplainAreObjects() {
        assertThat(Run.of("explain", "-f", Run.BOOKSTORE, "-o", "name", "cart.shop")
                        .lines())
                .containsExactly("Service shop/cart");
        Run missing = Run.of("explain", "-f", Run.BOOKSTORE, "-o", "name", "crat.shop");
        assertThat(missing.lines()).containsExactly("Service shop/crat");
        assertThat(missing.code()).isEqualTo(Main.FAILED);
    }

    @Test
    void helpDescribesWhereThereAreNoNames() {
        for (String command : List.of("resolvconf", "from-corefile", "version")) {
            assertThat(Run.of(command, "--help").out().replaceAll("\\s+", " "))
                    .as(command)
                    .contains("There is no name: the output has no list of names.");
        }
        assertThat(Run.of("explain", "--help").out().replaceAll("\\s+", " "))
                .contains("name the objects that make the records, or that are a cause")
                .doesNotContain("There is no name");
    }

    @Test
    void unsupportedFormatListsTheSupportedOnes() {
        Run run = Run.of("query", "-o", "wide", "-f", Run.BOOKSTORE, "db.shop");
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("unknown value 'wide'; use one of text, json, yaml, name");
        assertThat(Run.of("resolvconf", "-o", "name").err())
                .contains("unknown value 'name'; use one of text, json, yaml");
    }

    @Test
    void translatedCorefileIsAConfigurationOfServe() throws Exception {
        String corefile = Files.writeString(folder.resolve("Corefile"), """
                .:53 {
                    kubernetes cluster.local in-addr.arpa {
                        ttl 7
                        namespaces shop lab
                    }
                }
                """).toString();
        String config = Files.writeString(
                        folder.resolve("config.yaml"),
                        Run.of("from-corefile", "-o", "yaml", corefile).out())
                .toString();
        List<?> documents = documents(Files.readString(Path.of(config)));
        assertThat(documents).singleElement().isInstanceOfSatisfying(Map.class, options -> {
            assertThat(options.get("ttl")).isEqualTo("7");
            assertThat(options.get("namespace")).isEqualTo(List.of("shop", "lab"));
            assertThat(options.get("in-cluster")).isEqualTo(true);
        });
        try (RunningServer server = RunningServer.atFreePort(List.of("--config", config, "-f", Run.BOOKSTORE));
                TestClient client = server.client()) {
            Message answer = client.ask(Name.fromString("cart.shop.svc.cluster.local."), Type.A, Transport.UDP);
            assertThat(answer.getSection(Section.ANSWER))
                    .singleElement()
                    .satisfies(one -> assertThat(one.getTTL()).isEqualTo(7));
        }
    }

    @Test
    void helpIsThatOfTheOption() {
        assertThat(Run.of("help", "query").out())
                .isEqualTo(Run.of("query", "--help").out());
        assertThat(Run.of("help").out()).isEqualTo(Run.of("--help").out()).contains("completion", "records");
        assertThat(Run.of("help", "recrods").err()).contains("no command 'recrods'", "records");
    }

    /** On a pseudo-terminal, because picocli prints no colours without a terminal, whatever the program does. */
    @Test
    void helpHasColoursOnATerminalWithoutNoColor() throws Exception {
        if (!Files.isExecutable(Path.of("/usr/bin/script"))) {
            abort("SKIPPED: script (util-linux) is not installed");
        }
        assertThat(help("--unset=NO_COLOR", true)).contains("Usage:", "\u001b[1m");
        assertThat(help("NO_COLOR=1", true)).contains("Usage:").doesNotContain("\u001b");
        assertThat(help("--unset=NO_COLOR", false)).contains("Usage:").doesNotContain("\u001b");
    }

    /**
     * Returns what the program prints in a JVM of its own.
     *
     * @param noColor the argument of env for NO_COLOR
     */
    private static String help(String noColor, boolean onTerminal) throws Exception {
        Map<String, String> environment = Map.of(
                "JAVA",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "CLASSES",
                System.getProperty("java.class.path"),
                "SHELL",
                "/bin/sh");
        String help = "\"$JAVA\" -cp \"$CLASSES\" " + Main.class.getName() + " help serve";
        String command = onTerminal ? "script -qec '" + help + "' /dev/null </dev/null" : help;
        Program.Result result = Program.run(Path.of("."), environment, "env", noColor, "sh", "-c", command);
        assertThat(result.code()).as(result.err()).isZero();
        return String.join("\n", result.out());
    }

    @Test
    void bashCompletesCommandsOptionsAndValues() throws Exception {
        String script = Files.writeString(
                        folder.resolve("completion"),
                        Run.of("completion", "bash").out())
                .toString();
        assertThat(completed(script, "k8sdns", "reco")).contains("records");
        assertThat(completed(script, "k8sdns", "records", "--all-n")).containsExactly("--all-namespaces");
        assertThat(completed(script, "k8sdns", "serve", "--order", "")).contains("rotate", "stable", "shuffle");
        assertThat(completed(script, "k8sdns", "query", "-o", ""))
                .containsExactlyInAnyOrder("text", "json", "yaml", "name");
        assertThat(completed(script, "k8sdns", "help", "que")).contains("query", "queries");
        // bash makes --output=j and -o= into these words.
        assertThat(completed(script, "k8sdns", "query", "--output", "=", "j")).containsExactly("json");
        assertThat(completed(script, "k8sdns", "query", "-o", "="))
                .containsExactlyInAnyOrder("text", "json", "yaml", "name");
        assertThat(Run.of("completion", "zsh").out())
                .contains("bashcompinit")
                .doesNotContain("COMPLETE_ALIASES")
                .doesNotContain("alias ");
    }

    @Test
    void fishCompletesCommandsOptionsAndValues() throws Exception {
        if (!Files.isExecutable(Path.of("/usr/bin/fish"))) {
            abort("SKIPPED: fish is not installed");
        }
        String script = Files.writeString(
                        folder.resolve("k8sdns.fish"),
                        Run.of("completion", "fish").out())
                .toString();
        assertThat(completedByFish(script, "k8sdns reco")).containsExactly("records");
        assertThat(completedByFish(script, "k8sdns records --all-n")).containsExactly("--all-namespaces");
        assertThat(completedByFish(script, "k8sdns serve --order ")).containsExactly("rotate", "shuffle", "stable");
        assertThat(completedByFish(script, "k8sdns query -o ")).containsExactly("json", "name", "text", "yaml");
        assertThat(completedByFish(script, "k8sdns help que")).containsExactly("queries", "query");
        assertThat(completedByFish(script, "k8sdns completion ")).containsExactly("bash", "fish", "zsh");
    }

    /** Returns what fish offers for the last word, sorted. */
    private List<String> completedByFish(String script, String line) throws Exception {
        Program.Result result = Program.run(
                folder,
                Map.of("HOME", folder.toString(), "XDG_CONFIG_HOME", folder.toString()),
                "fish",
                "-c",
                "source $argv[1]; and complete -C $argv[2]",
                script,
                line);
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.err()).isEmpty();
        // Descriptions are after a tab.
        return result.out().stream()
                .map(offered -> offered.split("\t", 2)[0])
                .sorted()
                .toList();
    }

    /** Types in an interactive zsh on a pseudo-terminal, and waits for what it completes. */
    @Test
    void zshCompletesWhenTheScriptIsSourcedAndWhenItIsInFpath() throws Exception {
        if (!Files.isExecutable(Path.of("/usr/bin/zsh"))) {
            abort("SKIPPED: zsh is not installed");
        }
        Path script = Files.writeString(
                Files.createDirectory(folder.resolve("functions")).resolve("_k8sdns"),
                Run.of("completion", "zsh").out());
        assertThat(Files.readAllLines(script)).first().isEqualTo("#compdef k8sdns");
        String init = "autoload -U compinit && compinit -u -d " + folder.resolve("dump");
        for (String setup :
                List.of(init + "; source " + script, "fpath=(" + script.getParent() + " $fpath); " + init)) {
            String type = """
                    zmodload zsh/zpty && export TERM=dumb
                    zpty inner zsh -f -i
                    zpty -w inner "$1; PS1=; print -r ready-''now"
                    zpty -r inner read '*ready-now*'
                    zpty -n -w inner $'k8sdns resolvc\\t'
                    zpty -r inner read '*resolvconf*'
                    zpty -n -w inner $'--cluster-dom\\t'
                    zpty -r inner read '*--cluster-domain*'
                    print -r completed
                    zpty -d inner
                    """;
            Program.Result result = Program.run("timeout", "240", "zsh", "-f", "-c", type, "zsh", setup);
            assertThat(result.out()).as(setup + result.err()).contains("completed");
        }
    }

    /** Bash itself completes names of files where the script offers nothing, unless the script forbids it. */
    @Test
    void bashCompletesNamesOfFilesAfterOptionsAndAsArguments() throws Exception {
        Path script = Files.writeString(
                folder.resolve("completion"), Run.of("completion", "bash").out());
        assertThat(completed(script.toString(), "k8sdns", "records", "-f", "sh"))
                .containsExactly("");
        assertThat(Files.readString(script))
                .contains("complete -F _complete_k8sdns -o default")
                .doesNotContain("+o default");
    }

    @Test
    void everyCommandPrintsTheVersion() {
        String version = Run.of("--version").out();
        assertThat(version).startsWith("k8sdns ");
        for (String command : Main.commandLine().getSubcommands().keySet()) {
            assertThat(Run.of(command, "--version").out()).as(command).isEqualTo(version);
        }
    }

    /** Returns what bash offers for the last word. */
    private static List<String> completed(String script, String... words) throws Exception {
        String call =
                "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMP_LINE=\"$*\"; COMP_POINT=${#COMP_LINE}; "
                        + "COMP_TYPE=9; _complete_k8sdns; printf '%s\\n' \"${COMPREPLY[@]}\"";
        List<String> command = new ArrayList<>(List.of("bash", "-c", call, script));
        command.addAll(Arrays.asList(words));
        Program.Result result = Program.run(command.toArray(String[]::new));
        return result.out().stream().map(String::strip).toList();
    }

    @Test
    void fishScriptHasEveryCommandAndOption() {
        List<String> lines = Run.of("completion", "fish").lines();
        assertThat(lines)
                .contains(
                        "complete -c k8sdns -n '__fish_seen_subcommand_from serve' -x -l order -a 'rotate stable shuffle'"
                                        .replace("-x -l order -a", "-l order -x -a")
                                + " -d 'The order of addresses in the answers of serve'")
                .anyMatch(line ->
                        line.startsWith("complete -c k8sdns -n __fish_use_subcommand -f -a records -d 'Prints all"))
                .anyMatch(line ->
                        line.contains("seen_subcommand_from records") && line.contains(" -s n -l namespace -r "));
        Main.commandLine()
                .getSubcommands()
                .forEach((name, command) -> command.getCommandSpec()
                        .options()
                        .forEach(option -> assertThat(lines)
                                .anyMatch(line -> line.contains("seen_subcommand_from " + name + "'")
                                        && line.contains(
                                                " -l " + option.longestName().substring(2) + " "))));
    }

    @Test
    void stackTracesNeedDebug() {
        Run plain = Run.of("records", folder.resolve("missing").toString());
        Run debug = Run.of("records", "--debug", folder.resolve("missing").toString());
        assertThat(plain.err()).doesNotContain("at io.k8sdns");
        assertThat(debug.err()).startsWith(plain.err()).contains("NoSuchFileException", "    at io.k8sdns");
        assertThat(debug.code()).isEqualTo(plain.code());
        assertThat(debug.err().lines()).hasSizeGreaterThan(3).noneMatch(line -> line.contains("\t"));
    }

    @Test
    void stackTraceIsAMemberOfTheErrorInJson() {
        Run run = Run.of(
                "records",
                "--debug",
                "--log-format",
                "json",
                folder.resolve("missing").toString());
        assertThat(run.err().lines()).singleElement().satisfies(line -> {
            JsonObject error = JsonObject.parse(line);
            assertThat(error.text("level")).contains("error");
            assertThat(error.text("message"))
                    .hasValueSatisfying(text -> assertThat(text)
                            .startsWith("k8sdns records: no such file or directory: ")
                            .doesNotContain("Exception"));
            assertThat(error.text("trace"))
                    .hasValueSatisfying(text -> assertThat(text).contains("NoSuchFileException", "\tat io.k8sdns"));
        });
    }

    @Test
    void aFileOfOptionsCanHaveDebug() throws IOException {
        String config =
                Files.writeString(folder.resolve("config"), "debug: true\n").toString();
        assertThat(Run.of("serve", "--config", config, folder.resolve("missing").toString())
                        .err())
                .contains("    at io.k8sdns");
    }

    @Test
    void progressIsErasedAtTheEnd() throws Exception {
        Shown shown = new Shown();
        Progress progress = Progress.start(
                "reading manifests", new PrintStream(shown, true, StandardCharsets.UTF_8), Duration.ZERO);
        shown.awaitText("k8sdns: reading manifests ... 0 s");
        progress.close();
        progress.close();
        assertThat(shown.toString(StandardCharsets.UTF_8))
                .startsWith("\r\u001b[Kk8sdns: reading manifests")
                .endsWith("s\r\u001b[K");
    }

    @Test
    void progressIsANoteAndNotJson() {
        assertThat(showsProgress(List.of(), true)).isTrue();
        assertThat(showsProgress(List.of(), false)).isFalse();
        assertThat(showsProgress(List.of("--log-level", "debug"), true)).isTrue();
        for (String level : List.of("warn", "error", "off")) {
            assertThat(showsProgress(List.of("--log-level", level), true))
                    .as(level)
                    .isFalse();
        }
        assertThat(showsProgress(List.of("-q"), true)).isFalse();
        assertThat(showsProgress(List.of("--log-format", "json"), true)).isFalse();
    }

    /** Returns whether a command with these options shows progress. */
    private static boolean showsProgress(List<String> options, boolean isTerminal) {
        PrintWriter err = PrintableWriter.to(new PrintWriter(new StringWriter()));
        String[] arguments = Stream.concat(Stream.of("records", Run.BOOKSTORE), options.stream())
                .toArray(String[]::new);
        int code = Main.commandLine(arguments)
                .setOut(new PrintWriter(new StringWriter()))
                .setErr(err)
                .execute(arguments);
        assertThat(code).isZero();
        return Progress.isShown(err, isTerminal);
    }

    @Test
    void workThatIsShortShowsNothing() {
        Shown shown = new Shown();
        Progress.start("reading", new PrintStream(shown, true, StandardCharsets.UTF_8), Duration.ofDays(1))
                .close();
        assertThat(shown.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    /** The output of a terminal. */
    private static final class Shown extends ByteArrayOutputStream {
        @Override
        public synchronized void write(byte[] bytes, int from, int length) {
            super.write(bytes, from, length);
            notifyAll();
        }

        synchronized void awaitText(String part) throws InterruptedException {
            while (!toString(StandardCharsets.UTF_8).contains(part)) {
                wait();
            }
        }
    }

    @Test
    void filesAndPipesAreNotTerminals() throws IOException {
        assertThat(Stream.of("/dev/null", "pipe:[7]", "/tmp/err.txt").map(this::isTerminal))
                .containsOnly(false);
        assertThat(Stream.of("/dev/pts/3", "/dev/tty1").map(this::isTerminal)).containsOnly(true);
        assertThat(Terminal.isTerminal(folder.resolve("missing"))).isFalse();
    }

    private boolean isTerminal(String file) {
        try {
            Path link = folder.resolve("link-" + file.replaceAll("\\W", "-"));
            return Terminal.isTerminal(Files.createSymbolicLink(link, Path.of(file)));
        } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
        }
    }

    @Test
    void optionsBeforeTheCommandAreExplained() {
        Run run = Run.of("-n", "shop", "records", "-f", Run.BOOKSTORE);
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("; options come after the command: k8sdns records -n ...");
    }
}
