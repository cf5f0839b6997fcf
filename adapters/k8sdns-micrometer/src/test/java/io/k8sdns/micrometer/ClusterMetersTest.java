package io.k8sdns.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterObserver.Event;
import io.k8sdns.cluster.ClusterObserver.ServiceKind;
import io.k8sdns.cluster.ClusterObserver.Since;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClusterMetersTest {
    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final ClusterMeters meters = new ClusterMeters(registry);

    @Test
    void syncedIsOneOnlyWhileTheKindIsSynced() {
        meters.state("Service", SyncState.SYNCING);
        assertThat(gauge("k8sdns.source.synced", "Service")).isZero();
        meters.state("Service", SyncState.SYNCED);
        meters.state("Pod", SyncState.SYNCING);
        assertThat(gauge("k8sdns.source.synced", "Service")).isEqualTo(1);
        meters.state("Service", SyncState.STALE);
        assertThat(gauge("k8sdns.source.synced", "Service")).isZero();
    }

    @Test
    void everyKnownKindHasAState() {
        meters.state("Service", SyncState.SYNCED);
        meters.objects("EndpointSlice", 0);

        assertThat(meters.states())
                .containsExactly(Map.entry("EndpointSlice", SyncState.SYNCING), Map.entry("Service", SyncState.SYNCED));
    }

    @Test
    void ageCountsFromTheLastMessageOfTheApiServer() {
        meters.state("Service", SyncState.SYNCING);
        assertThat(gauge("k8sdns.source.age", "Service")).isNaN();
        meters.received("Service");
        clock.add(Duration.ofSeconds(90));
        assertThat(gauge("k8sdns.source.age", "Service")).isEqualTo(90);
        meters.received("Service");
        assertThat(gauge("k8sdns.source.age", "Service")).isZero();
    }

    @Test
    void objectsAndEventsAreCountedByKind() {
        meters.objects("Service", 12);
        meters.objects("EndpointSlice", 34);
        meters.event("Service", Event.PUT);
        meters.event("Service", Event.PUT);
        meters.event("Service", Event.DELETED);

        assertThat(gauge("k8sdns.objects", "Service")).isEqualTo(12);
        assertThat(gauge("k8sdns.objects", "EndpointSlice")).isEqualTo(34);
        assertThat(count("k8sdns.events", "kind", "Service", "event", "put")).isEqualTo(2);
        assertThat(count("k8sdns.events", "kind", "Service", "event", "deleted"))
                .isEqualTo(1);
    }

    @Test
    void listsAndFailuresAreCounted() {
        meters.listed("Service", Duration.ofSeconds(2));
        meters.failed("Service", "gone");
        meters.failed("Service", "gone");
        meters.rejected("Service");

        assertThat(registry.get("k8sdns.list.duration")
                        .tag("kind", "Service")
                        .timer()
                        .totalTime(TimeUnit.SECONDS))
                .isEqualTo(2);
        assertThat(count("k8sdns.api.failures", "kind", "Service", "reason", "gone"))
                .isEqualTo(2);
        assertThat(count("k8sdns.rejected.objects", "kind", "Service")).isEqualTo(1);
    }

    @Test
    void reasonsBeyondTheLimitAreOther() {
        for (int i = 0; i < 1_000; i++) {
            meters.failed("Service", "reason " + i);
        }

        assertThat(registry.get("k8sdns.api.failures").counters()).hasSizeLessThan(40);
        assertThat(count("k8sdns.api.failures", "kind", "Service", "reason", "other"))
                .isGreaterThan(900);
    }

    @Test
    void batchesAreCounted() {
        meters.applied(3, 100, Duration.ofMillis(1));
        meters.applied(4, 90, Duration.ofMillis(2));

        assertThat(registry.get("k8sdns.names").gauge().value()).isEqualTo(90);
        assertThat(count("k8sdns.changes")).isEqualTo(7);
        assertThat(registry.get("k8sdns.apply.duration").timer().count()).isEqualTo(2);
    }

    @Test
    void programmingLatencyHasTheBoundsOfCoreDns() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new ClusterMeters(prometheus)
                .programmed(ServiceKind.HEADLESS_WITH_SELECTOR, Since.TRIGGER, Duration.ofMillis(3));

        String labels = "service_kind=\"headless_with_selector\",since=\"trigger\"";
        assertThat(prometheus.scrape())
                .contains("k8sdns_programming_duration_seconds_bucket{" + labels + ",le=\"0.001\"} 0")
                .contains("k8sdns_programming_duration_seconds_bucket{" + labels + ",le=\"0.004\"} 1")
                .contains("k8sdns_programming_duration_seconds_bucket{" + labels + ",le=\"524.288\"} 1");
    }

    @Test
    void onlyTheCurrentStateOfTheZoneIsOne() {
        ZoneFeed feed = feed();
        assertThat(zoneState("syncing")).isEqualTo(1);
        feed.stateChanged(SyncState.SYNCED);
        assertThat(zoneState("syncing")).isZero();
        assertThat(zoneState("synced")).isEqualTo(1);
        assertThat(zoneState("stale")).isZero();
    }

    @Test
    void staleTimeOfTheZoneIncreases() {
        ZoneFeed feed = feed();
        feed.stateChanged(SyncState.SYNCED);
        assertThat(registry.get("k8sdns.zone.stale").gauge().value()).isZero();
        feed.stateChanged(SyncState.STALE);
        clock.add(Duration.ofSeconds(5));
        assertThat(registry.get("k8sdns.zone.stale").gauge().value()).isEqualTo(5);
    }

    private ZoneFeed feed() {
        ClusterZone zone = ClusterZone.of(ClusterSnapshot.of(List.of()), ZoneSettings.DEFAULTS);
        ZoneFeed feed = ZoneFeed.builder(zone, () -> Instant.ofEpochMilli(clock.wallTime()))
                .build();
        new ZoneMeters(feed).bindTo(registry);
        return feed;
    }

    private double zoneState(String state) {
        return registry.get("k8sdns.zone.state").tag("state", state).gauge().value();
    }

    private double gauge(String name, String kind) {
        return registry.get(name).tag("kind", kind).gauge().value();
    }

    private double count(String name, String... tags) {
        return registry.get(name).tags(tags).counter().count();
    }
}
