package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Selector;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ZoneFeedTest {
    private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");

    private final ClusterZone zone = ClusterZone.empty(new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
    private final List<String> applied = new ArrayList<>();
    private Instant now = NOON;

    private ZoneFeed.Builder feed() {
        return ZoneFeed.builder(zone, () -> now);
    }

    @Test
    void batchIsPublishedWithTheTimeAsItsSerialAndReported() {
        ZoneFeed feed = feed().observer(new ClusterObserver() {
                    @Override
                    public void applied(int changes, int names, Duration took) {
                        applied.add(changes + " " + took + " "
                                + (names == zone.current().nameCount()));
                    }
                })
                .build();
        feed.changed(List.of(
                new ClusterChange.Put(Namespace.of("shop")),
                new ClusterChange.Put(
                        ClusterIpService.of("shop", "cart", List.of(IpAddress.parse("10.96.0.20")), List.of()))));
        assertThat(zone.current().serial()).isEqualTo(NOON.getEpochSecond());
        assertThat(applied).containsExactly("2 PT0S true");
    }

    @Test
    void anExceptionOfAListenerIsThrownToTheSourceAtTheEnd() {
        List<String> called = new ArrayList<>();
        ClusterZone ofLabels =
                zone.view(Visibility.ALL.onlyWith(Selector.parse("public"))).zone();
        ofLabels.onChange(change -> {
            throw new IllegalStateException("of the view");
        });
        zone.onChange(change -> {
            throw new IllegalStateException("of the zone");
        });
        zone.onChange(change -> called.add("last"));
        ZoneFeed feed = feed().observer(new ClusterObserver() {
                    @Override
                    public void applied(int changes, int names, Duration took) {
                        called.add("observer");
                    }
                })
                .build();
        ClusterIpService cart = ClusterIpService.builder("shop", "cart")
                .labels("public=yes")
                .clusterIp("10.96.0.20")
                .build();
        assertThatThrownBy(() ->
                        feed.changed(List.of(new ClusterChange.Put(Namespace.of("shop")), new ClusterChange.Put(cart))))
                .hasMessage("of the view")
                .satisfies(thrown -> assertThat(thrown.getSuppressed())
                        .singleElement()
                        .hasToString("java.lang.IllegalStateException: of the zone"));
        assertThat(called).containsExactly("last", "observer");
        assertThat(zone.current().serial()).isEqualTo(NOON.getEpochSecond());
    }

    @Test
    void anExceptionOfAListenerIsPassedToItsHandlerAndNotToTheSource() {
        List<String> called = new ArrayList<>();
        zone.onChange(change -> {
            called.add("first");
            throw new IllegalStateException("of the first");
        });
        zone.onChange(change -> called.add("second"));
        List<ClusterChange> batch = List.of(new ClusterChange.Put(Namespace.of("shop")));
        feed().listenerFailures(failure -> called.add(failure.getMessage()))
                .build()
                .changed(batch);
        assertThat(called).containsExactly("first", "second", "of the first");
        assertThat(zone.current().nameCount()).isPositive();

        List<ClusterChange> next = List.of(new ClusterChange.Put(Namespace.of("other")));
        ZoneFeed withoutHandler = feed().build();
        assertThatThrownBy(() -> withoutHandler.changed(next)).hasMessage("of the first");
    }

    @Test
    void stateIsThatOfTheSource() {
        ZoneFeed feed = feed().build();
        assertThat(feed.state()).isEqualTo(SyncState.SYNCING);
        feed.stateChanged(SyncState.SYNCED);
        assertThat(feed.state()).isEqualTo(SyncState.SYNCED);
        assertThat(feed.staleSince()).isEmpty();
        feed.stateChanged(SyncState.STALE);
        assertThat(feed.state()).isEqualTo(SyncState.STALE);
        assertThat(feed.staleSince()).contains(NOON);
    }

    @Test
    @SuppressWarnings("NullAway") // the nulls are the test
    void nullOfASourceIsRefusedAndChangesNothing() {
        ZoneFeed feed = feed().build();
        assertThatThrownBy(() -> feed.stateChanged(null))
                .isExactlyInstanceOf(NullPointerException.class)
                .hasMessage("now");
        assertThatThrownBy(() -> feed.changed(null))
                .isExactlyInstanceOf(NullPointerException.class)
                .hasMessage("batch");
        assertThatThrownBy(() -> feed.diagnosed(null))
                .isExactlyInstanceOf(NullPointerException.class)
                .hasMessage("diagnostic");
        assertThat(feed.state()).isEqualTo(SyncState.SYNCING);
        assertThat(feed.synced().toCompletableFuture()).isNotCompleted();
    }

    @Test
    void syncedStageCompletesEvenIfTheZoneIsStale() {
        ZoneFeed feed = feed().build();
        feed.stateChanged(SyncState.STALE);
        assertThat(feed.synced().toCompletableFuture()).isCompleted();
    }

    @Test
    void syncedStageCompletesOnce() {
        ZoneFeed feed = feed().build();
        CompletionStage<Void> synced = feed.synced();
        List<String> completed = new ArrayList<>();
        synced.thenRun(() -> completed.add("now"));
        assertThat(completed).isEmpty();
        feed.stateChanged(SyncState.SYNCED);
        feed.stateChanged(SyncState.STALE);
        feed.stateChanged(SyncState.SYNCED);
        assertThat(completed).containsExactly("now");
    }

    @Test
    void staleObjectsAreServedWithoutALimitByDefault() {
        ZoneFeed feed = feed().build();
        feed.stateChanged(SyncState.STALE);
        now = NOON.plus(Duration.ofDays(1000));
        assertThat(feed.state()).isEqualTo(SyncState.STALE);
    }

    @Test
    void staleObjectsAreServedUntilTheLimitAndAgainOnceSynced() {
        ZoneFeed feed = feed().staleLimit(Duration.ofMinutes(10)).build();
        feed.stateChanged(SyncState.SYNCED);
        feed.stateChanged(SyncState.STALE);
        now = NOON.plusSeconds(600);
        feed.stateChanged(SyncState.STALE);
        assertThat(feed.state()).isEqualTo(SyncState.STALE);
        now = NOON.plusSeconds(601);
        assertThat(feed.state()).isEqualTo(SyncState.SYNCING);
        feed.stateChanged(SyncState.SYNCED);
        assertThat(feed.state()).isEqualTo(SyncState.SYNCED);
    }

    @Test
    void limitIsNotNegative() {
        assertThatThrownBy(() -> feed().staleLimit(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
