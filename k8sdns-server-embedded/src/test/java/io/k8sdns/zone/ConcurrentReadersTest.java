package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Namespace;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Type;

/**
 * One writer moves two Services from address to address, both in each batch, while readers check each revision. {@link
 * ClusterZone} guarantees that no reader sees only one Service moved, a name moved without its PTR, or an earlier revision than
 * one that any reader has seen.
 */
class ConcurrentReadersTest {
    private static final int BATCHES = 5_000;
    private static final int READERS = 3;

    private static final DnsLabels LEFT = DnsLabels.parse("left.shop.svc");
    private static final DnsLabels RIGHT = DnsLabels.parse("right.shop.svc");

    private final ClusterZone zone = ClusterZone.empty(new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
    private final CyclicBarrier start = new CyclicBarrier(READERS + 1);

    /** The latest serial that any reader has seen. */
    private final AtomicLong seen = new AtomicLong();

    private volatile boolean written;

    @Test
    void readersSeeWholeBatchesAndNeverAnEarlierOneAfterALater() throws Exception {
        zone.apply(List.of(new ClusterChange.Put(Namespace.of("shop"))));
        zone.apply(move(0));
        ExecutorService threads = Executors.newFixedThreadPool(READERS);
        try {
            List<Future<?>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                readers.add(threads.submit(() -> {
                    start.await();
                    while (!written) {
                        checkRevision();
                    }
                    return null;
                }));
            }
            start.await();
            write();
            for (Future<?> reader : readers) {
                reader.get();
            }
        } finally {
            threads.shutdownNow();
        }
        checkRevision();
        assertThat(zone.current().serial()).isEqualTo(1 + BATCHES);
    }

    private void write() {
        try {
            for (int i = 1; i <= BATCHES; i++) {
                zone.apply(move(i));
            }
        } finally {
            written = true;
        }
    }

    private static List<ClusterChange> move(int to) {
        return List.of(service("left", address(to)), service("right", address(to)));
    }

    private static ClusterChange service(String name, IpAddress address) {
        return new ClusterChange.Put(ClusterIpService.of("shop", name, List.of(address), List.of()));
    }

    private static IpAddress address(int number) {
        return IpAddress.parse("10.96." + number / 256 + "." + number % 256);
    }

    private void checkRevision() {
        long earlier = seen.get();
        ZoneRevision revision = zone.current();
        assertThat(revision.serial()).isGreaterThanOrEqualTo(earlier);
        seen.accumulateAndGet(revision.serial(), Math::max);

        IpAddress expected = address((int) revision.serial() - 1);
        assertThat(addresses(revision, LEFT)).containsExactly(expected);
        assertThat(addresses(revision, RIGHT)).containsExactly(expected);
        assertThat(ptrTargets(revision, expected)).containsExactly(LEFT, RIGHT);
        assertThat(revision.lookup(IpNetwork.parse("10.96.0.0/16"), Type.PTR)).isInstanceOf(ZoneLookup.NoData.class);
    }

    private static List<IpAddress> addresses(ZoneRevision revision, DnsLabels name) {
        return revision.lookup(name, Type.A) instanceof ZoneLookup.Found found
                ? found.data().addresses()
                : List.of();
    }

    private static List<DnsLabels> ptrTargets(ZoneRevision revision, IpAddress address) {
        return revision.lookup(new IpNetwork(address, 32), Type.PTR) instanceof ZoneLookup.Found found
                ? found.data().ptrTargets()
                : List.of();
    }
}
