package io.k8sdns.cli;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.sockets.DnsClient;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * A third-party DNS server on loopback, configured in a folder of the test: Knot DNS with a few zones, a resolver that queries
 * it, or CoreDNS with the objects of an API server. Stopped at the end of the test.
 */
final class RealServer implements AutoCloseable {
    private static final long TIMEOUT_SECONDS = 60;

    /** A name for which Unbound is configured to answer REFUSED. */
    static final String REFUSED = "refused.example.";

    private static final int MAX_TRIES = 5;

    private final Process process;
    private final InetSocketAddress address;

    private RealServer(Process process, InetSocketAddress address) {
        this.process = process;
        this.address = address;
    }

    /** Starts Knot DNS with the zones lab.example, corp.example and the root. */
    static RealServer knot(Path folder) throws IOException, InterruptedException {
        String program = program("knotd", "knot");
        return atFreePort(port -> {
            StringBuilder lab = new StringBuilder("""
                $ORIGIN lab.example.
                @ 300 SOA ns host 1 3600 600 86400 60
                @ 300 NS ns
                @ 300 MX 10 mail
                ns 300 A 127.0.0.1
                mail 300 A 198.18.0.25
                www 300 A 198.18.0.1
                www 300 AAAA 2001:db8::1
                v4 300 A 198.18.0.4
                txt 300 TXT "one" "two"
                alias 300 CNAME www
                outside 300 CNAME www.corp.example.
                nowhere 300 CNAME missing.corp.example.
                empty.below 300 A 198.18.0.5
                *.wild 300 A 198.18.0.6
                *.wildalias 300 CNAME www
                _http._tcp 300 SRV 0 5 80 www
                chain0 300 CNAME www
                """);
            for (int i = 1; i <= 7; i++) {
                lab.append("chain" + i + " 300 CNAME chain" + (i - 1) + "\n");
            }
            // More than a datagram can hold, and less than BIND's limit of 100 records per name.
            for (int i = 0; i < 90; i++) {
                lab.append("big 300 A 198.18.1." + i + "\n");
            }
            Files.writeString(folder.resolve("lab.zone"), lab);
            Files.writeString(folder.resolve("corp.zone"), """
                $ORIGIN corp.example.
                @ 300 SOA ns host 1 3600 600 86400 60
                @ 300 NS ns
                ns 300 A 127.0.0.1
                www 300 A 198.18.9.1
                back 300 CNAME www.lab.example.
                """);
            Files.writeString(folder.resolve("root.zone"), """
                $ORIGIN .
                @ 300 SOA ns. host. 1 3600 600 86400 60
                @ 300 NS ns.
                ns. 300 A 127.0.0.1
                """);
            Path configuration = Files.writeString(folder.resolve("knot.conf"), """
                server:
                    rundir: "%1$s"
                    listen: 127.0.0.1@%2$d
                database:
                    storage: "%1$s/database"
                template:
                  - id: default
                    storage: "%1$s"
                    zonefile-sync: -1
                    journal-content: none
                zone:
                  - domain: lab.example
                    file: lab.zone
                  - domain: corp.example
                    file: corp.zone
                  - domain: .
                    file: root.zone
                """.formatted(folder, port));
            return start(folder, port, program, "-c", configuration.toString());
        });
    }

    /**
     * Starts CoreDNS with the objects of an API server. Its upstream server has a name for each address.
     *
     * @param url the API server
     * @param name a name with an A record
     */
    static RealServer coredns(String program, Path folder, String url, String name)
            throws IOException, InterruptedException {
        Path upstream = Files.writeString(folder.resolve("upstream.zone"), """
                @ 60 SOA ns.example. host.example. 1 3600 600 86400 60
                * 60 PTR host.example.
                """);
        Path configuration = Files.writeString(folder.resolve("Corefile"), """
                . {
                  bind 127.0.0.1
                  kubernetes cluster.local in-addr.arpa ip6.arpa {
                    endpoint %s
                    pods verified
                    fallthrough in-addr.arpa ip6.arpa
                  }
                  file %s in-addr.arpa ip6.arpa
                }
                """.formatted(url, upstream));
        return atFreePort(port -> startUntil(
                name, folder, port, program, "-conf", configuration.toString(), "-dns.port", Integer.toString(port)));
    }

    /** Starts a resolver that queries an authoritative server for all names. */
    static RealServer resolver(String kind, Path folder, RealServer authority)
            throws IOException, InterruptedException {
        return switch (kind) {
            case "unbound" -> unbound(folder, authority, "");
            case "named" -> named(folder, authority);
            case "kresd" -> kresd(folder, authority);
            default -> throw new AssertionError(kind);
        };
    }

    /**
     * Starts Unbound.
     *
     * @param more additional lines of the section {@code server}; {@code PORT} is replaced with the port
     */
    static RealServer unbound(Path folder, RealServer authority, String more) throws IOException, InterruptedException {
        StringBuilder zones = new StringBuilder();
        for (String zone : List.of(".", "lab.example.", "corp.example.")) {
            zones.append("stub-zone:\n  name: \"" + zone + "\"\n  stub-addr: 127.0.0.1@" + authority.address.getPort()
                    + "\n  stub-prime: no\n");
        }
        return unboundWithZones(folder, more, zones.toString());
    }

    /** Starts Unbound, which forwards all queries to a server at a port of 127.0.0.1. */
    static RealServer forwardingUnbound(Path folder, int port) throws IOException, InterruptedException {
        return unboundWithZones(
                folder,
                "",
                "forward-zone:\n  name: \".\"\n  forward-addr: 127.0.0.1@" + port + "\n  forward-first: no\n");
    }

