package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Protocol;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * A headless Service of up to three slices, of which a few endpoints change at a time, so that its names are edited and
 * not assembled again. There are so few addresses and hostnames that slices, and endpoints of one slice, share them.
 */
class ManySlicesLaws {
    private static final int STEPS = 10;

    @Property(tries = 60)
    void anUpdatedZoneEqualsTheZoneOfTheCurrentObjects(@ForAll long seed, @ForAll("settings") ZoneSettings settings) {
        Random random = new Random(seed);
        RecordRules rules = new RecordRules(settings);
        List<List<Endpoint>> slices = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        int most = 1 + random.nextInt(40);
        for (int i = random.nextInt(3); i < 3; i++) {
            List<Endpoint> endpoints = new ArrayList<>();
            for (int left = random.nextInt(most + 1); left > 0; left--) {
                endpoints.add(endpoint(random, slices.size(), most));
            }
            slices.add(endpoints);
            ports.add(random.nextInt(3));
        }
        ClusterZone live = ClusterZone.of(snapshot(slices, ports, false), rules, Visibility.ALL);
        boolean early = false;
        for (int step = 0; step < STEPS; step++) {
            List<ClusterChange> batch = new ArrayList<>();
            for (int changes = 1 + random.nextInt(2); changes > 0; changes--) {
                int slice = random.nextInt(slices.size());
                if (random.nextInt(12) == 0) {
                    ports.set(slice, random.nextInt(3));
                } else if (random.nextInt(12) == 0) {
                    early = !early;
                    batch.add(new ClusterChange.Put(service(early)));
                }
                change(random, slices.get(slice), slice, most);
                batch.add(new ClusterChange.Put(slice(slice, slices.get(slice), ports.get(slice))));
            }
            live.apply(batch);
            ZoneRevision whole = ClusterZone.of(snapshot(slices, ports, early), rules, Visibility.ALL)
                    .current();
            assertThat(stored(live.current())).isEqualTo(stored(whole));
        }
    }

    private static void change(Random random, List<Endpoint> endpoints, int slice, int most) {
        for (int changes = 1 + random.nextInt(2); changes > 0; changes--) {
            int at = random.nextInt(endpoints.size() + 1);
            switch (random.nextInt(4)) {
                case 0 -> endpoints.add(at, endpoint(random, slice, most));
                case 1 -> {
                    if (at < endpoints.size()) {
                        endpoints.remove(at);
                    }
                }
                case 2 -> {
                    if (at < endpoints.size()) {
                        endpoints.set(at, endpoint(random, slice, most));
                    }
                }
                default -> {
                    if (at < endpoints.size()) {
                        endpoints.set(at, endpoints.get(at).withReady(random.nextBoolean()));
                    }
                }
            }
        }
    }

    private static Endpoint endpoint(Random random, int slice, int most) {
        List<IpAddress> addresses = new ArrayList<>();
        for (int left = random.nextInt(8) == 0 ? 2 : 1; left > 0; left--) {
            int number = random.nextInt(most + 1);
            addresses.add(slice == 2 ? IpAddress.ofIpv6(0x2001_0DB8_0000_0000L, number) : address(number));
        }
        Optional<String> hostname = switch (random.nextInt(4)) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(address(random.nextInt(most + 1)).toString().replace('.', '-'));
            default -> Optional.of("web-" + random.nextInt(most + 1));
        };
        Optional<ObjectRef> target = random.nextBoolean()
                ? Optional.empty()
                : Optional.of(ObjectRef.of(Pod.KIND, "shop", "web-" + random.nextInt(most + 1)));
        Endpoint.Builder endpoint = Endpoint.builder(addresses);
        if (random.nextInt(10) < Math.floorMod(most, 8)) {
            endpoint.ready(false);
        }
        hostname.ifPresent(endpoint::hostname);
        target.ifPresent(endpoint::targetRef);
        return endpoint.build();
    }

    private static IpAddress address(int number) {
        return IpAddress.ofIpv4(0xC000_0200L + number);
    }

    private static HeadlessService service(boolean early) {
        return HeadlessService.builder("shop", "web")
                .publishNotReadyAddresses(early)
                .build();
    }

    private static EndpointSlice slice(int number, List<Endpoint> endpoints, int ports) {
        List<EndpointPort> list =
                List.of(EndpointPort.of("http", Protocol.TCP, 8080), EndpointPort.of("dns", Protocol.UDP, 53));
        return EndpointSlice.builder("shop", "web-" + number)
                .service("web")
                .addressType(number == 2 ? AddressType.IPV6 : AddressType.IPV4)
                .endpoints(endpoints)
                .ports(list.subList(0, ports))
                .build();
    }

    private static ClusterSnapshot snapshot(List<List<Endpoint>> slices, List<Integer> ports, boolean early) {
        List<ClusterObject> objects = new ArrayList<>(List.of(Namespace.of("shop"), service(early)));
        for (int i = 0; i < slices.size(); i++) {
            objects.add(slice(i, slices.get(i), ports.get(i)));
        }
        return ClusterSnapshot.of(objects);
    }

    private static Map<OwnerName, NameData> stored(ZoneRevision revision) {
        Map<OwnerName, NameData> stored = new HashMap<>();
        revision.forEach(stored::put);
        return stored;
    }

    @Provide
    Arbitrary<ZoneSettings> settings() {
        return SmallClusters.settings();
    }
}
