package io.k8sdns.forward;

import io.k8sdns.forward.UpstreamObserver.Failure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A server of a zone: its sockets, its connections, and whether it works. Used on the loop's thread alone.
 *
 * <p>After two failures in a row it is set aside: asked last, and probed with {@code . NS} until it answers, at first after half a
 * second, then ever more seldom, at least every eight seconds.
 */
final class ServerState {
    /** Sockets at as many random ports; a query takes any of them. */
    private static final int MOST_SOCKETS = 16;

    private static final int IDS = 65_536;
    private static final int FAILURES_TO_SET_ASIDE = 2;
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long FIRST_PROBE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LONGEST_PROBE_NANOS = TimeUnit.SECONDS.toNanos(8);

    /** For how long a server that does not know EDNS is asked without. */
    private static final long WITHOUT_EDNS_NANOS = TimeUnit.MINUTES.toNanos(15);

    private final UpstreamServer server;
    private final UpstreamGroup group;
    private final List<UpstreamUdpSocket> sockets = new ArrayList<>();
    private final List<StreamConnection> connections = new ArrayList<>();
    private int failures;
    private boolean aside;
    private long probeNanos = FIRST_PROBE_NANOS;
    private boolean idleTimer;

    /** When EDNS may be tried again, by {@link System#nanoTime()}; null while the server is taken to know it. */
    private @Nullable Long ednsAgainAt;

    /** When the server last answered with EDNS, by {@link System#nanoTime()}; null if it never has. */
    private @Nullable Long ednsKnownAt;

    ServerState(UpstreamServer server, UpstreamGroup group) {
        this.server = server;
        this.group = group;
    }

    IoLoop loop() {
        return group.loop();
    }

    RandomBytes random() {
        return group.random();
    }

    boolean isStream() {
        return server.transport() != UpstreamServer.Transport.UDP;
    }

    boolean isAside() {
        return aside;
    }

    /** Returns an id that is not taken. */
    int freeId(IntPredicate taken) throws IOException {
        for (int tries = 0; tries < 100; tries++) {
            int id = random().next16();
            if (!taken.test(id)) {
                return id;
            }
        }
        throw new IOException("nearly all of the " + IDS + " ids are taken");
    }

    /** Returns a socket to send a query from. */
    UpstreamUdpSocket socket() throws IOException {
        sockets.removeIf(UpstreamUdpSocket::isRetired);
        int chosen = random().below(MOST_SOCKETS);
        if (chosen < sockets.size()) {
            return sockets.get(chosen);
        }
        UpstreamUdpSocket opened = new UpstreamUdpSocket(loop(), server.address(), group.datagram());
        sockets.add(opened);
        return opened;
    }

    /** Returns a connection without queries, or a new one; at the limit the one with the fewest queries that is not stalled, if any. */
    StreamConnection connection() throws IOException {
        StreamConnection best = best(connections);
        if (best == null || best.pendingCount() > 0 && mayConnect()) {
            return freshConnection();
        }
        group.observe(observer -> observer.reusing(server));
        return best;
    }

    /**
     * Returns a connection that has answered nothing yet, so that it is no stale one, or a new one. The queries of a connection that
     * was lost share it.
     *
     * @param id not the id of another query on it
     */
    StreamConnection unusedConnection(int id) throws IOException {
        StreamConnection best = best(connections.stream()
                .filter(one -> !one.hasAnswered() && !one.isPending(id))
                .toList());
        return best == null || best.isStalled() && mayConnect() ? freshConnection() : best;
    }

    private boolean mayConnect() {
        return connections.size() < group.zone().maxConnections();
    }

    private static @Nullable StreamConnection best(List<StreamConnection> some) {
        StreamConnection best = null;
        for (StreamConnection one : some) {
            if (best == null
                    || best.isStalled() && !one.isStalled()
                    || best.isStalled() == one.isStalled() && one.pendingCount() < best.pendingCount()) {
                best = one;
            }
        }
        return best;
    }

    private StreamConnection freshConnection() throws IOException {
        InetSocketAddress address = server.address();
        TlsEngine tls = server.transport() == UpstreamServer.Transport.TLS
                ? new TlsEngine(group.tlsContext(), server.tlsName().orElseThrow(), address.getPort())
                : null;
        StreamConnection opened = new StreamConnection(loop(), address, tls, connections::remove);
        connections.add(opened);
        group.observe(observer -> observer.connecting(server));
        closeWhenIdle();
        return opened;
    }

    private void closeWhenIdle() {
        if (!idleTimer) {
            idleTimer = true;
            loop().schedule(IDLE_NANOS, this::closeIdle);
        }
    }

    private void closeIdle() {
        idleTimer = false;
        long now = System.nanoTime();
        for (StreamConnection one : List.copyOf(connections)) {
            if (one.pendingCount() == 0 && now - one.activeAt() >= IDLE_NANOS) {
                one.end(new IOException("idle"));
            }
        }
        if (!connections.isEmpty()) {
            closeWhenIdle();
        }
    }

    boolean takesEdns() {
        Long again = ednsAgainAt;
        return again == null || System.nanoTime() - again >= 0;
    }

    /** Remembers that the server knows EDNS: what it refuses is a question. */
    void knowsEdns() {
        ednsKnownAt = System.nanoTime();
    }

    /**
     * Remembers that the server does not know EDNS, or not this version of it, since it has answered a question without; unless it has
     * answered others with EDNS.
     */
    void answeredWithoutEdns() {
        long now = System.nanoTime();
        Long known = ednsKnownAt;
        boolean knowsEdns = known != null && now - known < WITHOUT_EDNS_NANOS;
        if (takesEdns() && !knowsEdns) {
            ednsAgainAt = now + WITHOUT_EDNS_NANOS;
        }
    }

    void answered(int rcode, long nanos) {
        answered();
        group.observe(observer -> observer.answered(server, rcode, nanos));
    }

    /** The server works. */
    void answered() {
        failures = 0;
        if (aside) {
            aside = false;
            probeNanos = FIRST_PROBE_NANOS;
            group.observe(observer -> observer.broughtBack(server));
        }
    }

    /** The server works, but this one response is of no use. */
    void unreadable() {
        answered();
        group.observe(observer -> observer.failed(server, Failure.MALFORMED));
    }

    void failed(Failure failure) {
        group.observe(observer -> observer.failed(server, failure));
        if (++failures >= FAILURES_TO_SET_ASIDE && !aside) {
            aside = true;
            group.observe(observer -> observer.setAside(server));
            scheduleProbe();
        }
    }

    private void scheduleProbe() {
        group.lookUpAgain();
        loop().schedule(probeNanos, () -> {
            if (aside) {
                probeNanos = Math.min(2 * probeNanos, LONGEST_PROBE_NANOS);
                group.probe(this, this::scheduleProbe);
            }
        });
    }

    void close() {
        List.copyOf(sockets).forEach(UpstreamUdpSocket::close);
        sockets.clear();
        List.copyOf(connections).forEach(one -> one.end(new IOException("the forwarder is closed")));
    }

    @Override
    public String toString() {
        return server.toString();
    }
}
