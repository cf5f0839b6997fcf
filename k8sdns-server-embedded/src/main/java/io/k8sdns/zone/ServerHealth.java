package io.k8sdns.zone;

import io.k8sdns.cluster.SyncState;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Decides whether a server is live and ready, for the probes of a kubelet or a load balancer. The host answers the probes,
 * for example over HTTP: 200 or 503.
 *
 * <pre>{@code
 * ServerHealth health = new ServerHealth();
 * health.add(feed);
 * int liveness = health.isLive() ? 200 : 503;
 * int readiness = health.isReady() ? 200 : 503;
 * }</pre>
 *
 * <p>A server becomes ready when its zones hold all objects for the first time. It stays ready while the API server is
 * unavailable and it serves the last records. It is not ready when these are older than {@link ZoneFeed.Builder#staleLimit}, and
 * when it is about to stop.
 *
 * <p>A server is always live: a restart while its API server is unavailable would lose the records.
 *
 * <p>Thread-safe; no method blocks.
 */
public final class ServerHealth {
    private final List<Supplier<ZoneHealth>> zones = new CopyOnWriteArrayList<>();
    private volatile boolean stopping;

    /** Creates the health of a server without zones, which is not ready: {@link Status#SYNCING}. */
    public ServerHealth() {}

    /** The status of a server, from best to worst. */
    public enum Status {
        /** The zones hold all objects and are up to date. */
        READY(true),
        /** The source has lost its API server; the server answers from the last records. */
        STALE(true),
        /** The last records are older than the stale limit; the server answers with SERVFAIL. */
        EXPIRED(false),
        /** The source has not delivered all objects yet; the server answers with SERVFAIL. */
        SYNCING(false),
        /** {@link #markStopping} was called. */
        STOPPING(false);

        private final boolean ready;

        Status(boolean ready) {
            this.ready = ready;
        }

        /** Returns whether a load balancer should send clients to a server with this status. */
        public boolean isReady() {
            return ready;
        }
    }

    private record ZoneHealth(Status status, Optional<Instant> staleSince) {}

    /** Adds a zone that a feed fills. With several zones the worst status counts. */
    public void add(ZoneFeed feed) {
        Objects.requireNonNull(feed, "feed");
        zones.add(() -> {
            SyncState state = feed.state();
            Optional<Instant> staleSince = feed.staleSince();
            boolean expired = state == SyncState.SYNCING && staleSince.isPresent();
            return new ZoneHealth(expired ? Status.EXPIRED : status(state), staleSince);
        });
    }

    /**
     * Adds a zone without a feed, or whose feed the host cannot access. Its status is {@link Status#SYNCING} instead of {@link
     * Status#EXPIRED}, and {@link #staleSince} does not include it.
     */
    public void add(ClusterZone zone) {
        Objects.requireNonNull(zone, "zone");
        zones.add(() -> new ZoneHealth(status(zone.state()), Optional.empty()));
    }

    /** Makes the server unready. Call it before closing the listeners, so that load balancers stop sending clients. */
    public void markStopping() {
        stopping = true;
    }

    /** Returns the current status of the server. */
    public Status status() {
        if (stopping) {
            return Status.STOPPING;
        }
        return health().map(ZoneHealth::status).max(Comparator.naturalOrder()).orElse(Status.SYNCING);
    }

    /** Returns whether a load balancer should send clients to this server. */
    public boolean isReady() {
        return status().isReady();
    }

    /** Returns true: no status of this server is a reason to restart it. */
    public boolean isLive() {
        return true;
    }

    /** Returns the earliest time since when a source has had no connection to its API server; empty if all are connected. */
    public Optional<Instant> staleSince() {
        return health().flatMap(zone -> zone.staleSince().stream()).min(Comparator.naturalOrder());
    }

    private Stream<ZoneHealth> health() {
        return zones.stream().map(Supplier::get);
    }

    private static Status status(SyncState state) {
        return switch (state) {
            case SYNCED -> Status.READY;
            case STALE -> Status.STALE;
            case SYNCING -> Status.SYNCING;
        };
    }
}
