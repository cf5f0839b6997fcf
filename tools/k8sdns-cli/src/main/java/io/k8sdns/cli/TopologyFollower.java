package io.k8sdns.cli;

import io.k8sdns.name.DnsLabels;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/**
 * Reads the location of the cluster periodically, for the names of kube-dns's federations.
 *
 * <p>Nodes are listed and not watched, because usually the first page of the list is sufficient, and a watch would receive every
 * heartbeat of every Node.
 */
final class TopologyFollower {
    /**
     * The delay while there are no federations. Short, because the names of a new federation are SERVFAIL until the location is
     * read.
     */
    private static final Duration IDLE_INTERVAL = Duration.ofSeconds(10);

    private static final Duration RETRY_DELAY = Duration.ofSeconds(30);

    private static final Duration LIST_INTERVAL = Duration.ofMinutes(1);

    /** The delay if no Node has the labels. Then all pages are read, some megabytes in a large cluster. */
    private static final Duration FULL_LIST_INTERVAL = Duration.ofMinutes(10);

    private final Callable<Optional<DnsLabels>> topology;
    private final BooleanSupplier isNeeded;
    private final LocalShards shards;
    private final Timer timer;
    private final PrintWriter err;

    /** Schedules a task. */
    interface Timer {
        void after(Duration delay, Runnable task);
    }

    /**
     * Creates a follower. {@link #read} starts it.
     *
     * @param topology returns the labels {@code ZONE.REGION}; empty if no Node has them. Not called again after an {@link
     *     AccessDeniedException}
     * @param isNeeded returns whether there are federations
     * @param shards receives the location; keeps the last one after a failure
     * @param err receives the message about a forbidden list
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

    /** Reads the location if there are federations, and schedules the next read. */
    void read() {
        Duration next = IDLE_INTERVAL;
        try {
            if (isNeeded.getAsBoolean()) {
                Optional<DnsLabels> found = topology.call();
                shards.locate(found);
                next = found.isPresent() ? LIST_INTERVAL : FULL_LIST_INTERVAL;
            }
        } catch (AccessDeniedException denied) {
            err.println("warning: no permission to list " + denied.getFile()
                    + ", whose labels are the zone and the region of this cluster: "
                    + shards.topology()
                            .map(last -> "those that were read last stay, " + last)
                            .orElse("federated names of Services that are not ready here are SERVFAIL"));
            return;
        } catch (Exception unreachable) {
            next = RETRY_DELAY;
        }
        timer.after(next, this::read);
    }
}
