package io.k8sdns.federation.controller;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.federation.ClusterShards;
import io.k8sdns.federation.FederationKey;
import io.k8sdns.federation.controller.RegistryValue.Claim;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.ObjectRef;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A cluster of a controller: its objects and their sync state, and its claims. For the loop's thread. */
final class JoinedCluster {
    private final String name;
    private final ControllerCore.Settings settings;
    private final ControllerTimers time;
    private final ClusterSource source;
    private final ClusterShards shards;

    /** The claims by federation, each with the time at which its current value was seen first. */
    private final Map<String, Seen> claims = new HashMap<>();

    private SyncState state = SyncState.SYNCING;
    private long staleSince;
    private boolean hasLeft;
    private boolean isClosed;

    /** The number of the renewal that was sent last. */
    private long sent;

    /** The time at which it was sent. */
    private long sentAt;

    /** The time until which the last successful renewal is valid; null if there was none. */
    private @Nullable Long validUntil;

    private @Nullable StubZoneKeeper stubZone;
    private @Nullable LeasedShards leasedShards;

    private record Seen(Claim claim, long since) {}

    JoinedCluster(String name, ControllerCore.Settings settings, ControllerTimers time, ClusterSource source) {
        this.name = name;
        this.settings = settings;
        this.time = time;
        this.source = source;
        this.shards = new ClusterShards(settings.services());
    }

    String name() {
        return name;
    }

    FederationKey.OfCluster key() {
        return new FederationKey.OfCluster(name);
    }

    ClusterShards shards() {
        return shards;
    }

    SyncState state() {
        return state;
    }

    /** Sets the keeper of the stub zone in the cluster's DNS server. */
    void keep(StubZoneKeeper keeper) {
        stubZone = keeper;
    }

    Optional<StubZoneKeeper> stubZone() {
        return Optional.ofNullable(stubZone);
    }

    /** Sets the keeper of the Services that are created in the cluster. */
    void keep(LeasedShards shards) {
        leasedShards = shards;
    }

    Optional<LeasedShards> leasedShards() {
        return Optional.ofNullable(leasedShards);
    }

    /** Removes the keeper of the Services, and returns it. */
    Optional<LeasedShards> takeLeasedShards() {
        Optional<LeasedShards> taken = leasedShards();
        leasedShards = null;
        return taken;
    }

    boolean isClosed() {
        return isClosed;
    }

    // ---- objects ----

    /**
     * Starts the source.
     *
     * @param servicesChanged receives the Services whose shards may have changed
     */
    void start(Consumer<Set<ObjectRef>> servicesChanged, Runnable stateChanged) {
        source.start(new ClusterSource.Sink() {
            @Override
            public void changed(List<ClusterChange> batch) {
                inLoop(() -> {
                    Set<ObjectRef> services = shards.apply(batch);
                    servicesChanged.accept(services);
                    leasedShards().ifPresent(created -> created.changed(batch));
                });
            }

            @Override
            public void stateChanged(SyncState now) {
                inLoop(() -> {
                    if (now == SyncState.STALE && state != SyncState.STALE) {
                        staleSince = time.nanoTime();
                    }
                    state = now;
                    stateChanged.run();
                });
            }

            @Override
            public void diagnosed(Diagnostic diagnostic) {}
        });
    }

    private void inLoop(Runnable task) {
        time.execute(() -> {
            if (!isClosed && !hasLeft) {
                task.run();
            }
        });
    }

    /** Returns whether the objects are up to date; true also once the cluster has left, because its objects no longer matter. */
    boolean isReadable() {
        return state == SyncState.SYNCED || hasLeft;
    }

    /** Returns whether the cluster has not answered for the time of a lease. */
    boolean isOutOfReach(long now) {
        return state == SyncState.STALE
                && !hasLeft
                && now - staleSince >= settings.lease().toNanos();
    }

    void leave() {
        hasLeft = true;
        source.close();
    }

    boolean hasLeft() {
        return hasLeft;
    }

    void close() {
        isClosed = true;
        source.close();
        takeLeasedShards().ifPresent(LeasedShards::close);
    }

    // ---- claims ----

    /** Sets the claims that the registry has. */
    void observe(Map<String, Claim> now, long at) {
        claims.keySet().retainAll(now.keySet());
        now.forEach((federation, claim) -> {
            Seen before = claims.get(federation);
            if (before == null || !before.claim().equals(claim)) {
                claims.put(federation, new Seen(claim, at));
            }
        });
        Claim own = now.get(settings.federation());
        if (own != null && own.id().equals(settings.id()) && own.renewed() == sent) {
            validUntil = sentAt + settings.lease().dividedBy(3).multipliedBy(2).toNanos();
        }
    }

    /** Returns whether the claim of a federation has not been renewed for a lease. */
    boolean hasExpired(String federation, long now) {
        Seen seen = claims.get(federation);
        return seen == null || now - seen.since() >= settings.lease().toNanos();
    }

    /** Returns the number of the next renewal, greater than all numbers before. */
    long nextRenewal(long present) {
        return Math.max(present, sent) + 1;
    }

    /** Notes that a renewal is being sent. */
    void sending(long renewed, long at) {
        sent = renewed;
        sentAt = at;
    }

    /**
     * Notes that the claim is being released. Nothing is written from now on, because another controller may take over before the
     * change is seen here. A number is skipped, so that the current claim is no longer that of the last renewal.
     */
    void releasing() {
        sent++;
        validUntil = null;
    }

    Duration sinceRenewal(long now) {
        return validUntil == null ? settings.lease() : Duration.ofNanos(now - sentAt);
    }

    /** Returns whether this controller may write the keys of the cluster now. */
    boolean isOwner(long now) {
        Seen own = claims.get(settings.federation());
        Long until = validUntil;
        return own != null && own.claim().id().equals(settings.id()) && until != null && now - until < 0;
    }
}
