package io.k8sdns.federation.external;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.federation.Shard;
import io.k8sdns.federation.external.ChangeResult.Kind;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ExternalSyncTest {
    private static final DnsLabels SUFFIX = DnsLabels.parse("example.org");

    private long now = 5_000_000_000L;

    private final MemoryExternalZone content = new MemoryExternalZone();
    private final ScriptedZone zone = new ScriptedZone();
    private final ExternalSync sync =
            ExternalSync.builder(zone, () -> now, new Random(1)).build();

    /** A zone in memory with failures that a test sets. */
    private final class ScriptedZone implements ExternalZone {
        private final Map<DnsLabels, ChangeResult> failing = new HashMap<>();
        private final List<Integer> batches = new ArrayList<>();
        private boolean isUnreadable;
        private int reads;

        @Override
        public Listing list(Set<DnsLabels> names) throws ExternalZoneException {
            reads++;
            if (isUnreadable) {
                throw new ExternalZoneException("no answer", true);
            }
            return content.list(names);
        }

        @Override
        public Map<DnsLabels, ChangeResult> apply(List<NameChange> changes) {
            batches.add(changes.size());
            Map<DnsLabels, ChangeResult> results = new HashMap<>();
            for (NameChange change : changes) {
                ChangeResult failure = failing.get(change.name());
                results.put(
                        change.name(),
                        failure == null
                                ? content.apply(List.of(change)).getOrDefault(change.name(), ChangeResult.APPLIED)
                                : failure);
            }
            return results;
        }

        @Override
        public void close() {}
    }

    private static DnsLabels name(int number) {
        return DnsLabels.parse("s" + number + ".shop.fed.svc.example.org");
    }

    private static WantedRecords wanted(String id, String address, int... numbers) {
        List<FederatedService> services = IntStream.of(numbers)
                .mapToObj(number -> FederatedService.builder("shop", "s" + number)
                        .shard(
                                "foo",
                                Shard.builder()
                                        .externalAddresses(List.of(IpAddress.parse(address)))
                                        .build())
                        .build())
                .toList();
        return ExternalRecords.builder(new RecordOwner(id, "fed"), SUFFIX)
                .build()
                .of(services, Map.of());
    }

    private static WantedRecords wanted(String address, int... numbers) {
        return wanted("one", address, numbers);
    }

    private void pass(Duration duration) {
        now += duration.toNanos();
    }

    @Test
    void batchesHaveAtMost100Names() {
        int[] numbers = IntStream.range(0, 250).toArray();
        assertThat(sync.pass(wanted("192.0.2.1", numbers)).isDone()).isTrue();
        assertThat(zone.batches).containsExactly(100, 100, 50);
        assertThat(content.content()).hasSize(250);
        assertThat(sync.status().changes(Kind.APPLIED)).isEqualTo(250);
        assertThat(sync.status().lag(now)).isZero();
        assertThat(sync.status().sinceSuccess(now)).contains(Duration.ZERO);
    }

    @Test
    void theZoneIsReadOncePerInterval() {
        sync.pass(wanted("192.0.2.1", 1));
        sync.pass(wanted("192.0.2.2", 1, 2));
        assertThat(sync.pass(wanted("192.0.2.2", 1, 2)).changed()).isEmpty();
        assertThat(zone.reads).isEqualTo(1);
        pass(Duration.ofSeconds(60));
        sync.pass(wanted("192.0.2.2", 1, 2));
        assertThat(zone.reads).isEqualTo(2);
    }

    @Test
    void aNameThatFailsDoesNotAffectOthersAndIsReportedOnce() {
        zone.failing.put(name(1), new ChangeResult(Kind.PERMANENT, "REFUSED"));
        ExternalSync.Report report = sync.pass(wanted("192.0.2.1", 1, 2));
        assertThat(report.changed()).containsExactly(name(2));
        assertThat(report.newFailures()).containsExactly(name(1));
        assertThat(report.isDone()).isFalse();
        assertThat(report.untilNext()).isLessThanOrEqualTo(ExternalSync.DEFAULT_INTERVAL);
        pass(ExternalSync.SLOW_WAIT);
        ExternalSync.Report again = sync.pass(wanted("192.0.2.1", 1, 2));
        assertThat(again.failures()).containsKey(name(1));
        assertThat(again.newFailures()).isEmpty();
        assertThat(sync.status().changes(Kind.PERMANENT)).isEqualTo(2);
        assertThat(sync.status().failing()).isEqualTo(1);
        pass(Duration.ofSeconds(1));
        assertThat(sync.status().lag(now)).isEqualTo(ExternalSync.SLOW_WAIT.plusSeconds(1));
        // The wanted records have changed, so the name is tried and reported immediately.
        assertThat(sync.pass(wanted("192.0.2.9", 1, 2)).newFailures()).contains(name(1));
    }

    @Test
    void aPermanentFailureIsRetriedEveryFiveMinutes() {
        zone.failing.put(name(1), new ChangeResult(Kind.PERMANENT, "REFUSED"));
        sync.pass(wanted("192.0.2.1", 1));
        pass(ExternalSync.SLOW_WAIT.dividedBy(2).minusSeconds(1));
        sync.pass(wanted("192.0.2.1", 1));
        assertThat(zone.batches).hasSize(1);
        zone.failing.clear();
        pass(ExternalSync.SLOW_WAIT.dividedBy(2).plusSeconds(1));
        assertThat(sync.pass(wanted("192.0.2.1", 1)).isDone()).isTrue();
    }

    @Test
    void aTransientFailureIsRetriedWithGrowingDelays() {
        zone.failing.put(name(1), new ChangeResult(Kind.TRANSIENT, "SERVFAIL"));
        Duration last = Duration.ZERO;
        for (int i = 0; i < 12; i++) {
            last = sync.pass(wanted("192.0.2.1", 1)).untilNext();
            assertThat(last).isBetween(Duration.ofMillis(i == 0 ? 500 : 1), ExternalSync.LONGEST_WAIT);
            pass(last);
        }
        assertThat(last).isGreaterThanOrEqualTo(ExternalSync.LONGEST_WAIT.dividedBy(2));
        assertThat(zone.batches).hasSize(12);
    }

    @Test
    void aConflictIsReadAgainAndRetriedOnceSoon() {
        sync.pass(wanted("192.0.2.1"));
        // Another program has created the name since the zone was read.
        content.put(wanted("two", "192.0.2.7", 1).names().values().iterator().next());
        ExternalSync.Report conflict = sync.pass(wanted("192.0.2.1", 1));
        assertThat(conflict.failures().values()).extracting(ChangeResult::kind).containsExactly(Kind.CONFLICT);
        assertThat(conflict.untilNext()).isLessThanOrEqualTo(ExternalSync.FIRST_WAIT);
        content.remove(name(1));
        pass(conflict.untilNext());
        assertThat(sync.pass(wanted("192.0.2.1", 1)).isDone()).isTrue();
        assertThat(zone.reads).isEqualTo(2);
    }

    @Test
    void namesOfOtherOwnersAreNeitherChangedNorRemoved() {
        WantedRecords ofTwo = wanted("two", "192.0.2.7", 1, 2);
        ofTwo.names().values().forEach(content::put);
        sync.pass(wanted("192.0.2.1", 1));
        pass(Duration.ofMinutes(10));
        sync.pass(wanted("192.0.2.1"));
        assertThat(content.content()).isEqualTo(ofTwo.names());
    }

    @Test
    void aZoneThatCannotBeReadIsNotChanged() {
        zone.isUnreadable = true;
        ExternalSync.Report report = sync.pass(wanted("192.0.2.1", 1));
        assertThat(report.zoneFailure()).contains("no answer");
        assertThat(report.isNewZoneFailure()).isTrue();
        assertThat(report.isDone()).isFalse();
        assertThat(zone.batches).isEmpty();
        sync.pass(wanted("192.0.2.2", 1));
        assertThat(zone.reads).as("while the pass waits").isEqualTo(1);
        pass(report.untilNext());
        assertThat(sync.pass(wanted("192.0.2.2", 1)).isNewZoneFailure()).isFalse();
        assertThat(sync.status().unreadable()).isEqualTo(2);
        zone.isUnreadable = false;
        pass(ExternalSync.LONGEST_WAIT);
        assertThat(sync.pass(wanted("192.0.2.2", 1)).isDone()).isTrue();
    }

    @Test
    void noFurtherBatchIsSentToAServerThatDoesNotAnswer() {
        int[] numbers = IntStream.range(0, 250).toArray();
        IntStream.of(numbers)
                .forEach(number -> zone.failing.put(name(number), new ChangeResult(Kind.TRANSIENT, "no answer")));
        ExternalSync.Report report = sync.pass(wanted("192.0.2.1", numbers));
        assertThat(zone.batches).containsExactly(100);
        assertThat(report.isDone()).isFalse();
        zone.failing.clear();
        pass(Duration.ofSeconds(1));
        assertThat(sync.pass(wanted("192.0.2.1", numbers)).isDone()).isTrue();
    }

    @Test
    void anIntervalIsAtLeastOneSecond() {
        assertThatThrownBy(() ->
                        ExternalSync.builder(zone, () -> now, new Random(1)).interval(Duration.ofMillis(999)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
