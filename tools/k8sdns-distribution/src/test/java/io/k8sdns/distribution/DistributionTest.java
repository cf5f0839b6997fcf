package io.k8sdns.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Unpacks {@code k8sdns-VERSION.tar.gz} and runs it as a user with only Java installed. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "bin/k8sdns.bat is not tested")
@Timeout(600)
class DistributionTest {
    private static final Path TARGET = Path.of("target").toAbsolutePath();
    private static final String MAIN = " io.k8sdns.cli.Main ";
    private static final Pattern PAGE = Pattern.compile("docs/[a-z/-]+\\.md");

    /** A link from a page to another one of docs. */
    private static final Pattern LINK =
            Pattern.compile("]\\(((?:decisions/|images/|\\.\\./)?[a-z-]+\\.(?:md|svg))[)#]");

    @TempDir
    private static Path folder;

    private static Path unpacked;

    /** The directory that the build has made the archive of loaded classes in. */
    private static Path built;

    private static String command;

    @BeforeAll
    static void unpackIntoAFolderWithBlanksAndLinkToIt() throws Exception {
        built = only(TARGET, "k8sdns-[0-9.]+(-SNAPSHOT)?");
        Path blanks = Files.createDirectory(folder.resolve("a folder"));
        Ended tar = run(List.of("tar", "-xzf", built + ".tar.gz", "-C", blanks.toString()));
        assertThat(tar.code()).as(tar.err()).isZero();
        unpacked = only(blanks, ".*");
        Path links = Files.createDirectory(folder.resolve("links"));
        Files.createSymbolicLink(
                links.resolve("relative"), Path.of("../a folder/" + unpacked.getFileName() + "/bin/k8sdns"));
        command = Files.createSymbolicLink(links.resolve("k8sdns"), Path.of("relative"))
                .toString();
    }

