package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The names that a change replaces; all other names keep their arrays. */
class SharingTest {
    private static final int SLICES = 4;
    private static final int EACH = 25;

    private final ClusterZone zone = zone();

    private static ClusterZone zone() {
        ClusterZone zone = ClusterZone.empty(new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
        List<ClusterChange> all = new ArrayList<>();
        all.add(new ClusterChange.Put(Namespace.of("shop")));
        for (int i = 0; i < 500; i++) {
            all.add(new ClusterChange.Put(service(i)));
        }
        all.add(new ClusterChange.Put(large(Labels.NONE)));
        for (int i = 0; i < SLICES; i++) {
            all.add(new ClusterChange.Put(slice(i, EACH, true)));
        }
        zone.apply(all);
        return zone;
    }

    private static ClusterIpService service(int number) {
        return ClusterIpService.of(
                "shop",
                "web-" + number,
                List.of(IpAddress.ofIpv4(0xC000_0200L + number)),
                List.of(ServicePort.of("http", Protocol.TCP, 80)));
    }

    private static HeadlessService large(Labels labels) {
        HeadlessService plain = HeadlessService.of("shop", "large");
        return plain.toBuilder().labels(labels).build();
    }

    private static EndpointSlice slice(int number, int endpoints, boolean firstIsReady) {
        List<Endpoint> list = new ArrayList<>();
        for (int i = 0; i < endpoints; i++) {
            int id = number * EACH + i;
            list.add(Endpoint.of(IpAddress.ofIpv4(0xC633_6400L + id))
                    .withHostname("pod-" + id)
                    .withReady(i > 0 || firstIsReady));
        }
        return EndpointSlice.builder("shop", "large-" + number)
                .service("large")
                .endpoints(list)
                .ports(EndpointPort.of("http", Protocol.TCP, 80))
                .build();
    }

    /** Applies a change and returns the names that were added, removed, or stored in another array. */
    private Set<OwnerName> changed(ClusterChange... changes) {
        IdentityHashMap<byte[], OwnerName> before = arrays(zone.current());
        Set<OwnerName> changed = new HashSet<>(before.values());
        zone.apply(List.of(changes));
        arrays(zone.current()).forEach((array, name) -> {
            if (before.containsKey(array)) {
                changed.remove(name);
            } else {
                changed.add(name);
            }
        });
        return changed;
    }

    private static IdentityHashMap<byte[], OwnerName> arrays(ZoneRevision revision) {
        IdentityHashMap<byte[], OwnerName> arrays = new IdentityHashMap<>();
        revision.names()
                .forEach(packed -> arrays.put(
                        packed, new OwnerName.Forward(NameData.ofPacked(packed).firstName())));
        revision.addresses().forEach((address, packed) -> arrays.put(packed, new OwnerName.Reverse(address)));
        return arrays;
    }

    private static OwnerName name(String labels) {
        return new OwnerName.Forward(DnsLabels.parse(labels));
    }

    @Test
    void oneEndpointOfManySlicesReplacesItsTwoNamesAndTheTwoSharedByAll() {
        assertThat(changed(new ClusterChange.Put(slice(2, EACH, false))))
                .containsExactlyInAnyOrder(
                        name("large.shop.svc"),
                        name("_http._tcp.large.shop.svc"),
                        name("pod-50.large.shop.svc"),
                        new OwnerName.Reverse(IpAddress.ofIpv4(0xC633_6400L + 50)));
    }

    @Test
    void aSharedNameIsKeptForTheLastOfManyEndpoints() {
        List<Endpoint> endpoints = new ArrayList<>(slice(0, EACH, true).endpoints());
        endpoints.replaceAll(endpoint -> endpoint.withReady(false));
        endpoints.set(EACH - 1, endpoints.get(EACH - 1).withReady(true));
        endpoints.set(EACH - 2, endpoints.get(EACH - 2).withReady(true));
        HeadlessService other = HeadlessService.of("shop", "other");
        zone.apply(List.of(new ClusterChange.Put(other), new ClusterChange.Put(other(endpoints))));
        endpoints.set(EACH - 2, endpoints.get(EACH - 2).withReady(false));
        assertThat(changed(new ClusterChange.Put(other(endpoints))))
                .contains(name("other.shop.svc"), name("_http._tcp.other.shop.svc"));
        assertThat(zone.current().names().get(DnsLabels.of("other", "shop", "svc")))
                .isNotNull();
        assertThat(zone.current().names().get(DnsLabels.of("_tcp", "other", "shop", "svc")))
                .isNotNull();
    }

    private static EndpointSlice other(List<Endpoint> endpoints) {
        return EndpointSlice.builder("shop", "other-0")
                .service("other")
                .endpoints(endpoints)
                .ports(EndpointPort.of("http", Protocol.TCP, 80))
                .build();
    }

    @Test
    void aNewServiceAddsOnlyItsOwnNames() {
        assertThat(changed(new ClusterChange.Put(service(999))))
                .containsExactlyInAnyOrder(
                        name("web-999.shop.svc"),
                        name("_tcp.web-999.shop.svc"),
                        name("_http._tcp.web-999.shop.svc"),
                        new OwnerName.Reverse(IpAddress.ofIpv4(0xC000_0200L + 999)));
    }

    @Test
    void aServiceWithOtherLabelsReplacesNoName() {
        assertThat(changed(new ClusterChange.Put(large(new Labels(Map.of("app", "web"))))))
                .isEmpty();
    }

    @Test
    void aChangeThatIsRevertedInItsBatchReplacesNoName() {
        assertThat(changed(new ClusterChange.Put(slice(1, EACH, false)), new ClusterChange.Put(slice(1, EACH, true))))
                .isEmpty();
    }

    @Test
    void onlySegmentsWithANameThatChangedAreCopied() {
        NameTable before = zone.current().names();
        zone.apply(List.of(new ClusterChange.Put(slice(2, EACH, false))));
        NameTable after = zone.current().names();
        assertThat(after.segmentCount()).isEqualTo(before.segmentCount()).isGreaterThan(16);
        assertThat(after.segmentsSharedWith(before)).isBetween(after.segmentCount() - 3L, after.segmentCount() - 1L);
    }

    @Test
    void aPackedNameWithOneAddressHasThreeBytesOfOverhead() {
        byte[] packed = zone.current().names().get(DnsLabels.parse("pod-0.large.shop.svc"));
        assertThat(packed).hasSize("pod-0.large.shop.svc".length() + 1 + 4 + 3);
    }

    @Test
    void anAddressOfAnEndpointIsItsPtrTargetAndSevenBytes() {
        byte[] packed = zone.current().addresses().get(IpAddress.ofIpv4(0xC633_6400L));
        assertThat(packed).hasSize("pod-0.large.shop.svc".length() + 1 + 7);
    }

    @Test
    void anSrvRecordOfManyTakesLessThanEightBytes() {
        byte[] packed =
                Objects.requireNonNull(zone.current().names().get(DnsLabels.parse("_http._tcp.large.shop.svc")));
        int records = SLICES * EACH;
        assertThat(packed.length).isLessThan(8 * records);
        assertThat(NameData.ofPacked(packed).srvCount()).isEqualTo(records);
    }
}
