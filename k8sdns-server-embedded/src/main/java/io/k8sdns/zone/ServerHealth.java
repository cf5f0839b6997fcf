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
 * <p>A server is ready as soon as its zones hold all objects for the first time. It stays ready while the API server is
 * away and the last records are served; it is not ready when these are older than {@link ZoneFeed.Builder#staleLimit}
 * allows, and when it is about to stop.
 *
 * <p>A server is always live: restarting it because its API server is away would lose the records.
 *
 * <p>Thread-safe; every method returns at once.
 */
public final class ServerHealth {
    private final List<Supplier<ZoneHealth>> zones = new CopyOnWriteArrayList<>();
    private volatile boolean stopping;

    /** Creates the health of a server without zones, which is not ready: {@link Status#SYNCING}. */
    public ServerHealth() {}

    /** How a server is doing, from best to worst. */
    public enum Status {
        /** All objects are known and followed. */
        READY(true),
        /** The source has lost its API server; the last records are served. */
        STALE(true),
        /** The last records are older than the stale limit; names are answered with SERVFAIL. */
        EXPIRED(false),
        /** Not all objects have been received yet; names are answered with SERVFAIL. */
        SYNCING(false),
        /** {@link #stopping} was called. */
        STOPPING(false);

        private final boolean ready;

        Status(boolean ready) {
            this.ready = ready;
        }

        /** Returns whether clients should be sent to a server with this status. */
        public boolean isReady() {
            return ready;
        }
    }

    private record ZoneHealth(Status status, Optional<Instant> staleSince) {}

    /** Adds a zone that is filled by a feed. With several zones the worst one decides. */
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
     * Adds a zone that is filled by code, or by a source whose feed the host does not have. Its status is never {@link
     * Status#EXPIRED} but {@link Status#SYNCING}, and the time since when it is stale is not known.
     */
    public void add(ClusterZone zone) {
        Objects.requireNonNull(zone, "zone");
        zones.add(() -> new ZoneHealth(status(zone.state()), Optional.empty()));
    }

    /** Makes the server unready from now on. To be called before the listeners are closed, so that clients go elsewhere. */
    public void stopping() {
        stopping = true;
    }

    /** Returns how the server is doing now. */
    public Status status() {
        if (stopping) {
            return Status.STOPPING;
        }
        return health().map(ZoneHealth::status).max(Comparator.naturalOrder()).orElse(Status.SYNCING);
    }

    /** Returns whether clients should be sent to this server. */
    public boolean isReady() {
        return status().isReady();
    }

    /** Returns true: no status of this server is a reason to restart it. */
    public boolean isLive() {
        return true;
    }

    /** Returns since when a source has been without its API server, the earliest of several; empty if none is. */
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
