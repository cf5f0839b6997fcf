package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the launcher {@code k8sdns} in a fresh copy of the checkout. */
@Tag("real")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LauncherTest {
    private static final Map<String, String> NOTHING_SET = Map.of();

    @TempDir
    private static Path folder;

    private static Path checkout;
    private static String launcher;

    @BeforeAll
    static void copyCheckoutToAPathWithSpacesAndLinkToIt() throws IOException {
        checkout = folder.resolve("a checkout of k8sdns");
        copy(Run.ROOT.toAbsolutePath().normalize(), checkout);
        Path links = Files.createDirectory(folder.resolve("bin"));
        Files.createSymbolicLink(links.resolve("direct"), Path.of("../a checkout of k8sdns/k8sdns"));
        launcher = Files.createSymbolicLink(links.resolve("k8sdns"), Path.of("direct"))
                .toString();
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes any) throws IOException {
                Path name = directory.getFileName();
                if (name != null && Set.of("target", ".git").contains(name.toString())) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(to.resolve(from.relativize(directory)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes any) throws IOException {
                Path name = file.getFileName();
                // The checkout can be a linked work tree, where .git is a file.
                if (name != null && !name.toString().equals(".git")) {
                    Files.copy(file, to.resolve(from.relativize(file)));
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static Program.Result run(String... arguments) throws IOException, InterruptedException {
        return Program.run(folder, NOTHING_SET, with(arguments));
    }

    private static Program start(String... arguments) throws IOException {
        return Program.start(folder, NOTHING_SET, with(arguments));
    }

    private static String[] with(String... arguments) {
        String[] command = new String[arguments.length + 1];
        command[0] = launcher;
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        return command;
    }

    @Test
    @Order(1)
    void twoConcurrentFirstUsesBuildOnce() throws Exception {
        try (Program first = start("--version");
                Program second = start("--version")) {
            List<Program.Result> both = List.of(first.end(), second.end());
            assertThat(both).allSatisfy(ended -> {
                assertThat(ended.code()).as(ended.err()).isZero();
                assertThat(ended.out()).singleElement().asString().matches("k8sdns \\d+\\.\\d+\\.\\d+\\S*");
            });
            assertThat(both)
                    .filteredOn(ended -> ended.err().contains("building"))
                    .hasSize(1);
        }
    }

    @Test
    @Order(2)
    void laterUsesDoNotBuild() throws Exception {
        Program.Result ended =
                run("records", checkout.resolve("examples/bookstore").toString());
        assertThat(ended.code()).isZero();
        assertThat(ended.out()).contains("cart.shop.svc.cluster.local. 5 IN A 10.96.0.20");
        assertThat(ended.err()).doesNotContain("building");
    }

    @Test
    @Order(2)
    void fileWhoseNameIsNotAsciiIsReadInThePosixLocale() throws Exception {
        String script = """
                file=$(printf '\\303\\274.yaml')
                echo '{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}' > "$file"
                exec "$0" records "$file"
                """;
        Program.Result ended = Program.run(folder, Map.of("LC_ALL", "C"), "sh", "-c", script, launcher);
        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(ended.err()).contains("\u00fc.yaml:1: Service default/web: completed");
    }

    @Test
    @Order(3)
    void serverEndsOnSigtermAndOnCtrlCAndLeavesNothing() throws Exception {
        String address = "127.0.0.1:0";
        for (String signal : List.of("TERM", "INT")) {
            // In the background of a script SIGINT is ignored, and child processes inherit this.
            try (Program server = Program.start(
                    folder,
                    NOTHING_SET,
                    "env",
                    "--default-signal=INT",
                    launcher,
                    "serve",
                    "--listen",
                    address,
                    checkout.resolve("examples/bookstore").toString())) {
                String line = server.line();
                assertThat(line).matches("listening on 127\\.0\\.0\\.1:\\d+ \\(udp, tcp\\)");
                // The second server binds the port of the first, which must be free.
                address = line.split(" ", 4)[2];
                server.signal(signal);
                Program.Result ended = server.end();
                assertThat(ended.code()).as(ended.err()).isZero();
                assertThat(ended.out()).isEmpty();
            }
        }
    }

    /** Without jars of the Kubernetes client, and of Micrometer unless there are metrics. */
    @ParameterizedTest
    @Order(3)
    @ValueSource(strings = {"--cache-size=1000000", "--metrics=127.0.0.1:0"})
    void nodeCacheStartsWithTheJarsThatItNeeds(String option) throws Exception {
        try (Program cache = Program.start(
                folder,
                NOTHING_SET,
                launcher,
                "node-cache",
                "--listen=127.0.0.1:0",
                "--zone-upstream=.=192.0.2.53",
                option)) {
            assertThat(cache.line()).matches("listening on 127\\.0\\.0\\.1:\\d+ \\(udp, tcp\\)");
            cache.signal("TERM");
            Program.Result ended = cache.end();
            assertThat(ended.code()).as(ended.err()).isZero();
        }
    }

    @Test
    @Order(4)
    void editedSourcesAreRebuilt() throws Exception {
        Path source = checkout.resolve("k8sdns-model/src/main/java/io/k8sdns/model/Labels.java");
        Files.writeString(source, "// An edit.\n", StandardOpenOption.APPEND);
        assertThat(run("--version").err()).contains("building");
        assertThat(run("--version").err()).doesNotContain("building");
        Files.delete(source);
        Program.Result broken = run("--version");
        assertThat(broken.code()).isEqualTo(Main.FAILED);
        assertThat(broken.out()).isEmpty();
        assertThat(broken.err()).contains("building").endsWith("k8sdns: the build failed; ./mvnw verify says more\n");
    }

    @Test
    @Order(5)
    void lockOfATerminatedProcessIsRemoved() throws Exception {
        Path source = checkout.resolve("k8sdns-model/src/main/java/io/k8sdns/model/Labels.java");
        Files.copy(Run.ROOT.resolve("k8sdns-model/src/main/java/io/k8sdns/model/Labels.java"), source);
        Files.writeString(source, "// Another edit.\n", StandardOpenOption.APPEND);
        Path lock = Files.createDirectory(checkout.resolve("tools/k8sdns-cli/target/launcher.lock"));
        long gone;
        try (Program ended = Program.start(folder, NOTHING_SET, "true")) {
            ended.end();
            gone = ended.pid();
        }
        Files.writeString(lock.resolve("pid"), gone + "\n");
        Program.Result ended = run("--version");
        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(lock).doesNotExist();
    }

    @Test
    @Order(6)
    void problemsOfTheJdkAreReportedInOneLine() throws Exception {
        Program.Result none = Program.run(folder, Map.of("JAVA_HOME", "/no/such/jdk"), launcher, "--version");
        assertThat(none.code()).isEqualTo(Main.FAILED);
        assertThat(none.err())
                .isEqualTo("k8sdns: JAVA_HOME is /no/such/jdk, which has no bin/java; a JDK, 17 or later, is needed\n");
        Path old = folder.resolve("jdk 11");
        Files.createDirectories(old.resolve("bin"));
        Files.writeString(old.resolve("bin/java"), "#!/bin/sh\n");
        assertThat(old.resolve("bin/java").toFile().setExecutable(true)).isTrue();
        Files.writeString(old.resolve("release"), "IMPLEMENTOR=\"Nobody\"\nJAVA_VERSION=\"11.0.2\"\n");
        Program.Result eleven = Program.run(folder, Map.of("JAVA_HOME", old.toString()), launcher, "--version");
        assertThat(eleven.code()).isEqualTo(Main.FAILED);
        assertThat(eleven.err())
                .isEqualTo("k8sdns: " + old + "/bin/java is version 11.0.2; a JDK, 17 or later, is needed\n");
    }

    /** Runs last, because a process that creates an archive writes to the temporary folder, which is deleted after the tests. */
    @Test
    @Order(7)
    void archiveOfLoadedClassesIsCreatedDuringTheFirstUse() throws Exception {
        List<Path> builds;
        try (Stream<Path> files = Files.list(checkout.resolve("tools/k8sdns-cli/target"))) {
            builds = files.filter(file -> String.valueOf(file.getFileName()).startsWith("app-"))
                    .toList();
        }
        assertThat(builds).hasSize(3);
        for (Path build : builds) {
            Path archive = archive(build);
            assertThat(archive).isNotEmptyFile();
            Program.Result ended = Program.run(
                    folder,
                    NOTHING_SET,
                    Path.of(System.getProperty("java.home"), "bin/java").toString(),
                    "-Xshare:on",
                    "-XX:SharedArchiveFile=" + archive,
                    "-cp",
                    build + "/*",
                    "io.k8sdns.cli.Main",
                    "--version");
            assertThat(ended.code()).as(ended.err()).isZero();
        }
        assertThat(run("--version").err()).isEmpty();
    }

    /** Waits until no process is creating an archive in the build. */
    private static Path archive(Path build) throws Exception {
        Path archive = build.resolve(Runtime.version().toString().replaceFirst("[^0-9.].*", "") + ".jsa");
        Path making = build.resolve(archive.getFileName() + ".making");
        long deadline = System.nanoTime() + Duration.ofMinutes(20).toNanos();
        try (WatchService changes = build.getFileSystem().newWatchService()) {
            build.register(changes, StandardWatchEventKinds.ENTRY_DELETE);
            while (Files.exists(making)) {
                long left = deadline - System.nanoTime();
                assertThat(left).as("%s is there yet", making).isPositive();
                WatchKey key = changes.poll(left, TimeUnit.NANOSECONDS);
                if (key != null) {
                    key.pollEvents();
                    key.reset();
                }
            }
        }
        return archive;
    }
}
