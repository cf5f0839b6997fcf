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

/** Changes a zone in a thread of its own: a Service appears and goes, again and again, and each time is a publication. */
final class Writer implements AutoCloseable {
    private static final long NANOS_BETWEEN = TimeUnit.SECONDS.toNanos(1) / 1_000;

    private final ClusterZone zone;
    private final List<ClusterChange> there;
    private final List<ClusterChange> back;
    private final Thread thread = new Thread(this::write, "writer");
    private final AtomicLong changes = new AtomicLong();
    private final AtomicLong fastChanges = new AtomicLong();
    private final AtomicLong fastNanos = new AtomicLong();
    private volatile Pace pace = Pace.NONE;
    private volatile boolean closed;

    /** How fast. */
    enum Pace {
        /** Not at all. */
        NONE,
        /** A thousand changes a second. */
        STEADY,
        /** One change behind the other. */
        FASTEST
    }

    /**
     * Begins with nothing to do.
     *
     * @param services how many Services there are
     */
    Writer(ClusterZone zone, int services) {
        this.zone = zone;
        ClusterIpService service = SampleObjects.clusterIp(services);
        this.there = List.of(new ClusterChange.Put(service));
        this.back = List.of(new ClusterChange.Remove(service.ref(), Optional.empty()));
        zone.apply(List.of(new ClusterChange.Put(Namespace.of(service.namespace()))));
        thread.setDaemon(true);
        thread.start();
    }

    /** Goes on at another pace, and returns once it does. */
    void goOn(Pace next) {
        long known = changes.get();
        pace = next;
        LockSupport.unpark(thread);
        while (next != Pace.NONE && changes.get() == known) {
            LockSupport.parkNanos(NANOS_BETWEEN / 10);
        }
    }

    /** Returns how many changes a second there were while one came behind the other. */
    long fastest() {
        return fastChanges.get() * TimeUnit.SECONDS.toNanos(1) / Math.max(1, fastNanos.get());
    }

    private void write() {
        boolean isThere = false;
        while (!closed) {
            Pace now = pace;
            if (now == Pace.NONE) {
                LockSupport.park(this);
                continue;
            }
            long begun = System.nanoTime();
            isThere = !isThere;
            zone.apply(isThere ? there : back);
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
