package io.k8sdns.distribution;

import io.k8sdns.cli.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * Runs the commands once, so that a JVM with {@code -XX:ArchiveClassesAtExit} archives the classes of a start. {@code lib/make-archive} of
 * the distribution runs it.
 *
 * <p>{@code TrainingRun EXAMPLES}: the directory with {@code bookstore} and {@code pod.yaml}. Uses free ports of 127.0.0.1, and a temporary
 * directory that it deletes.
 */
public final class TrainingRun {
    private static final List<String> AT_FREE_PORT = List.of("serve", "--listen", "127.0.0.1:0");

    private static final Logger LOG = Logger.getLogger("io.k8sdns");

    private TrainingRun() {}

    /** Runs the commands, and ends the JVM. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        // During a build only problems are printed.
        LOG.setLevel(Level.WARNING);
        Path examples = Path.of(arguments[0]);
        String bookstore = examples.resolve("bookstore").toString();
        Path folder = Files.createTempDirectory("k8sdns-training");
        try (TrainingCluster cluster = TrainingCluster.start(folder)) {
            Path manifest = Files.writeString(folder.resolve("cluster.json"), TrainingCluster.manifest());
            Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), cluster.kubeconfig());
            run("--help");
            run("records", bookstore);
            run("query", "-f", bookstore, "cart.shop.svc.cluster.local");
            run("explain", "-f", bookstore, "--from", "shop", "cart");
            run("diff", bookstore, manifest.toString());
            String resolvConf =
                    run("resolvconf", "--pod", examples.resolve("pod.yaml").toString(), "--cluster-dns", "10.96.0.10");
            Path pod = Files.writeString(folder.resolve("resolv.conf"), resolvConf);
            run("queries", "--resolv-conf", pod.toString(), "-f", bookstore, "cart.shop");
            serve(List.of(bookstore), "verify", "--as-applied", bookstore);
            serve(List.of("--as-is", manifest.toString()), "verify", manifest.toString());
            serve(
                    List.of(
                            "--metrics",
                            "127.0.0.1:0",
                            "--startup-timeout",
                            "600",
                            "--kubeconfig",
                            kubeconfig.toString()),
                    "verify",
                    manifest.toString());
        } finally {
            delete(folder);
        }
        // Threads of a client that keeps connections open do not delay the archive.
        System.exit(CommandLine.ExitCode.OK);
    }

    /** Runs a command and returns what it prints. */
    private static String run(String... arguments) {
        StringWriter out = new StringWriter();
        execute(out, arguments);
        return out.toString();
    }

    private static void execute(Writer out, String... arguments) {
        StringWriter err = new StringWriter();
        int code = Main.commandLine(arguments)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        if (code != CommandLine.ExitCode.OK) {
            throw new IllegalStateException(String.join(" ", arguments) + " ended with " + code + ": " + err);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Runs a server, and a command with the address of the server as the value of {@code --server}. */
    private static void serve(List<String> arguments, String... command) throws IOException, InterruptedException {
        PipedReader printed = new PipedReader();
        PipedWriter pipe = new PipedWriter(printed);
        String[] all = Stream.concat(AT_FREE_PORT.stream(), arguments.stream()).toArray(String[]::new);
        Thread server = new Thread(() -> execute(pipe, all));
        server.start();
        try {
            String line = new BufferedReader(printed).readLine();
            if (line == null) {
                throw new IOException("the server has printed nothing");
            }
            String address = line.split(" ", 4)[2];
            run(Stream.concat(Stream.of(command), Stream.of("--server", address))
                    .toArray(String[]::new));
        } finally {
            server.interrupt();
            server.join();
        }
    }
}
