package io.k8sdns.etcd;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An etcd member in a separate process, on free ports of loopback, with its data in a directory of the test. */
final class RealEtcd implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;
    private static final int MAX_TRIES = 5;

    private final Path folder;
    private final List<String> command;
    private final int port;
    private final int healthPort;
    private final boolean tls;
    private Process process;

    private RealEtcd(Path folder, List<String> command, Ports ports, boolean tls) throws IOException {
        this.folder = folder;
        this.command = command;
        this.port = ports.client();
        this.healthPort = ports.health();
        this.tls = tls;
        this.process = launch();
    }

    /** Ports that are free at the moment. */
    record Ports(int client, int peer, int health) {
        static Ports free() throws IOException {
            InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            try (ServerSocket one = new ServerSocket(0, 1, loopback);
                    ServerSocket two = new ServerSocket(0, 1, loopback);
                    ServerSocket three = new ServerSocket(0, 1, loopback)) {
                return new Ports(one.getLocalPort(), two.getLocalPort(), three.getLocalPort());
            }
        }

        String peerUrl() {
            return "http://127.0.0.1:" + peer;
        }
    }

    /** Starts a cluster of one member. */
    static RealEtcd start(Path folder, String... options) throws IOException, InterruptedException {
        for (int tries = 1; true; tries++) {
            Ports ports = Ports.free();
            RealEtcd member = member(
                    Files.createDirectory(folder.resolve("etcd-" + ports.client())),
                    "one",
                    ports,
                    "one=" + ports.peerUrl(),
                    options);
            try {
                member.awaitHealth();
                return member;
            } catch (AssertionError silent) {
                member.close();
                // Another program may have taken a port in the meantime.
                if (tries == MAX_TRIES) {
                    throw silent;
                }
            }
        }
    }

    /** Starts a cluster of three members. */
    static List<RealEtcd> startThree(Path folder) throws IOException, InterruptedException {
        for (int tries = 1; true; tries++) {
            List<Ports> ports = List.of(Ports.free(), Ports.free(), Ports.free());
            String cluster = "m0=" + ports.get(0).peerUrl() + ",m1="
                    + ports.get(1).peerUrl() + ",m2=" + ports.get(2).peerUrl();
            List<RealEtcd> members = new ArrayList<>();
            for (int i = 0; i < ports.size(); i++) {
                Path own = Files.createDirectory(
                        folder.resolve("etcd-" + ports.get(i).client()));
                members.add(member(own, "m" + i, ports.get(i), cluster));
            }
            try {
                for (RealEtcd member : members) {
                    member.awaitHealth();
                }
                return members;
            } catch (AssertionError silent) {
                for (RealEtcd member : members) {
                    member.close();
                }
                if (tries == MAX_TRIES) {
                    throw silent;
                }
            }
        }
    }

    private static RealEtcd member(Path folder, String name, Ports ports, String cluster, String... options)
            throws IOException {
        boolean tls = List.of(options).contains("--client-cert-auth");
        String client = (tls ? "https" : "http") + "://127.0.0.1:" + ports.client();
        List<String> command = new ArrayList<>(List.of(
                program("etcd", "etcd-server"),
                "--name=" + name,
                "--data-dir=" + folder.resolve("data"),
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=" + ports.peerUrl(),
                "--initial-advertise-peer-urls=" + ports.peerUrl(),
                "--initial-cluster=" + cluster,
                "--listen-metrics-urls=http://127.0.0.1:" + ports.health(),
                "--logger=zap"));
        command.addAll(List.of(options));
        return new RealEtcd(folder, command, ports, tls);
    }

    private Process launch() throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("ETCD"));
        return builder.redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
                .start();
    }

    /** Waits until the member answers, and has a leader. */
    void awaitHealth() throws IOException, InterruptedException {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + healthPort + "/health"))
                .timeout(Duration.ofSeconds(5))
                .build();
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (process.isAlive() && System.nanoTime() < until) {
            try {
                if (client.send(request, HttpResponse.BodyHandlers.ofString())
                        .body()
                        .contains("\"true\"")) {
                    return;
                }
            } catch (IOException notYet) {
                // Retried, because the port refuses connections until the member listens.
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        throw new AssertionError(String.join(" ", command) + ": " + Files.readString(folder.resolve("log")));
    }

    URI uri() {
        return URI.create((tls ? "https" : "http") + "://127.0.0.1:" + port);
    }

    int port() {
        return port;
    }

    /** Kills the process, like a power failure. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("etcd does not end");
        }
    }

    /** Starts a member that was killed, without waiting. */
    void restart() throws IOException {
        process = launch();
    }

    /** Stops or continues the process, which keeps its connections: {@code STOP}, {@code CONT}. */
    void signal(String name) throws IOException, InterruptedException {
        run(List.of("kill", "-" + name, Long.toString(process.pid())), "");
    }

    /**
     * Runs etcdctl against this member, and returns what it prints. xargs passes the arguments, because the JVM encodes those of its
     * processes in the charset of the locale.
     */
    String etcdctl(String... arguments) throws IOException, InterruptedException {
        return run(
                List.of("xargs", "-0", program("etcdctl", "etcd-client"), "--endpoints=http://127.0.0.1:" + port),
                Stream.of(arguments).map(argument -> argument + "\0").collect(Collectors.joining()));
    }

    private static String run(List<String> command, String input) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("ETCD"));
        builder.environment().put("ETCDCTL_API", "3");
        Process run = builder.start();
        try (OutputStream stdin = run.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String printed = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!run.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            run.destroyForcibly();
            throw new AssertionError(command + " does not end");
        }
        if (run.exitValue() != 0) {
            throw new AssertionError(command + ": " + printed);
        }
        return printed;
    }

    /** Returns the path of a program; skips the test without it, or fails in CI. */
    static String program(String name, String debianPackage) {
        List<String> folders = new ArrayList<>(
                List.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(":", -1)));
        folders.addAll(List.of("/usr/bin", "/usr/local/bin"));
        for (String folder : folders) {
            Path program = Path.of(folder, name);
            if (!folder.isEmpty() && Files.isExecutable(program)) {
                return program.toString();
            }
        }
        String message = "NOT RUN: a test against a real etcd: " + name + " is not installed (Debian: apt-get install "
                + debianPackage + ")";
        if (System.getenv("CI") != null) {
            return fail(message);
        }
        System.err.println(message);
        return abort(message);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                throw new AssertionError("etcd does not end");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
