package io.k8sdns.benchmarks;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Namespace;
import io.k8sdns.zone.ClusterZone;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Changes a zone on a separate thread: repeatedly adds and removes a Service, with one publication each. */
final class ZoneChanger implements AutoCloseable {
    private static final long NANOS_BETWEEN = TimeUnit.SECONDS.toNanos(1) / 1_000;

    private final ClusterZone zone;
    private final List<ClusterChange> additions;
    private final List<ClusterChange> removals;
    private final Thread thread = new Thread(this::change, "zone-changer");
    private final AtomicLong changes = new AtomicLong();
    private final AtomicLong fastChanges = new AtomicLong();
    private final AtomicLong fastNanos = new AtomicLong();
    private volatile Pace pace = Pace.NONE;
    private volatile boolean closed;

    /** The pace of changes. */
    enum Pace {
        /** No changes. */
        NONE,
        /** A thousand changes a second. */
        STEADY,
        /** As many changes as possible, one after the other. */
        FASTEST
    }

    /**
     * Starts the thread at the pace {@link Pace#NONE}.
     *
     * @param services the number of Services
     */
    ZoneChanger(ClusterZone zone, int services) {
        this.zone = zone;
        ClusterIpService service = SampleObjects.clusterIp(services);
        this.additions = List.of(new ClusterChange.Put(service));
        this.removals = List.of(new ClusterChange.Remove(service.ref(), Optional.empty()));
        zone.apply(List.of(new ClusterChange.Put(Namespace.of(service.namespace()))));
        thread.setDaemon(true);
        thread.start();
    }

    /** Changes the pace, and returns once it is in effect. */
    void setPace(Pace next) {
        long known = changes.get();
        pace = next;
        LockSupport.unpark(thread);
        while (next != Pace.NONE && changes.get() == known) {
            LockSupport.parkNanos(NANOS_BETWEEN / 10);
        }
    }

    /** Returns the changes per second at the pace {@link Pace#FASTEST}. */
    long fastest() {
        return fastChanges.get() * TimeUnit.SECONDS.toNanos(1) / Math.max(1, fastNanos.get());
    }

    private void change() {
        boolean isThere = false;
        while (!closed) {
            Pace now = pace;
            if (now == Pace.NONE) {
                LockSupport.park(this);
                continue;
            }
            long begun = System.nanoTime();
            isThere = !isThere;
            zone.apply(isThere ? additions : removals);
            changes.incrementAndGet();
            long took = System.nanoTime() - begun;
            if (now == Pace.FASTEST) {
                fastChanges.incrementAndGet();
                fastNanos.addAndGet(took);
            } else {
                LockSupport.parkNanos(NANOS_BETWEEN - took);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
