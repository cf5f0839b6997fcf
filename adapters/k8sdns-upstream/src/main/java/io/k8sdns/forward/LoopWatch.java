package io.k8sdns.forward;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.xbill.DNS.Rcode;

/** Probes for loops after failures of servers, at most once in 30 seconds. See {@link LoopProbe#probingAfterFailures}. */
final class LoopWatch implements UpstreamObserver {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final LoopProbe probe;
    private final Supplier<Optional<UpstreamForwarder>> forwarder;
    private final Consumer<? super List<UpstreamZone>> found;
    private final AtomicLong next = new AtomicLong(System.nanoTime());

    LoopWatch(
            LoopProbe probe,
            Supplier<Optional<UpstreamForwarder>> forwarder,
            Consumer<? super List<UpstreamZone>> found) {
        this.probe = probe;
        this.forwarder = forwarder;
        this.found = found;
    }

    @Override
    public void answered(UpstreamServer server, int rcode, long nanos) {
        if (rcode == Rcode.SERVFAIL) {
            probe();
        }
    }

    @Override
    public void markedDown(UpstreamServer server) {
        probe();
    }

    @Override
    public void unanswered(UpstreamZone zone) {
        probe();
    }

    private void probe() {
        long now = System.nanoTime();
        long due = next.get();
        Optional<UpstreamForwarder> started = forwarder.get();
        if (started.isPresent() && now - due >= 0 && next.compareAndSet(due, now + PAUSE_NANOS)) {
            CompletableFuture<Void> unused = probe.looping(started.get()).thenAccept(looping -> {
                if (!looping.isEmpty()) {
                    found.accept(looping);
                }
            });
        }
    }
}
