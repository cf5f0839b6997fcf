package io.k8sdns.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * BIND or Knot DNS on loopback as the primary server of example.org. The key of {@link #keyFile} can update and transfer the zone;
 * BIND refuses updates of {@link #REFUSED}.
 */
final class RealPrimary implements AutoCloseable {
    static final String REFUSED = "refused.shop.prod.svc.example.org";

    private static final String SECRET = "bm90IGEgc2VjcmV0LCBidXQgb2YgdGhlIHJpZ2h0IHNpemU=";
    private static final long TIMEOUT_SECONDS = 60;
    private static final int MAX_TRIES = 5;

    private static final String ZONE = """
            $ORIGIN example.org.
            @ 300 SOA ns host 1 3600 600 86400 60
            @ 300 NS ns
            ns 300 A 127.0.0.1
            """;

    private static final String BIND = """
            options {
                directory "%1$s";
                pid-file none;
                session-keyfile none;
                listen-on port %2$d { 127.0.0.1; };
                listen-on-v6 { none; };
                recursion no;
                dnssec-validation no;
            };
            controls {};
            key "k8sdns" { algorithm hmac-sha256; secret "%3$s"; };
            zone "example.org" {
                type primary;
                file "example.org.zone";
                update-policy {
                    deny * name %4$s. ANY;
                    grant k8sdns subdomain example.org. ANY;
                };
                allow-transfer { key k8sdns; };
            };
            """;

    private static final String KNOT = """
            server:
                rundir: "%1$s"
                listen: 127.0.0.1@%2$d
            database:
                storage: "%1$s/database"
            key:
              - id: k8sdns
                algorithm: hmac-sha256
                secret: %3$s
            acl:
              - id: all
                key: k8sdns
                action: [update, transfer]
            zone:
              - domain: example.org
                storage: "%1$s"
                file: example.org.zone
                acl: all
            """;

    private final List<String> command;
    private final Path folder;
    private final int port;
    private Process process;

    private RealPrimary(List<String> command, Path folder, int port) throws IOException {
        this.command = command;
        this.folder = folder;
        this.port = port;
        process = launch();
    }

    /**
     * Starts a server, and waits until it answers.
     *
     * @param kind {@code named} or {@code knotd}
     */
    static RealPrimary start(String kind, Path folder) throws IOException, InterruptedException {
        return start(kind, folder, kind.equals("named") ? BIND : KNOT);
    }

    /** Starts BIND with a configuration that refuses zone transfers. */
    static RealPrimary withoutTransfer(Path folder) throws IOException, InterruptedException {
        return start("named", folder, BIND.replace("allow-transfer { key k8sdns; };", "allow-transfer { none; };"));
    }

    private static RealPrimary start(String kind, Path folder, String template)
            throws IOException, InterruptedException {
        boolean isBind = kind.equals("named");
        String program = RealServer.program(kind, isBind ? "bind9" : "knot");
        for (int tries = 1; true; tries++) {
            int port = RealServer.freePort();
            Path own = Files.createDirectory(folder.resolve(kind + "-" + port));
            // Without this folder Knot DNS answers SERVFAIL to updates.
            Files.createDirectory(own.resolve("database"));
            Files.writeString(own.resolve("example.org.zone"), ZONE);
            String configuration = Files.writeString(
                            own.resolve("configuration"), template.formatted(own, port, SECRET, REFUSED))
                    .toString();
            RealPrimary server = new RealPrimary(
                    isBind
                            ? List.of(program, "-g", "-n", "1", "-c", configuration)
                            : List.of(program, "-c", configuration),
                    own,
                    port);
            try {
                server.awaitAnswer();
                return server;
            } catch (AssertionError silent) {
                server.close();
                // Another program may have bound the port in the meantime.
                if (tries == MAX_TRIES) {
                    throw silent;
                }
            }
        }
    }

    private Process launch() throws IOException {
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
                .start();
    }

    private void awaitAnswer() throws IOException, InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (process.isAlive() && System.nanoTime() < until) {
            if (dig("example.org", "SOA").startsWith("ns.example.org.")) {
                return;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        throw new AssertionError(command + ": " + Files.readString(folder.resolve("log")));
    }

    /** Writes a key file in the format of tsig-keygen, and returns its name. */
    static String keyFile(Path folder) throws IOException {
        return Files.writeString(
                        folder.resolve("tsig.key"),
                        "key \"k8sdns\" {\n\talgorithm hmac-sha256;\n\tsecret \"" + SECRET + "\";\n};\n")
                .toString();
    }

    /** Returns the options of external names in the zone of this server. */
    List<String> options() throws IOException {
        return options(folder, port);
    }

    /** Returns the options of external names in the zone of a server at a port. */
    static List<String> options(Path folder, int port) throws IOException {
        return List.of(
                "--external-suffix",
                "example.org",
                "--rfc2136",
                "127.0.0.1:" + port,
                "--rfc2136-zone",
                "example.org",
                "--tsig-key-file",
                keyFile(folder),
                "--owner",
                "test");
    }

    /** Returns the output of {@code dig +short}, sorted and joined by spaces. */
    String dig(String name, String type) throws IOException, InterruptedException {
        String printed = run(
                "",
                RealServer.program("dig", "bind9-dnsutils"),
                "@127.0.0.1",
                "-p",
                Integer.toString(port),
                "+short",
                "+norecurse",
                "+tries=1",
                "+time=5",
                name,
                type);
        return String.join(" ", printed.lines().sorted().toList());
    }

    /** Repeats a query with {@code dig} until the answer is as expected; the test has a time limit. */
    void await(String name, String type, String expected) throws IOException, InterruptedException {
        while (!dig(name, type).equals(expected)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    /** Updates the zone with {@code nsupdate}; the lines omit server, zone and send. */
    void nsupdate(String... lines) throws IOException, InterruptedException {
        String input = "server 127.0.0.1 " + port + "\nzone example.org\n" + String.join("\n", lines) + "\nsend\n";
        String unused =
                run(input, RealServer.program("nsupdate", "bind9-dnsutils"), "-y", "hmac-sha256:k8sdns:" + SECRET);
    }

    private static String run(String input, String... command) throws IOException, InterruptedException {
        Process run = new ProcessBuilder(command).redirectErrorStream(true).start();
        run.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        run.getOutputStream().close();
        String printed = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!run.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            run.destroyForcibly();
            throw new AssertionError(List.of(command) + " does not end");
        }
        return printed;
    }

    /** Kills the process. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the server does not end");
        }
    }

    /** Starts a killed server again, and waits until it answers. */
    void restart() throws IOException, InterruptedException {
        process = launch();
        awaitAnswer();
    }

    @Override
    public void close() {
        try {
            kill();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
