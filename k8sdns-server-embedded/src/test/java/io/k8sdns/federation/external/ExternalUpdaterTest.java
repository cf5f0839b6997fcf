package io.k8sdns.federation.external;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.federation.Shard;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ExternalUpdaterTest {
    private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(2);
    private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    private final MemoryExternalZone zone = new MemoryExternalZone();

    @AfterEach
    void end() {
        executor.shutdownNow();
    }

    private static WantedRecords wanted(String... addresses) {
        FederatedService service = FederatedService.builder("shop", "cart")
                .shard(
                        "foo",
                        Shard.builder()
                                .externalAddresses(List.of(addresses).stream()
                                        .map(IpAddress::parse)
                                        .toList())
                                .build())
                .build();
        return ExternalRecords.builder(new RecordOwner("one", "fed"), DnsLabels.parse("example.org"))
                .build()
                .of(List.of(service), Map.of());
    }

    private ExternalUpdater updater(ExternalZone of) {
        return ExternalUpdater.builder(
                        ExternalSync.builder(of, System::nanoTime, new Random(1))
                                .build(),
                        executor)
                .reports(events::add)
                .failures(events::add)
                .build();
    }

    private Object event() throws InterruptedException {
        Object event = events.poll(60, TimeUnit.SECONDS);
        return event == null ? "nothing" : event;
    }

    @Test
    void theZoneGetsTheLastWantedRecords() throws InterruptedException {
        try (ExternalUpdater updater = updater(zone)) {
            assertThat(events).as("before anything is wanted").isEmpty();
            updater.want(wanted("192.0.2.1"));
            assertThat(event()).isInstanceOf(ExternalSync.Report.class);
            WantedRecords last = wanted("192.0.2.2");
            updater.want(last);
            assertThat(event()).isInstanceOf(ExternalSync.Report.class);
            assertThat(zone.content()).isEqualTo(last.names());
        }
    }

    @Test
    void recordsSetDuringAPassAreAppliedByTheNext() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger atATime = new AtomicInteger();
        ExternalZone slow = new ExternalZone() {
            @Override
            public Listing list(Set<DnsLabels> names) throws ExternalZoneException {
                begun.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException interrupted) {
                    throw new ExternalZoneException("interrupted", true);
                }
                return zone.list(names);
            }

            @Override
            public Map<DnsLabels, ChangeResult> apply(List<NameChange> changes) {
                assertThat(atATime.incrementAndGet()).isEqualTo(1);
                try {
                    return zone.apply(changes);
                } finally {
                    atATime.decrementAndGet();
                }
            }

            @Override
            public void close() {}
        };
        try (ExternalUpdater updater = updater(slow)) {
            updater.want(wanted("192.0.2.1"));
            begun.await();
            updater.want(wanted("192.0.2.2"));
            WantedRecords last = wanted("192.0.2.3");
            updater.want(last);
            goOn.countDown();
            assertThat(event()).isInstanceOf(ExternalSync.Report.class);
            assertThat(event()).isInstanceOf(ExternalSync.Report.class);
            assertThat(zone.content()).isEqualTo(last.names());
        }
    }

    /** Each task on the thread of the passes sets other records and queues the next task. */
    @Test
    void aPassRunsEvenIfTheWantedRecordsChangeAllTheTime() throws InterruptedException {
        ScheduledExecutorService one = Executors.newSingleThreadScheduledExecutor();
        try (ExternalUpdater updater = ExternalUpdater.builder(
                        ExternalSync.builder(zone, System::nanoTime, new Random(1))
                                .build(),
                        one)
                .reports(events::add)
                .failures(events::add)
                .build()) {
            one.execute(() -> wantAndQueueNext(updater, one, 1, 10));
            assertThat(event()).isEqualTo(1);
            assertThat(event()).isEqualTo(2);
            assertThat(event()).isInstanceOf(ExternalSync.Report.class);
        } finally {
            one.shutdownNow();
        }
    }

    private void wantAndQueueNext(ExternalUpdater updater, ScheduledExecutorService on, int number, int last) {
        if (number < last) {
            on.execute(() -> wantAndQueueNext(updater, on, number + 1, last));
        }
        updater.want(wanted("192.0.2." + number));
        events.add(number);
    }

    @Test
    void anExceptionOfTheZoneIsReported() throws InterruptedException {
        ExternalZone broken = new ExternalZone() {
            @Override
            public Listing list(Set<DnsLabels> names) {
                throw new IllegalStateException("broken");
            }

            @Override
            public Map<DnsLabels, ChangeResult> apply(List<NameChange> changes) {
                return Map.of();
            }

            @Override
            public void close() {}
        };
        try (ExternalUpdater updater = updater(broken)) {
            updater.want(wanted("192.0.2.1"));
            assertThat(event()).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aClosedUpdaterAcceptsNoRecords() {
        ExternalUpdater updater = updater(zone);
        updater.close();
        updater.close();
        assertThatThrownBy(() -> updater.want(wanted("192.0.2.1"))).isInstanceOf(IllegalStateException.class);
    }
}
