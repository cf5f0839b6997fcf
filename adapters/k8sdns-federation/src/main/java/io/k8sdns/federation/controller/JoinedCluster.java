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

/** A cluster of a controller: its objects, how far they can be trusted, and the claims of it. For the loop's thread. */
final class JoinedCluster {
    private final String name;
    private final ControllerCore.Settings settings;
    private final ControllerTimers time;
    private final ClusterSource source;
    private final ClusterShards shards;

    /** The claims by federation, each with the time at which it was first seen so. */
    private final Map<String, Seen> claims = new HashMap<>();

    private SyncState state = SyncState.SYNCING;
    private long staleSince;
    private boolean hasLeft;
    private boolean isClosed;

    /** The renewal that was sent last, and when. */
    private long sent;

    private long sentAt;

    /** Until when the claim is valid; null if it never was. */
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

    /** Sets what keeps the stub zone of the cluster's DNS server. */
    void keep(StubZoneKeeper keeper) {
        stubZone = keeper;
    }

    Optional<StubZoneKeeper> stubZone() {
        return Optional.ofNullable(stubZone);
    }

    /** Sets what keeps the Services that are created in the cluster. */
    void keep(LeasedShards shards) {
        leasedShards = shards;
    }

    Optional<LeasedShards> leasedShards() {
        return Optional.ofNullable(leasedShards);
    }

    /** Removes what keeps the Services, and returns it. */
    Optional<LeasedShards> takeLeasedShards() {
        Optional<LeasedShards> taken = leasedShards();
        leasedShards = null;
        return taken;
    }

    boolean isClosed() {
        return isClosed;
    }

    // ---- objects ----

    /** Starts the source. */
    void start(Consumer<Set<ObjectRef>> touched, Runnable stateChanged) {
        source.start(new ClusterSource.Sink() {
            @Override
            public void changed(List<ClusterChange> batch) {
                inLoop(() -> {
                    Set<ObjectRef> services = shards.apply(batch);
                    touched.accept(services);
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

    /** Returns whether the objects are known and up to date; always once it has left, when none count. */
    boolean isReadable() {
        return state == SyncState.SYNCED || hasLeft;
    }

    /** Returns whether it has not answered for the time of a lease. */
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

    /** The claims of the registry are these. */
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

    /** Returns the number of the next renewal, which no claim of the cluster has had. */
    long nextRenewal(long present) {
        return Math.max(present, sent) + 1;
    }

    /** A renewal is sent. */
    void sending(long renewed, long at) {
        sent = renewed;
        sentAt = at;
    }

    /**
     * The claim is being given up: nothing is written from now on, since another controller may have taken over before that is seen
     * here. A number is passed over, so that the present claim is no longer the one that was sent last.
     */
    void givingUp() {
        sent++;
        validUntil = null;
    }

    Duration sinceRenewal(long now) {
        return validUntil == null ? settings.lease() : Duration.ofNanos(now - sentAt);
    }

    /** Returns whether this controller may write the keys of the cluster. */
    boolean isOwner(long now) {
        Seen own = claims.get(settings.federation());
        Long until = validUntil;
        return own != null && own.claim().id().equals(settings.id()) && until != null && now - until < 0;
    }
}
