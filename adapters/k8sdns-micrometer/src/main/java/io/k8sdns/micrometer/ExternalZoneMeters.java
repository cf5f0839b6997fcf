package io.k8sdns.micrometer;

import io.k8sdns.federation.external.ChangeResult;
import io.k8sdns.federation.external.ExternalSync;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Meters of an external zone of a federation: {@code k8sdns.external.changes}, changes of names by result; {@code
 * k8sdns.external.failing.names}; {@code k8sdns.external.unreadable}; {@code k8sdns.external.lag} and {@code
 * k8sdns.external.success.age}.
 */
public final class ExternalZoneMeters implements MeterBinder {
    private final ExternalSync sync;
    private final LongSupplier nanoTime;

    /**
     * Creates the meters of a sync.
     *
     * @param nanoTime the clock that the sync was built with
     */
    public ExternalZoneMeters(ExternalSync sync, LongSupplier nanoTime) {
        this.sync = Objects.requireNonNull(sync, "sync");
        this.nanoTime = Objects.requireNonNull(nanoTime, "nanoTime");
    }

    /** Registers the meters. */
    @Override
    public void bindTo(MeterRegistry registry) {
        for (ChangeResult.Kind kind : ChangeResult.Kind.values()) {
            FunctionCounter.builder(
                            "k8sdns.external.changes", sync, one -> one.status().changes(kind))
                    .description("Changes of names in the external zone.")
                    .tag("result", kind.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        FunctionCounter.builder(
                        "k8sdns.external.unreadable", sync, one -> one.status().unreadable())
                .description("How often the external zone could not be read.")
                .register(registry);
        Gauge.builder("k8sdns.external.failing.names", () -> sync.status().failing())
                .description(
                        "Names of the external zone that differ from the wanted records because of a failed change.")
                .register(registry);
        TimeGauge.builder("k8sdns.external.lag", this::lagNanos, TimeUnit.NANOSECONDS)
                .description("Time for which the external zone has differed from the wanted records.")
                .register(registry);
        TimeGauge.builder("k8sdns.external.success.age", this::ageNanos, TimeUnit.NANOSECONDS)
                .description("Time since the external zone last had all wanted records.")
                .register(registry);
    }

    private double lagNanos() {
        return sync.status().lag(nanoTime.getAsLong()).toNanos();
    }

    private double ageNanos() {
        return sync.status()
                .sinceSuccess(nanoTime.getAsLong())
                .map(Duration::toNanos)
                .map(Long::doubleValue)
                .orElse(Double.NaN);
    }
}
