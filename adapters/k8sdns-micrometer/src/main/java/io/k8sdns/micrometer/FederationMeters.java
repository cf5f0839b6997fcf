package io.k8sdns.micrometer;

import io.k8sdns.cluster.SyncState;
import io.k8sdns.federation.FederatedZone;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.Objects;

/**
 * Meters of a zone of federated Services: {@code k8sdns.federation.state}, 1 for its current state and 0 for others, and {@code
 * k8sdns.federation.skipped.keys}, the number of keys of its store that cannot be read.
 */
public final class FederationMeters implements MeterBinder {
    private final FederatedZone zone;

    /** Creates the meters of a zone. */
    public FederationMeters(FederatedZone zone) {
        this.zone = Objects.requireNonNull(zone, "zone");
    }

    /** Registers the meters. */
    @Override
    public void bindTo(MeterRegistry registry) {
        for (SyncState state : SyncState.values()) {
            Gauge.builder("k8sdns.federation.state", () -> state() == state ? 1 : 0)
                    .description("1 for the current sync state of the store, 0 for others.")
                    .tag("state", state.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        Gauge.builder("k8sdns.federation.skipped.keys", () -> zone.skippedKeys().size())
                .description("Keys of the store that are skipped because the key or its value cannot be read.")
                .register(registry);
    }

    private SyncState state() {
        if (!zone.isReady()) {
            return SyncState.SYNCING;
        }
        return zone.isStale() ? SyncState.STALE : SyncState.SYNCED;
    }
}
