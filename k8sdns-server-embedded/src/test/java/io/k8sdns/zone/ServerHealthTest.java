package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.SyncState;
import io.k8sdns.zone.ServerHealth.Status;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ServerHealthTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private final ServerHealth health = new ServerHealth();
    private Instant now = BEGIN;

    private ZoneFeed feed() {
        return ZoneFeed.builder(ClusterZone.create(), () -> now)
                .staleLimit(Duration.ofMinutes(5))
                .build();
    }

    private void assertStatus(Status status, boolean ready) {
        assertThat(health.status()).isEqualTo(status);
        assertThat(health.isReady()).isEqualTo(ready);
        assertThat(health.isLive()).isTrue();
    }

    @Test
    void serverWithoutZonesIsNotReady() {
        assertStatus(Status.SYNCING, false);
        assertThat(health.staleSince()).isEmpty();
    }

    @Test
    void serverIsReadyOnceItIsSynced() {
        ZoneFeed feed = feed();
        health.add(feed);
        assertStatus(Status.SYNCING, false);
        feed.stateChanged(SyncState.SYNCED);
        assertStatus(Status.READY, true);
    }

    @Test
    void staleServerIsReadyUntilItsRecordsAreTooOld() {
        ZoneFeed feed = feed();
        health.add(feed);
        feed.stateChanged(SyncState.SYNCED);
        feed.stateChanged(SyncState.STALE);
        now = BEGIN.plusSeconds(300);
        assertStatus(Status.STALE, true);
        assertThat(health.staleSince()).contains(BEGIN);

        now = BEGIN.plusSeconds(301);
        assertStatus(Status.EXPIRED, false);
        feed.stateChanged(SyncState.SYNCED);
        assertStatus(Status.READY, true);
        assertThat(health.staleSince()).isEmpty();
    }

    @Test
    void stoppingServerIsNotReady() {
        health.add(ClusterZone.create());
        assertStatus(Status.READY, true);
        health.markStopping();
        assertStatus(Status.STOPPING, false);
    }

    @Test
    void worstOfSeveralZonesDecides() {
        ZoneFeed one = feed();
        ZoneFeed other = feed();
        health.add(one);
        health.add(other);
        health.add(ClusterZone.create());
        one.stateChanged(SyncState.STALE);
        assertStatus(Status.SYNCING, false);
        now = BEGIN.plusSeconds(1);
        other.stateChanged(SyncState.STALE);
        assertStatus(Status.STALE, true);
        assertThat(health.staleSince()).contains(BEGIN);
    }

    @Test
    void zoneOfAFeedHasTheStateOfTheFeed() {
        ClusterZone zone = ClusterZone.create();
        ZoneFeed feed = ZoneFeed.builder(zone, () -> now).build();
        health.add(zone);
        assertStatus(Status.SYNCING, false);
        feed.stateChanged(SyncState.STALE);
        assertStatus(Status.STALE, true);
    }
}
