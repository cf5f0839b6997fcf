package io.k8sdns.federation.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.FederationFormat;
import io.k8sdns.federation.MemoryStore;
import io.k8sdns.federation.Shard;
import io.k8sdns.federation.external.ExternalRecords;
import io.k8sdns.federation.external.RecordOwner;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ExternalContentTest {
    /** A format in which a shard is an address, and a cluster the name of its region. */
    private static final FederationFormat FORMAT = new FederationFormat() {
        @Override
        public Shard shard(String value) {
            return Shard.builder()
                    .externalAddresses(List.of(IpAddress.parse(value)))
                    .build();
        }

        @Override
        public ClusterLocation cluster(String value) {
            return value.isEmpty() ? ClusterLocation.UNKNOWN : ClusterLocation.UNKNOWN.withRegion(value);
        }
    };

    private static final ExternalRecords RULES = ExternalRecords.builder(
                    new RecordOwner("one", "prod"), DnsLabels.parse("example.org"))
            .build();

    private final MemoryStore store = new MemoryStore();
    private final AtomicInteger changes = new AtomicInteger();
    private final List<String> skipped = new ArrayList<>();
    private final ExternalContent content = ExternalContent.builder("prod", FORMAT)
            .changed(changes::incrementAndGet)
            .skipped((key, reason) -> skipped.add(key))
            .build();

    private List<String> names() {
        return content.records(RULES).names().keySet().stream()
                .map(DnsLabels::toString)
                .sorted()
                .toList();
    }

    @Test
    void servicesOfOneFederationAreFollowed() {
        assertThat(content.isReady()).isFalse();
        store.replaceAll(Map.of(
                "/prod/shop/cart/foo", "192.0.2.1",
                "/prod/shop/cart/bar", "192.0.2.2",
                "/other/shop/cart/foo", "192.0.2.3",
                "/no/key", "192.0.2.4",
                "/_clusters/foo", "eu",
                "/_clusters/bar", "us"));
        store.watch(content);
        assertThat(content.isReady()).isTrue();
        assertThat(content.isEmpty()).isFalse();
        assertThat(names())
                .containsExactly(
                        "cart.shop.prod.svc.eu.example.org",
                        "cart.shop.prod.svc.example.org",
                        "cart.shop.prod.svc.us.example.org");
        assertThat(content.records(RULES).names().values())
                .filteredOn(records -> records.name().equals(DnsLabels.parse("cart.shop.prod.svc.example.org")))
                .singleElement()
                .satisfies(records ->
                        assertThat(records.records().get(0).records()).hasSize(2));
        assertThat(changes).hasValue(1);

        store.replaceAll(Map.of("/prod/shop/web/foo", "192.0.2.1", "/_clusters/foo", ""));
        assertThat(names()).containsExactly("web.shop.prod.svc.example.org");
        assertThat(changes).hasValue(2);

        store.replaceAll(Map.of());
        assertThat(content.isEmpty()).isTrue();
        assertThat(skipped).isEmpty();
    }

    @Test
    void aBrokenValueHidesItsShardAlone() {
        store.replaceAll(Map.of("/prod/shop/cart/foo", "192.0.2.1", "/prod/shop/cart/bar", "192.0.2.2"));
        store.watch(content);
        store.replaceAll(Map.of("/prod/shop/cart/foo", "?", "/prod/shop/cart/bar", "192.0.2.2"));
        assertThat(skipped).containsExactly("/prod/shop/cart/foo");
        assertThat(content.records(RULES).names())
                .hasSize(1)
                .allSatisfy(
                        (name, records) -> assertThat(records.records().get(0).toString())
                                .contains("192.0.2.2")
                                .doesNotContain("192.0.2.1"));
    }

    @Test
    void givenLocationsAreBehindThoseOfTheStore() {
        store.replaceAll(Map.of("/prod/shop/cart/foo", "192.0.2.1", "/_clusters/foo", ""));
        store.watch(content);
        content.clusters(Map.of("foo", ClusterLocation.UNKNOWN.withRegion("asia")));
        assertThat(changes).hasValue(2);
        assertThat(names()).contains("cart.shop.prod.svc.asia.example.org");
        store.replaceAll(Map.of("/prod/shop/cart/foo", "192.0.2.1", "/_clusters/foo", "eu"));
        assertThat(names()).contains("cart.shop.prod.svc.eu.example.org").hasSize(2);
    }

    @Test
    void nameOfAFederationMustBeADnsLabel() {
        assertThatThrownBy(() -> ExternalContent.builder("a.b", FORMAT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a.b");
    }
}
