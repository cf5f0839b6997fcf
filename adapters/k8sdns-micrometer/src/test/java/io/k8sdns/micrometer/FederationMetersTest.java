package io.k8sdns.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.FederatedZone;
import io.k8sdns.federation.FederationFormat;
import io.k8sdns.federation.MemoryStore;
import io.k8sdns.federation.Shard;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FederationMetersTest {
    /** Reads every value but one. */
    private static final FederationFormat FORMAT = new FederationFormat() {
        @Override
        public Shard shard(String value) {
            if (value.equals("broken")) {
                throw new IllegalArgumentException(value);
            }
            return Shard.UNREACHABLE;
        }

        @Override
        public ClusterLocation cluster(String value) {
            return ClusterLocation.UNKNOWN;
        }
    };

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    static FederatedZone zone() {
        return FederatedZone.builder(FORMAT).build();
    }

    private double gauge(String name, String... tags) {
        return registry.get(name).tags(tags).gauge().value();
    }

    private List<Double> states() {
        return Stream.of("syncing", "synced", "stale")
                .map(state -> gauge("k8sdns.federation.state", "state", state))
                .toList();
    }

    @Test
    void onlyTheCurrentStateIsOne() {
        FederatedZone zone = zone();
        new FederationMeters(zone).bindTo(registry);
        assertThat(states()).containsExactly(1.0, 0.0, 0.0);
        zone.content(Map.of());
        assertThat(states()).containsExactly(0.0, 1.0, 0.0);
        zone.stale();
        assertThat(states()).containsExactly(0.0, 0.0, 1.0);
        zone.upToDate();
        assertThat(states()).containsExactly(0.0, 1.0, 0.0);
    }

    @Test
    void skippedKeysAreCountedUntilTheyAreCorrectedOrDeleted() {
        FederatedZone zone = zone();
        new FederationMeters(zone).bindTo(registry);
        MemoryStore store = new MemoryStore();
        store.watch(zone);
        store.replaceAll(Map.of("/f/n/s/a", "broken", "/f/n/s/b", "", "/f/n", "", "/f/n/t/a", "broken"));
        assertThat(gauge("k8sdns.federation.skipped.keys")).isEqualTo(3);
        store.replaceAll(Map.of("/f/n/s/a", "", "/f/n/s/b", ""));
        assertThat(gauge("k8sdns.federation.skipped.keys")).isZero();
    }
}
