package io.k8sdns.federation.controller;

import io.k8sdns.cluster.ClusterChange;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Keeps the Services that a federation creates in one cluster, while this controller holds the cluster's Lease. For the loop's thread.
 *
 * <p>The Lease is given up only when no request about a Service is under way. After a write that failed it is not given up for a lease, since
 * the API server may still execute that write: then the Lease expires.
 */
final class LeasedShards {
    private final String cluster;
    private final ClusterLease lease;
    private final ShardKeeper keeper;
    private final Supplier<ClusterLease.Wish> claim;
    private final Runnable changed;

    /** A cluster at its API server. */
    record Access(ServiceApi services, LeaseApi leases) {
        void close() {
            services.close();
            leases.close();
        }
    }

    /**
     * Creates one that has not started.
     *
     * @param identity the holder of the Lease, which no other one is
     * @param isWanted whether the claim is valid, and the cluster has been read
     * @param claim what the claim means for the Lease
     * @param changed called when something may have changed that is reported
     */
    LeasedShards(
            String cluster,
            Access access,
            String identity,
            ControllerTimers time,
            RandomGenerator random,
            ControllerCore.Settings settings,
            BooleanSupplier isWanted,
            Supplier<ClusterLease.Wish> claim,
            Runnable changed) {
        this.cluster = cluster;
        this.claim = claim;
        this.changed = changed;
        this.lease = new ClusterLease(access.leases(), identity, time, settings, this::wish, this::leaseChanged);
        this.keeper = new ShardKeeper(
                cluster,
                access.services(),
                time,
                random,
                settings,
                () -> lease.isHeld() && isWanted.getAsBoolean(),
                changed);
    }

    private ClusterLease.Wish wish() {
        ClusterLease.Wish wish = claim.get();
        return wish == ClusterLease.Wish.GIVE_UP && (keeper.isBusy() || keeper.mayWriteLate())
                ? ClusterLease.Wish.WAIT
                : wish;
    }

    private void leaseChanged() {
        keeper.run();
        changed.run();
    }

    /** Sets the manifests, and compares everything with them. */
    void templates(List<ShardTemplate> all) {
        keeper.templates(all);
        run();
    }

    /** Does what is due, if there are manifests. Called several times per lease, and when the claim or the cluster has changed. */
    void run() {
        if (keeper.hasTemplates()) {
            lease.run();
            keeper.run();
        }
    }

    /** Objects of the cluster were changed. */
    void changed(List<ClusterChange> batch) {
        keeper.changed(batch);
    }

    /** Returns whether everything was as it should be in the last round, or so many attempts have failed. */
    boolean isSettled(int often) {
        return !keeper.hasTemplates() || (lease.isHeld() ? keeper.isSettled(often) : lease.isSettled(often));
    }

    /** Returns what is not as it should be: reasons by names. */
    Map<String, String> failures() {
        if (!keeper.hasTemplates()) {
            return Map.of();
        }
        return lease.problem()
                .map(reason -> Map.of(ShardKeeper.all(cluster), reason))
                .orElseGet(keeper::failures);
    }

    /**
     * Writes nothing more, gives the Lease up or leaves it to expire when the request under way has ended, and closes the ways to the API
     * server.
     */
    void end(Runnable then) {
        keeper.stop(() -> {
            if (keeper.mayWriteLate()) {
                close();
                then.run();
            } else {
                lease.release(() -> {
                    keeper.close();
                    then.run();
                });
            }
        });
    }

    /** Ends at once; the Lease ends by itself. */
    void close() {
        keeper.close();
        lease.close();
    }
}