    private static Path only(Path directory, String name) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> matching = files.filter(
                            file -> String.valueOf(file.getFileName()).matches(name))
                    .toList();
            assertThat(matching).hasSize(1);
            return matching.get(0);
        }
    }

    /** The result of a program. */
    private record Ended(int code, List<String> out, String err) {}

    private static Ended run(List<String> words) throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        Process process = new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        if (!process.waitFor(300, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("does not end: " + words);
        }
        return new Ended(process.exitValue(), Files.readAllLines(out), Files.readString(err));
    }

    /** Runs a program without any variable of the environment but those that find Java. */
    private static Ended clean(List<String> variables, String... words) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(
                List.of("env", "-i", "PATH=/usr/bin:/bin", "JAVA_HOME=" + System.getProperty("java.home")));
        all.addAll(variables);
        all.addAll(Arrays.asList(words));
        return run(all);
    }

    @Test
    void aLinkToTheScriptRunsTheCommandInAnEmptyEnvironment() throws Exception {
        Ended version = clean(List.of(), command, "--version");
        assertThat(version.code()).as(version.err()).isZero();
        assertThat(version.out()).singleElement().asString().matches("k8sdns \\d+\\.\\d+\\.\\d+\\S*");
        assertThat(version.err()).isEmpty();

        Ended records = clean(
                List.of(),
                command,
                "records",
                unpacked.resolve("examples/bookstore").toString());
        assertThat(records.code()).as(records.err()).isZero();
        assertThat(records.out()).contains("cart.shop.svc.cluster.local. 5 IN A 10.96.0.20");
    }

    @Test
    void theScriptRunsInALinkedFolder() throws Exception {
        Path linked = Files.createSymbolicLink(folder.resolve("links").resolve("programs"), unpacked.resolve("bin"));
        Ended version = clean(List.of(), linked.resolve("k8sdns").toString(), "--version");
        assertThat(version.code()).as(version.err()).isZero();
    }

    @Test
    void theScriptIsFoundOnThePath() throws Exception {
        Ended version = clean(List.of("PATH=" + unpacked.resolve("bin") + ":/usr/bin:/bin"), "k8sdns", "--version");
        assertThat(version.code()).as(version.err()).isZero();
    }

    @Test
    void aFileWhoseNameIsNotAsciiIsReadInThePosixLocale() throws Exception {
        String script = """
                file=$(printf '\\303\\274.yaml')
                echo '{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}' > "$file"
                exec "$0" records "$file"
                """;
        Ended records = clean(List.of("LC_ALL=C"), "sh", "-c", script, command);
        assertThat(records.code()).as(records.err()).isZero();
        assertThat(records.out()).anyMatch(line -> line.startsWith("web.default.svc.cluster.local. 5 IN A "));
    }

    @Test
    void anEmptyNoColorKeepsTheColoursOfATerminal() throws Exception {
        if (!Files.isExecutable(Path.of("/usr/bin/script"))) {
            abort("SKIPPED: script (util-linux) is not installed");
        }
        assertThat(helpOnATerminal("NO_COLOR=")).contains("Usage:", "\u001b[1m");
        assertThat(helpOnATerminal("NO_COLOR=1")).contains("Usage:").doesNotContain("\u001b");
    }

    private static String helpOnATerminal(String variable) throws Exception {
        String script = "exec script -qec \"'$0' help version\" /dev/null </dev/null";
        Ended ended = clean(List.of("SHELL=/bin/sh", variable), "sh", "-c", script, command);
        assertThat(ended.code()).as(ended.err()).isZero();
        return String.join("\n", ended.out());
    }

    @Test
    void theOptionsOfTheFileAreInForceAndJavaOptsWins() throws Exception {
        Ended flags = clean(List.of("JAVA_OPTS=-XX:+PrintFlagsFinal"), command, "--version");
        assertThat(flag(flags, "UseSerialGC")).isEqualTo("true");
        assertThat(flag(flags, "InlineSmallCode")).isEqualTo("1000");
        Ended others = clean(List.of("JAVA_OPTS=-XX:+PrintFlagsFinal -XX:InlineSmallCode=900"), command, "--version");
        assertThat(flag(others, "InlineSmallCode")).isEqualTo("900");
    }

    private static String flag(Ended printed, String name) {
        List<String> lines = Stream.concat(printed.out().stream(), printed.err().lines())
                .filter(line -> line.matches(" *\\w+ " + name + " .*"))
                .toList();
        assertThat(lines).as(printed.err()).hasSize(1);
        return lines.get(0).replaceFirst(".*= *(\\S+).*", "$1");
    }

    @Test
    void theArchiveOfLoadedClassesIsUsedWhereTheBuildMadeIt() throws Exception {
        if (hasEncodedCharacters(built)) {
            abort("SKIPPED: JDK 17 uses no archive in a directory whose name has blanks: " + built);
        }
        assertThat(sourceOfMain(built)).contains("shared objects file");
    }

    @Test
    void anUnpackedDistributionHasNoArchiveUntilItMakesOne() throws Exception {
        assertThat(sourceOfMain(unpacked)).doesNotContain("shared objects file");
        assertThat(unpacked.resolve("lib/k8sdns.jsa")).doesNotExist();

        Path copy = folder.resolve("copy");
        assertThat(hasEncodedCharacters(copy)).isFalse();
        assertThat(run(List.of("cp", "-r", unpacked.toString(), copy.toString()))
                        .code())
                .isZero();
        Ended made = clean(List.of(), copy.resolve("lib/make-archive").toString());
        assertThat(made.code()).as(made.err()).isZero();
        assertThat(sourceOfMain(copy)).contains("shared objects file");

        // The archive records its path: the JVM ignores it at another path, without a message.
        Path moved = Files.move(copy, folder.resolve("moved"));
        Ended version = clean(List.of(), moved.resolve("bin/k8sdns").toString(), "--version");
        assertThat(version.code()).as(version.err()).isZero();
        assertThat(version.out()).hasSize(1);
        assertThat(version.err()).isEmpty();
    }

    private static boolean hasEncodedCharacters(Path path) {
        return path.toUri().toString().contains("%");
    }

    /** Returns the line of the JVM's log that says where the main class comes from. */
    private static String sourceOfMain(Path distribution) throws Exception {
        Ended ended = clean(
                List.of("JAVA_OPTS=-Xlog:class+load:stdout"),
                distribution.resolve("bin/k8sdns").toString(),
                "--version");
        assertThat(ended.code()).as(ended.err()).isZero();
        return ended.out().stream()
                .filter(line -> line.contains(MAIN))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aMissingJavaIsReported() throws Exception {
        Ended none = clean(List.of("JAVA_HOME=/no/such/jdk"), command, "--version");
        assertThat(none.code()).isOne();
        assertThat(none.out()).isEmpty();
        assertThat(none.err())
                .isEqualTo(
                        "k8sdns: /no/such/jdk/bin/java not found: install Java, 17 or later, and put it on the PATH or "
                                + "set JAVA_HOME\n");
    }

    /** An archive that exists is not deleted then. */
    @Test
    void makeArchiveReportsAMissingJava() throws Exception {
        Path copy = folder.resolve("without java");
        Path lib = Files.createDirectories(copy.resolve("lib"));
        Path script = Files.copy(
                unpacked.resolve("lib/make-archive"), lib.resolve("make-archive"), StandardCopyOption.COPY_ATTRIBUTES);
        Path archive = Files.writeString(lib.resolve("k8sdns.jsa"), "of another JVM");
        Ended none = clean(List.of("JAVA_HOME=/no/such/jdk"), script.toString());
        assertThat(none.code()).isOne();
        assertThat(none.err())
                .isEqualTo(
                        "make-archive: /no/such/jdk/bin/java not found: install Java, 17 or later, and put it on the PATH "
                                + "or set JAVA_HOME\n");
        assertThat(archive).isNotEmptyFile();
    }

    @Test
    void batchedUdpNeedsNoOptionOfTheUser() throws Exception {
        // The server ends with 1 after it has printed how it answers UDP, because nothing reads its standard output.
        Ended served = clean(
                List.of(),
                "sh",
                "-c",
                "\"$0\" serve --log-level debug --listen 127.0.0.1:0 \"$1\" >/dev/full",
                command,
                unpacked.resolve("examples/bookstore").toString());
        String mode = Runtime.version().feature() >= 22 && OS.LINUX.isCurrentOs() ? "udp: batched, " : "udp: plain (";
        assertThat(served.err()).contains(mode).doesNotContain("WARNING", "warn: ");
    }

    @Test
    void manualPagesCompletionAndLicencesAreThere() throws Exception {
        assertThat(Files.readString(unpacked.resolve("share/man/man1/k8sdns-serve.1")))
                .contains(".TH \"K8SDNS\\-SERVE\" \"1\"", "\\-\\-listen");
        assertThat(unpacked.resolve("share/man/man1/k8sdns.1")).isNotEmptyFile();
        Ended completion = clean(
                List.of(),
                "bash",
                "-c",
                "source \"$0\" && COMP_WORDS=(k8sdns que) COMP_CWORD=1 && complete -p k8sdns",
                unpacked.resolve("share/bash-completion/completions/k8sdns").toString());
        assertThat(completion.code()).as(completion.err()).isZero();
        assertThat(unpacked.resolve("share/zsh/site-functions/_k8sdns"))
                .content()
                .startsWith("#compdef k8sdns")
                .contains("--listen");
        assertThat(unpacked.resolve("share/fish/vendor_completions.d/k8sdns.fish"))
                .content()
                .startsWith("complete -c k8sdns ")
                .contains(" -l listen ");
        assertThat(Files.readString(unpacked.resolve("LICENSE"))).contains("Apache License");
        assertThat(Files.readString(unpacked.resolve("THIRD-PARTY.txt"))).contains("picocli", "dnsjava", "bcprov");
        try (Stream<Path> texts = Files.walk(unpacked.resolve("licenses"))) {
            assertThat(texts.filter(Files::isRegularFile)).hasSizeGreaterThan(10);
        }
        assertThat(Files.readString(unpacked.resolve("bin/k8sdns.bat")).lines()).hasSizeGreaterThan(5);
        assertThat(Files.readString(unpacked.resolve("bin/k8sdns.bat")))
                .contains("\r\n")
                .contains("not found: install Java, 17 or later, and put it on the PATH or set JAVA_HOME");
    }

    @Test
    void theFirstCommandsOfTheReadmeRun() throws Exception {
        String readme = Files.readString(unpacked.resolve("README.md"));
        for (String name : List.of("query", "records")) {
            String line = readme.lines()
                    .filter(text -> text.startsWith("bin/k8sdns " + name + " "))
                    .findFirst()
                    .orElseThrow();
            Ended ended = clean(List.of(), "sh", "-c", "cd \"$0\" && " + line, unpacked.toString());
            assertThat(ended.code()).as(ended.err()).isZero();
            assertThat(ended.out()).anyMatch(text -> text.contains("10.96.0.20"));
        }
    }

    @Test
    void thePagesThatTheHelpNamesAreThere() throws Exception {
        Set<String> pages = new TreeSet<>(List.of("docs/command.md"));
        for (String name : List.of("serve", "node-cache", "federated-dns", "federation-controller", "federation")) {
            Ended help = clean(List.of(), command, "help", name);
            assertThat(help.code()).as(help.err()).isZero();
            PAGE.matcher(String.join(" ", help.out())).results().forEach(found -> pages.add(found.group()));
        }
        assertThat(pages)
                .contains("docs/metrics.md", "docs/federation.md")
                .allSatisfy(page -> assertThat(unpacked.resolve(page)).isNotEmptyFile());
    }

    @Test
    void thePagesThatOtherFilesNameAreThere() throws Exception {
        Set<String> named = new TreeSet<>();
        for (String file : List.of("README.md", "bin/k8sdns", "lib/jvm.options", "lib/make-archive")) {
            PAGE.matcher(Files.readString(unpacked.resolve(file))).results().forEach(found -> named.add(found.group()));
        }
        assertThat(named)
                .contains("docs/decisions/small-memory.md", "docs/decisions/an-archive-of-loaded-classes.md")
                .allSatisfy(page -> assertThat(unpacked.resolve(page)).isNotEmptyFile());
        try (Stream<Path> pages = Files.walk(unpacked.resolve("docs"))) {
            for (Path page :
                    pages.filter(file -> file.toString().endsWith(".md")).toList()) {
                LINK.matcher(Files.readString(page))
                        .results()
                        .forEach(link -> assertThat(page.resolveSibling(link.group(1)))
                                .as(page + ": " + link.group())
                                .isNotEmptyFile());
            }
        }
    }

    @Test
    void theZipFileHasTheSameFiles() throws Exception {
        List<String> files;
        try (Stream<Path> paths = Files.walk(unpacked)) {
            files = paths.filter(Files::isRegularFile)
                    .map(file -> unpacked.getFileName() + "/" + unpacked.relativize(file))
                    .sorted()
                    .toList();
        }
        try (ZipFile zip = new ZipFile(built + ".zip")) {
            assertThat(zip.stream()
                            .filter(entry -> !entry.isDirectory())
                            .map(ZipEntry::getName)
                            .sorted())
                    .containsExactlyElementsOf(files);
        }
        assertThat(files).noneMatch(file -> file.endsWith(".jsa") || file.contains("codegen"));
    }
}
