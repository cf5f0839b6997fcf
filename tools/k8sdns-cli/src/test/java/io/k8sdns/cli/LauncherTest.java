package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Tests the script {@code k8sdns} in a fresh copy of the checkout. */
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
        Path links = Files.createDirectories(folder.resolve("tools/own/bin"));
        Files.createSymbolicLink(links.resolve("direct"), Path.of("../../../a checkout of k8sdns/k8sdns"));
        Files.createSymbolicLink(links.resolve("k8sdns"), Path.of("direct"));
        launcher = Files.createSymbolicLink(folder.resolve("bin"), links)
                .resolve("k8sdns")
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

    @Test
    @Order(4)
    void editedSourcesAreRebuiltAndAServerKeepsItsJars() throws Exception {
        Path source = checkout.resolve("k8sdns-model/src/main/java/io/k8sdns/model/Labels.java");
        try (Program server = start(
                "serve",
                "--listen",
                "127.0.0.1:0",
                checkout.resolve("examples/bookstore").toString())) {
            String address = server.line().split(" ", 4)[2];
            Files.writeString(source, "// An edit.\n", StandardOpenOption.APPEND);
            assertThat(run("--version").err()).contains("building");
            assertThat(run("--version").err()).doesNotContain("building");
            // Asks over TCP for the first time, which loads classes.
            Program.Result verified = run(
                    "verify",
                    "--server",
                    address,
                    "--as-applied",
                    checkout.resolve("examples/bookstore").toString());
            assertThat(verified.code()).as(verified.out() + verified.err()).isZero();
            server.signal("TERM");
            Program.Result ended = server.end();
            assertThat(ended.code()).as(ended.err()).isZero();
            assertThat(ended.err()).doesNotContain("Exception", "Error");
        }
    }

    @Test
    @Order(5)
    void brokenSourcesAreReported() throws Exception {
        Files.delete(checkout.resolve("k8sdns-model/src/main/java/io/k8sdns/model/Labels.java"));
        Program.Result broken = run("--version");
        assertThat(broken.code()).isEqualTo(Main.FAILED);
        assertThat(broken.out()).isEmpty();
        assertThat(broken.err()).contains("building").endsWith("k8sdns: the build failed; ./mvnw verify shows why\n");
        assertThat(checkout.resolve("tools/k8sdns-distribution/target/builds/lock"))
                .doesNotExist();
    }
}
