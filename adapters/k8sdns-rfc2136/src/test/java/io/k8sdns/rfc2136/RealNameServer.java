package io.k8sdns.rfc2136;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * BIND or Knot DNS on loopback, the primary of example.org. The key {@code k8sdns} may update and transfer the zone, the key {@code
 * update-only} only update it. BIND refuses updates of refused.example.org.
 */
final class RealNameServer implements AutoCloseable {
    static final String SECRET = "bm90IGEgc2VjcmV0LCBidXQgb2YgdGhlIHJpZ2h0IHNpemU=";

    private static final long PATIENCE_SECONDS = 60;
    private static final int MAX_TRIES = 5;

    private static final String ZONE = """
            $ORIGIN example.org.
            @ 300 SOA ns host 1 3600 600 86400 60
            @ 300 NS ns
            ns 300 A 127.0.0.1
            taken 300 A 192.0.2.77
            text 300 TXT "of another owner"
            *.wild 300 A 192.0.2.88
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
            key "k8sdns-384" { algorithm hmac-sha384; secret "%3$s"; };
            key "k8sdns-512" { algorithm hmac-sha512; secret "%3$s"; };
            key "update-only" { algorithm hmac-sha256; secret "%3$s"; };
            zone "example.org" {
                type primary;
                file "example.org.zone";
                update-policy {
                    deny * name refused.example.org. ANY;
                    grant k8sdns subdomain example.org. ANY;
                    grant k8sdns-384 subdomain example.org. ANY;
                    grant k8sdns-512 subdomain example.org. ANY;
                    grant update-only subdomain example.org. ANY;
                };
                allow-transfer { key k8sdns; key k8sdns-384; key k8sdns-512; };
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
              - id: k8sdns-384
                algorithm: hmac-sha384
                secret: %3$s
              - id: k8sdns-512
                algorithm: hmac-sha512
                secret: %3$s
              - id: update-only
                algorithm: hmac-sha256
                secret: %3$s
            acl:
              - id: all
                key: [k8sdns, k8sdns-384, k8sdns-512]
                action: [update, transfer]
              - id: some
                key: update-only
                action: update
            template:
              - id: default
                storage: "%1$s"
            zone:
              - domain: example.org
                file: example.org.zone
                acl: [all, some]
            """;

    private final List<String> command;
    private final Path folder;
    private final InetSocketAddress address;
    private Process process;

    private RealNameServer(List<String> command, Path folder, int port) throws IOException {
        this.command = command;
        this.folder = folder;
        this.address = new InetSocketAddress(loopback(), port);
        this.process = launch();
    }

    private static InetAddress loopback() throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    }

    /**
     * Starts a server, and waits until it answers.
     *
     * @param kind {@code named} or {@code knotd}
     */
    static RealNameServer start(String kind, Path folder) throws IOException, InterruptedException {
        boolean isBind = kind.equals("named");
        String program = program(kind, isBind ? "bind9" : "knot");
        for (int tries = 1; true; tries++) {
            int port;
            try (ServerSocket free = new ServerSocket(0, 1, loopback())) {
                port = free.getLocalPort();
            }
            Path own = Files.createDirectory(folder.resolve(kind + "-" + port));
            // Knot DNS answers SERVFAIL to updates without it.
            Files.createDirectory(own.resolve("database"));
            Files.writeString(own.resolve("example.org.zone"), ZONE);
            Path configuration = Files.writeString(
                    own.resolve("configuration"), (isBind ? BIND : KNOT).formatted(own, port, SECRET));
            RealNameServer server = new RealNameServer(
                    isBind
                            ? List.of(program, "-g", "-n", "1", "-c", configuration.toString())
                            : List.of(program, "-c", configuration.toString()),
                    own,
                    port);
            try {
                server.awaitAnswer();
                return server;
            } catch (AssertionError silent) {
                server.close();
                // Another program may have taken the port in the meantime.
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
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (process.isAlive() && System.nanoTime() < until) {
            if (dig("example.org", "SOA").startsWith("ns.example.org.")) {
                return;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        throw new AssertionError(command + ": " + Files.readString(folder.resolve("log")));
    }

    InetSocketAddress address() {
        return address;
    }

    /** Returns the records of a name in the format of {@code dig +short}, sorted and separated by spaces. */
    String dig(String name, String type) throws IOException, InterruptedException {
        String printed = run(
                "",
                program("dig", "bind9-dnsutils"),
                "@127.0.0.1",
                "-p",
                Integer.toString(address.getPort()),
                "+short",
                "+norecurse",
                "+tries=1",
                "+time=5",
                name,
                type);
        return String.join(" ", printed.lines().sorted().toList());
    }

    /** Returns the TTL of the first record of a name, as {@code dig} prints it. */
    String ttl(String name, String type) throws IOException, InterruptedException {
        String printed = run(
                "",
                program("dig", "bind9-dnsutils"),
                "@127.0.0.1",
                "-p",
                Integer.toString(address.getPort()),
                "+noall",
                "+answer",
                "+norecurse",
                name,
                type);
        return printed.lines()
                .findFirst()
                .map(line -> line.split("\\s+", -1)[1])
                .orElse("");
    }

    /** Returns the serial of the zone. */
    String serial() throws IOException, InterruptedException {
        return dig("example.org", "SOA").split(" ", -1)[2];
    }

    /** Updates the zone with {@code nsupdate}; the lines without server, zone and send. */
    void nsupdate(String... lines) throws IOException, InterruptedException {
        String input = "server 127.0.0.1 " + address.getPort() + "\nzone example.org\n" + String.join("\n", lines)
                + "\nsend\n";
        run(input, program("nsupdate", "bind9-dnsutils"), "-y", "hmac-sha256:k8sdns:" + SECRET);
    }

    private static String run(String input, String... command) throws IOException, InterruptedException {
        Process run = new ProcessBuilder(command).redirectErrorStream(true).start();
        run.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        run.getOutputStream().close();
        String printed = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!run.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            run.destroyForcibly();
            throw new AssertionError(List.of(command) + " does not end");
        }
        return printed;
    }

    /** Kills the process. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the server does not end");
        }
    }

    /** Starts a server that was killed, and waits until it answers. */
    void restart() throws IOException, InterruptedException {
        process = launch();
        awaitAnswer();
    }

    /** Returns the path of a program; skips the test without it, or fails in CI. */
    static String program(String name, String debianPackage) {
        List<String> folders = new ArrayList<>(
                List.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(":", -1)));
        folders.addAll(List.of("/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"));
        for (String folder : folders) {
            Path program = Path.of(folder, name);
            if (!folder.isEmpty() && Files.isExecutable(program)) {
                return program.toString();
            }
        }
        String message = "NOT RUN: a test against a real name server: " + name
                + " is not installed (Debian: apt-get install " + debianPackage + ")";
        if (System.getenv("CI") != null) {
            return fail(message);
        }
        System.err.println(message);
        return abort(message);
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
