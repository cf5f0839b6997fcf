package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HostAddressesTest {
    private static final DnsLabels ONE = DnsLabels.parse("one.example");
    private static final DnsLabels OTHER = DnsLabels.parse("other.example");

    private final Map<DnsLabels, Collection<IpAddress>> hosts = new HashMap<>();
    private final List<DnsLabels> asked = Collections.synchronizedList(new ArrayList<>());
    private final HostAddresses addresses = new HostAddresses(host -> {
        asked.add(host);
        return hosts.getOrDefault(host, List.of());
    });

    private static List<IpAddress> ip(String text) {
        return List.of(IpAddress.parse(text));
    }

    @AfterEach
    void end() {
        addresses.close();
    }

    private boolean refresh() {
        return addresses.replace(addresses.refresh().toCompletableFuture().join());
    }

    private Collection<IpAddress> lookUp(DnsLabels host) throws InterruptedException {
        return addresses.derive(() -> addresses.apply(host));
    }

    @Test
    void aHostIsLookedUpOnceAndAtEachRefresh() throws InterruptedException {
        hosts.put(ONE, ip("192.0.2.1"));
        assertThat(lookUp(ONE)).containsExactlyElementsOf(ip("192.0.2.1"));
        assertThat(lookUp(ONE)).containsExactlyElementsOf(ip("192.0.2.1"));
        assertThat(asked).hasSize(1);
        assertThat(refresh()).isFalse();
        hosts.put(ONE, ip("192.0.2.2"));
        assertThat(refresh()).isTrue();
        assertThat(lookUp(ONE)).containsExactlyElementsOf(ip("192.0.2.2"));
        assertThat(addresses.unknown()).isEmpty();
    }

    @Test
    void aFailureOfTheResolverRemovesNoAddress() throws InterruptedException {
        hosts.put(ONE, ip("192.0.2.1"));
        assertThat(lookUp(ONE)).hasSize(1);
        hosts.clear();
        assertThat(refresh()).isFalse();
        assertThat(lookUp(ONE)).containsExactlyElementsOf(ip("192.0.2.1"));
    }

    @Test
    void aHostWithoutAnAddressIsUnknownWhileItIsUsed() throws InterruptedException {
        assertThat(lookUp(ONE)).isEmpty();
        assertThat(addresses.unknown()).containsExactly(ONE);
        hosts.put(OTHER, ip("192.0.2.3"));
        assertThat(lookUp(OTHER)).hasSize(1);
        assertThat(addresses.unknown()).isEmpty();
        asked.clear();
        assertThat(refresh()).isFalse();
        assertThat(asked).containsExactly(OTHER);
    }

    /** Each lookup waits until the largest number of lookups is running; more concurrent lookups would be counted. */
    @Test
    void hostsAreLookedUpConcurrentlyUpToALimit() throws InterruptedException {
        CountDownLatch full = new CountDownLatch(HostAddresses.MAX_LOOKUPS);
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (HostAddresses slow = new HostAddresses(host -> {
            most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
            full.countDown();
            try {
                full.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
            underWay.decrementAndGet();
            return ip("192.0.2.1");
        })) {
            List<DnsLabels> many = IntStream.range(0, 3 * HostAddresses.MAX_LOOKUPS)
                    .mapToObj(number -> DnsLabels.of("host-" + number, "example"))
                    .toList();
            assertThat(slow.derive(() -> many.stream().map(slow).toList()))
                    .hasSameSizeAs(many)
                    .allMatch(found -> List.copyOf(found).equals(ip("192.0.2.1")));
            assertThat(most).hasValue(HostAddresses.MAX_LOOKUPS);
        }
    }

    @Test
    void addressesOfAnUnusedHostAreDiscarded() throws InterruptedException {
        hosts.put(ONE, ip("192.0.2.1"));
        assertThat(lookUp(ONE)).hasSize(1);
        hosts.put(ONE, ip("192.0.2.2"));
        Map<DnsLabels, Set<IpAddress>> found =
                addresses.refresh().toCompletableFuture().join();
        assertThat(lookUp(OTHER)).isEmpty();
        assertThat(addresses.replace(found)).isFalse();
        assertThat(addresses.unknown()).containsExactly(OTHER);
    }
}
