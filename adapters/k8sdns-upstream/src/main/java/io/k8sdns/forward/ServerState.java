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
 * A server of a zone: its sockets, its connections, and its health. Used only on the loop's thread.
 *
 * <p>After two consecutive failures the server is <i>marked down</i>: it is asked last, and probed with {@code . NS} until it
 * answers. The first probe is sent after half a second; the interval doubles up to eight seconds.
 */
final class ServerState {
    /** The number of sockets, each at a random port; each query uses a random one. */
    private static final int MAX_SOCKETS = 16;

    private static final int IDS = 65_536;
    private static final int FAILURES_TO_MARK_DOWN = 2;
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long FIRST_PROBE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MAX_PROBE_NANOS = TimeUnit.SECONDS.toNanos(8);

    /** For how long queries to a server without EDNS have no OPT record. */
    private static final long WITHOUT_EDNS_NANOS = TimeUnit.MINUTES.toNanos(15);

    private final UpstreamServer server;
    private final UpstreamGroup group;
    private final List<UpstreamUdpSocket> sockets = new ArrayList<>();
    private final List<StreamConnection> connections = new ArrayList<>();
    private int failures;
    private boolean isDown;
    private long probeNanos = FIRST_PROBE_NANOS;
    private boolean idleTimer;

    /** The time of the next attempt with EDNS, by {@link System#nanoTime()}; null while EDNS is used. */
    private @Nullable Long ednsRetryAt;

    /** The time of the server's last answer with EDNS, by {@link System#nanoTime()}; null if there was none. */
    private @Nullable Long ednsSeenAt;

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

    boolean isDown() {
        return isDown;
    }

    /** Returns a random message id that is not in use. */
    int freeId(IntPredicate taken) throws IOException {
        for (int tries = 0; tries < 100; tries++) {
            int id = random().next16();
            if (!taken.test(id)) {
                return id;
            }
        }
        throw new IOException("nearly all of the " + IDS + " message ids are in use");
    }

    /** Returns a socket to send a query from. */
    UpstreamUdpSocket socket() throws IOException {
        sockets.removeIf(UpstreamUdpSocket::isRetired);
        int chosen = random().below(MAX_SOCKETS);
        if (chosen < sockets.size()) {
            return sockets.get(chosen);
        }
        UpstreamUdpSocket opened = new UpstreamUdpSocket(loop(), server.address(), group.datagram());
        sockets.add(opened);
        return opened;
    }

    /**
     * Returns a connection without queries, otherwise a new one. At the limit, returns the connection with the fewest queries,
     * preferably one that is not stalled.
     */
    StreamConnection connection() throws IOException {
        StreamConnection best = best(connections);
        if (best == null || best.pendingCount() > 0 && mayConnect()) {
            return newConnection();
        }
        group.observe(observer -> observer.reusing(server));
        return best;
    }

    /**
     * Returns a connection on which no response was received yet, and which therefore is not stale, or a new one. All queries of a lost
     * connection use the same one.
     *
     * @param id an id that no other query of the connection may have
     */
    StreamConnection unusedConnection(int id) throws IOException {
        StreamConnection best = best(connections.stream()
                .filter(one -> !one.hasAnswered() && !one.isPending(id))
                .toList());
        return best == null || best.isStalled() && mayConnect() ? newConnection() : best;
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

    private StreamConnection newConnection() throws IOException {
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

    boolean usesEdns() {
        Long again = ednsRetryAt;
        return again == null || System.nanoTime() - again >= 0;
    }

    /** Records that the server supports EDNS, so that a later error is about the question and not about EDNS. */
    void recordEdns() {
        ednsSeenAt = System.nanoTime();
    }

    /**
     * Records that the server answered a query only without EDNS, and stops using EDNS for a while, unless the server has recently
     * answered with EDNS.
     */
    void answeredWithoutEdns() {
        long now = System.nanoTime();
        Long seen = ednsSeenAt;
        boolean supportsEdns = seen != null && now - seen < WITHOUT_EDNS_NANOS;
        if (usesEdns() && !supportsEdns) {
            ednsRetryAt = now + WITHOUT_EDNS_NANOS;
        }
    }

    void answered(int rcode, long nanos) {
        answered();
        group.observe(observer -> observer.answered(server, rcode, nanos));
    }

    /** Records that the server works. */
    void answered() {
        failures = 0;
        if (isDown) {
            isDown = false;
            probeNanos = FIRST_PROBE_NANOS;
            group.observe(observer -> observer.markedUp(server));
        }
    }

    /** Records that the server works, but sent a malformed response. */
    void unreadable() {
        answered();
        group.observe(observer -> observer.failed(server, Failure.MALFORMED));
    }

    void failed(Failure failure) {
        group.observe(observer -> observer.failed(server, failure));
        if (++failures >= FAILURES_TO_MARK_DOWN && !isDown) {
            isDown = true;
            group.observe(observer -> observer.markedDown(server));
            scheduleProbe();
        }
    }

    private void scheduleProbe() {
        group.lookUpAgain();
        loop().schedule(probeNanos, () -> {
            if (isDown) {
                probeNanos = Math.min(2 * probeNanos, MAX_PROBE_NANOS);
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
