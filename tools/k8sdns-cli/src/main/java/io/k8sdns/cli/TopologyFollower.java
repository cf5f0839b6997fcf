package io.k8sdns.cli;

import io.k8sdns.name.DnsLabels;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/**
 * Reads again and again where the cluster is, for the names of kube-dns's federations.
 *
 * <p>Nodes are listed rather than watched: usually one page of the list has the answer, while a watch would receive every heartbeat of
 * every Node.
 */
final class TopologyFollower {
    /** A first list, and one after a failure, is due soon, since names are SERVFAIL until then. */
    private static final Duration BEFORE_NEXT_TRY = Duration.ofSeconds(10);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(30);

    private static final Duration BETWEEN_LISTS = Duration.ofMinutes(1);

    /** Without labels all Nodes have to be listed, which are some megabytes in a large cluster. */
    private static final Duration BETWEEN_FULL_LISTS = Duration.ofMinutes(10);

    private final Callable<Optional<DnsLabels>> topology;
    private final BooleanSupplier isNeeded;
    private final LocalShards shards;
    private final Timer timer;
    private final PrintWriter err;

    /** Runs something later. */
    interface Timer {
        void after(Duration delay, Runnable task);
    }

    /**
     * Creates a follower, which {@link #read} starts.
     *
     * @param topology returns the labels {@code ZONE.REGION}; empty if no Node has them. It is not called any more after an {@link
     *     AccessDeniedException}
     * @param isNeeded returns whether there are federations
     * @param shards takes what was read; if nothing could be, it keeps what it has
     * @param err where a missing right is reported
     */
    TopologyFollower(
            Callable<Optional<DnsLabels>> topology,
            BooleanSupplier isNeeded,
            LocalShards shards,
            Timer timer,
            PrintWriter err) {
        this.topology = topology;
        this.isNeeded = isNeeded;
        this.shards = shards;
        this.timer = timer;
        this.err = err;
    }

    /** Reads now if there are federations, and again later. */
    void read() {
        Duration next = BEFORE_NEXT_TRY;
        try {
            if (isNeeded.getAsBoolean()) {
                Optional<DnsLabels> found = topology.call();
                shards.locate(found);
                next = found.isPresent() ? BETWEEN_LISTS : BETWEEN_FULL_LISTS;
            }
        } catch (AccessDeniedException denied) {
            err.println("warning: no right to list " + denied.getFile()
                    + ", whose labels are the zone and the region of this cluster: "
                    + shards.topology()
                            .map(last -> "those that were read last stay, " + last)
                            .orElse("federated names of Services that are not ready here are SERVFAIL"));
            return;
        } catch (Exception unreachable) {
            next = AFTER_FAILURE;
        }
        timer.after(next, this::read);
    }
}
