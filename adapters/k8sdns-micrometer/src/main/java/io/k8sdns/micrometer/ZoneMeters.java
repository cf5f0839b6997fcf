package io.k8sdns.micrometer;

import io.k8sdns.cluster.SyncState;
import io.k8sdns.zone.ZoneFeed;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.Objects;

/**
 * How far a zone can be trusted, as meters: {@code k8sdns.zone.state}, 1 for the state that it is in and 0 for the others,
 * and {@code k8sdns.zone.stale}, for how long its source has been out of touch.
 */
public final class ZoneMeters implements MeterBinder {
    private final ZoneFeed feed;

    /** Makes meters of the zone that this feed fills. */
    public ZoneMeters(ZoneFeed feed) {
        this.feed = Objects.requireNonNull(feed, "feed");
    }

    /** Registers them; the registry's clock tells the same time as the feed's. */
    @Override
    public void bindTo(MeterRegistry registry) {
        for (SyncState state : SyncState.values()) {
            Gauge.builder("k8sdns.zone.state", () -> feed.state() == state ? 1 : 0)
                    .description("Whether this is how far the zone can be trusted.")
                    .tag("state", state.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        Clock clock = registry.config().clock();
        Gauge.builder("k8sdns.zone.stale", () -> staleSeconds(clock))
                .description("For how long the source has been out of touch with its API server; 0 while it is not.")
                .baseUnit("seconds")
                .register(registry);
    }

    private double staleSeconds(Clock clock) {
        return feed.staleSince()
                .map(since -> Math.max(0, clock.wallTime() - since.toEpochMilli()) / 1000.0)
                .orElse(0.0);
    }
}