    private static RealServer unboundWithZones(Path folder, String more, String zones)
            throws IOException, InterruptedException {
        String program = program("unbound", "unbound");
        return atFreePort(port -> {
            String text = """
                server:
                  interface: 127.0.0.1@%1$d
                  port: %1$d
                  do-daemonize: no
                  use-syslog: no
                  username: ""
                  chroot: ""
                  directory: "%2$s"
                  pidfile: ""
                  do-ip6: no
                  do-not-query-localhost: no
                  module-config: "iterator"
                  qname-minimisation: no
                  local-zone: "%3$s" always_refuse
                %4$s
                remote-control:
                  control-enable: no
                %5$s
                """.formatted(port, folder, REFUSED, more.replace("PORT", Integer.toString(port)), zones);
            Path configuration = Files.writeString(folder.resolve("unbound.conf"), text);
            return start(folder, port, program, "-d", "-c", configuration.toString());
        });
    }

    private static RealServer named(Path folder, RealServer authority) throws IOException, InterruptedException {
        String program = program("named", "bind9");
        return atFreePort(port -> {
            Path configuration = Files.writeString(
                    folder.resolve("named.conf"), """
                options {
                    directory "%1$s";
                    pid-file none;
                    session-keyfile none;
                    listen-on port %2$d { 127.0.0.1; };
                    listen-on-v6 { none; };
                    recursion yes;
                    dnssec-validation no;
                    empty-zones-enable no;
                    forwarders port %3$d { 127.0.0.1; };
                    forward only;
                };
                controls { };
                """.formatted(folder, port, authority.address.getPort()));
            return start(folder, port, program, "-g", "-n", "1", "-c", configuration.toString());
        });
    }

    private static RealServer kresd(Path folder, RealServer authority) throws IOException, InterruptedException {
        String program = program("kresd", "knot-resolver");
        return atFreePort(port -> {
            Path configuration =
                    Files.writeString(folder.resolve("kresd.conf"), """
                net.listen('127.0.0.1', %d, { kind = 'dns' })
                net.ipv6 = false
                trust_anchors.remove('.')
                policy.add(policy.all(policy.STUB('127.0.0.1@%d')))
                """.formatted(port, authority.address.getPort()));
            return start(folder, port, program, "-n", "-c", configuration.toString(), folder.toString());
        });
    }

    /** Starts a server at a port. */
    private interface Start {
        RealServer at(int port) throws IOException, InterruptedException;
    }

    /** Starts a server at a free port; retries with another port if it was bound in the meantime. */
    private static RealServer atFreePort(Start start) throws IOException, InterruptedException {
        for (int tries = 1; true; tries++) {
            try {
                return start.at(freePort());
            } catch (AssertionError silent) {
                if (tries == MAX_TRIES) {
                    throw silent;
                }
            }
        }
    }

    private static RealServer start(Path folder, int port, String... command) throws IOException, InterruptedException {
        return startUntil("www.lab.example.", folder, port, command);
    }

    /** Starts a server, and returns it when it answers for a name. */
    private static RealServer startUntil(String name, Path folder, int port, String... command)
            throws IOException, InterruptedException {
        Path log = folder.resolve("log-" + port);
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        RealServer server = new RealServer(
                process, new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
        try {
            server.awaitAnswer(Name.fromString(name));
        } catch (AssertionError silent) {
            server.close();
            throw new AssertionError(String.join(" ", command) + ": " + Files.readString(log), silent);
        }
        return server;
    }

    /** Repeats a query until the server answers. */
    private void awaitAnswer(Name name) throws IOException {
        Message query = new Message(1);
        query.getHeader().setFlag(Flags.RD);
        query.addRecord(Record.newRecord(name, Type.A, DClass.IN), Section.QUESTION);
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        try (DnsClient client = new DnsClient()) {
            while (process.isAlive() && System.nanoTime() < until) {
                for (Transport transport : List.of(Transport.UDP, Transport.TCP)) {
                    try {
                        Message response = new Message(
                                client.exchange(query.toWire(), address, transport, Duration.ofMillis(300)));
                        if (response.getRcode() == Rcode.NOERROR) {
                            return;
                        }
                    } catch (IOException notYet) {
                        // Retry.
                    }
                }
            }
        }
        throw new AssertionError("no answer");
    }

    InetSocketAddress address() {
        return address;
    }

    /** Returns {@code 127.0.0.1:PORT}. */
    String text() {
        return HostAndPort.text(address);
    }

    TestClient client() throws IOException {
        return new TestClient(address);
    }

    /** Returns a port that is free over UDP and TCP. */
    static int freePort() throws IOException {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        while (true) {
            try (ServerSocket tcp = new ServerSocket(0, 1, loopback);
                    DatagramSocket udp = new DatagramSocket(tcp.getLocalPort(), loopback)) {
                return udp.getLocalPort();
            } catch (SocketException taken) {
                // Try another port.
            }
        }
    }

    /** Returns the path of a program; if it is missing, skips the test, or fails in CI. */
    static String program(String name, String debianPackage) {
        List<String> folders = new ArrayList<>(
                List.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(":", -1)));
        folders.addAll(List.of("/usr/sbin", "/sbin", "/usr/local/sbin"));
        for (String folder : folders) {
            Path program = Path.of(folder, name);
            if (!folder.isEmpty() && Files.isExecutable(program)) {
                return program.toString();
            }
        }
        return missing(name + " is not installed (Debian: apt-get install " + debianPackage + ")");
    }

    /** Skips a test with a message, or fails in CI. */
    static String missing(String what) {
        String message = "NOT RUN: a test against real DNS servers and clients: " + what;
        if (System.getenv("CI") != null) {
            return fail(message);
        }
        System.err.println(message);
        return abort(message);
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
