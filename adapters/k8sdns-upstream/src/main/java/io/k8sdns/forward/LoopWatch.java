package io.k8sdns.forward;

import io.k8sdns.name.DnsLabels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.xbill.DNS.Rcode;

/**
 * Probes zones for loops while their servers fail; see {@link UpstreamForwarder.Builder#findLoops}. Failures are normal on the Internet, so
 * that the pause between two probes of a zone grows while no loop is found. Used on the forwarder's thread.
 */
final class LoopWatch implements UpstreamObserver {
    static final long FIRST_PAUSE = TimeUnit.SECONDS.toNanos(30);
    static final long MAX_PAUSE = TimeUnit.MINUTES.toNanos(10);

    private final Supplier<List<UpstreamZone>> zones;
    private final Function<UpstreamZone, CompletableFuture<Boolean>> probe;
    private final Consumer<? super List<UpstreamZone>> changed;
    private final LongSupplier nanoClock;
    private final Map<DnsLabels, Schedule> schedules = new HashMap<>();
    private final Map<DnsLabels, UpstreamZone> looping = new LinkedHashMap<>();

    /** The time of the next probe of a zone, and the pause before it. */
    private record Schedule(long next, long pause) {}

    /**
     * Creates the observer.
     *
     * @param zones returns the forwarded zones
     * @param probe returns whether a zone is looping
     * @param changed receives the looping zones when they have changed
     */
    LoopWatch(
            Supplier<List<UpstreamZone>> zones,
            Function<UpstreamZone, CompletableFuture<Boolean>> probe,
            Consumer<? super List<UpstreamZone>> changed,
            LongSupplier nanoClock) {
        this.zones = zones;
        this.probe = probe;
        this.changed = changed;
        this.nanoClock = nanoClock;
    }

    @Override
    public void answered(UpstreamServer server, int rcode, long nanos) {
        // After a loop every answer is a reason to look whether it is gone.
        if (rcode == Rcode.SERVFAIL || !looping.isEmpty()) {
            probeZonesOf(server);
        }
    }

    @Override
    public void markedDown(UpstreamServer server) {
        probeZonesOf(server);
    }

    @Override
    public void unanswered(UpstreamZone zone) {
        probe(zone);
    }

    private void probeZonesOf(UpstreamServer server) {
        for (UpstreamZone zone : zones.get()) {
            if (zone.servers().contains(server)) {
                probe(zone);
            }
        }
    }

    private void probe(UpstreamZone zone) {
        long now = nanoClock.getAsLong();
        Schedule last = schedules.get(zone.name());
        if (last != null && last.next() - now > 0) {
            return;
        }
        long pause =
                last == null || looping.containsKey(zone.name()) ? FIRST_PAUSE : Math.min(MAX_PAUSE, 2 * last.pause());
        // After an outage of a server many nodes would otherwise probe it at the same time, again and again.
        long jitter = ThreadLocalRandom.current().nextLong(pause / 2);
        schedules.put(zone.name(), new Schedule(now + pause + jitter, pause));
        CompletableFuture<Void> unused = probe.apply(zone).thenAccept(found -> probed(zone, found));
    }

    private void probed(UpstreamZone zone, boolean isLooping) {
        boolean wasLooping = isLooping ? looping.put(zone.name(), zone) != null : looping.remove(zone.name()) != null;
        if (isLooping != wasLooping) {
            changed.accept(new ArrayList<>(looping.values()));
        }
    }
}
