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
 * <p>The Lease is released only when no request about a Service is under way. After a failed write it is left to expire,
 * because the API server may still execute that write.
 */
final class LeasedShards {
    private final String cluster;
    private final ClusterLease lease;
    private final ShardKeeper keeper;
    private final Supplier<ClusterLease.Intent> claim;
    private final Runnable changed;

    /** A cluster at its API server. */
    record Access(ServiceApi services, LeaseApi leases) {
        void close() {
            services.close();
            leases.close();
        }
    }

    /**
     * Creates an object that has not started.
     *
     * @param identity the unique name of the holder of the Lease
     * @param isWanted whether the claim is valid, and the cluster has been read
     * @param claim the wanted state of the Lease according to the claim
     * @param changed called when the results of {@link #isReconciled} and {@link #failures} may have changed
     */
    LeasedShards(
            String cluster,
            Access access,
            String identity,
            ControllerTimers time,
            RandomGenerator random,
            ControllerCore.Settings settings,
            BooleanSupplier isWanted,
            Supplier<ClusterLease.Intent> claim,
            Runnable changed) {
        this.cluster = cluster;
        this.claim = claim;
        this.changed = changed;
        this.lease = new ClusterLease(access.leases(), identity, time, settings, this::intent, this::leaseChanged);
        this.keeper = new ShardKeeper(
                cluster,
                access.services(),
                time,
                random,
                settings,
                () -> lease.isHeld() && isWanted.getAsBoolean(),
                changed);
    }

    private ClusterLease.Intent intent() {
        ClusterLease.Intent intent = claim.get();
        return intent == ClusterLease.Intent.RELEASE && (keeper.isBusy() || keeper.mayWriteLate())
                ? ClusterLease.Intent.WAIT
                : intent;
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

    /** Starts the rounds that are due, if there are manifests. Called several times per lease, and when claim or cluster change. */
    void run() {
        if (keeper.hasTemplates()) {
            lease.run();
            keeper.run();
        }
    }

    /** Receives changed objects of the cluster. */
    void changed(List<ClusterChange> batch) {
        keeper.changed(batch);
    }

    /** Returns whether the last round has succeeded, or at least this number of rounds in a row have failed. */
    boolean isReconciled(int attempts) {
        return !keeper.hasTemplates() || (lease.isHeld() ? keeper.isReconciled(attempts) : lease.isDecided(attempts));
    }

    /** Returns the current problems: the reasons by name. */
    Map<String, String> failures() {
        if (!keeper.hasTemplates()) {
            return Map.of();
        }
        return lease.problem()
                .map(reason -> Map.of(ShardKeeper.all(cluster), reason))
                .orElseGet(keeper::failures);
    }

    /**
     * Stops writing. When the request under way has ended, releases the Lease or lets it expire, and closes the access to the API
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

    /** Closes the access at once; the Lease expires. */
    void close() {
        keeper.close();
        lease.close();
    }
}
