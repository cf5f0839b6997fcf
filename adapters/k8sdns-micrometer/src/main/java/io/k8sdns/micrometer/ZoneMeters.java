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
 * Meters of the state of a zone: {@code k8sdns.zone.state}, 1 for its current state and 0 for others, and {@code k8sdns.zone.stale},
 * for how long its source has been stale.
 */
public final class ZoneMeters implements MeterBinder {
    private final ZoneFeed feed;

    /** Creates the meters of the zone of a feed. */
    public ZoneMeters(ZoneFeed feed) {
        this.feed = Objects.requireNonNull(feed, "feed");
    }

    /** Registers the meters. The registry's clock must agree with that of the feed. */
    @Override
    public void bindTo(MeterRegistry registry) {
        for (SyncState state : SyncState.values()) {
            Gauge.builder("k8sdns.zone.state", () -> feed.state() == state ? 1 : 0)
                    .description("1 for the current state of the zone, 0 for others.")
                    .tag("state", state.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        Clock clock = registry.config().clock();
        Gauge.builder("k8sdns.zone.stale", () -> staleSeconds(clock))
                .description("Time for which the source has been stale; 0 if it is not.")
                .baseUnit("seconds")
                .register(registry);
    }

    private double staleSeconds(Clock clock) {
        return feed.staleSince()
                .map(since -> Math.max(0, clock.wallTime() - since.toEpochMilli()) / 1000.0)
                .orElse(0.0);
    }
}
