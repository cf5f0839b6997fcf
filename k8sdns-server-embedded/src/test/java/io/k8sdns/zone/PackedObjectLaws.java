package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.records.EndpointNames;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A packed object keeps its UID and every fact that the rules derive from it. */
class PackedObjectLaws {
    private static final String UUID = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9";

    @Property(tries = 500)
    void aPackedObjectKeepsItsFacts(
            @ForAll("objects") ClusterObject object,
            @ForAll("services") Service owner,
            @ForAll("settings") ZoneSettings settings) {
        RecordRules rules = new RecordRules(settings);
        if (object instanceof Service service) {
            PackedObject packed = PackedObject.of(service);
            assertThat(packed.uid()).isEqualTo(service.uid());
            assertThat(rules.factsOf(packed.decodeService(service.namespace(), service.name())))
                    .isEqualTo(rules.factsOf(service));
        } else if (object instanceof EndpointSlice slice && slice.serviceName().isPresent()) {
            PackedObject packed = PackedObject.of(slice, settings.endpointNames() == EndpointNames.POD);
            EndpointSlice back = packed.decodeSlice(
                    slice.namespace(), slice.name(), slice.serviceName().get());
            assertThat(packed.uid()).isEqualTo(slice.uid());
            assertThat(rules.factsOf(back, owner)).isEqualTo(rules.factsOf(slice, owner));
            assertThat(rules.publishedEndpoints(back, owner)).isEqualTo(rules.publishedEndpoints(slice, owner));
        } else if (object instanceof Pod pod) {
            PackedObject packed = PackedObject.of(pod);
            assertThat(packed.uid()).isEqualTo(pod.uid());
            assertThat(rules.factsOf(packed.decodePod(pod.namespace(), pod.name())))
                    .isEqualTo(rules.factsOf(pod));
        }
    }

    @Property
    void aUidOfAnyFormIsKept(@ForAll("uids") String uid) {
        assertThat(PackedObject.of(service(Optional.of(uid))).uid()).contains(uid);
    }

    @Example
    void theFactsDoNotDependOnTheUid() {
        PackedObject packed = PackedObject.of(service(Optional.of(UUID)));
        assertThat(packed.equalsButUid(PackedObject.of(service(Optional.of("other")))))
                .isTrue();
        assertThat(packed.equalsButUid(PackedObject.of(service(Optional.empty()))))
                .isTrue();
        assertThat(packed.equalsButUid(PackedObject.of(HeadlessService.builder("shop", "web")
                        .publishNotReadyAddresses(true)
                        .build())))
                .isFalse();
    }

    private static HeadlessService service(Optional<String> uid) {
        Metadata metadata = Metadata.of("shop", "web");
        return HeadlessService.builder(uid.map(metadata::withUid).orElse(metadata))
                .build();
    }

    @Provide
    Arbitrary<String> uids() {
        return Arbitraries.oneOf(
                Arbitraries.of(
                        UUID,
                        UUID.toUpperCase(java.util.Locale.ROOT),
                        UUID.replace('-', '0'),
                        UUID.replace('a', 'g'),
                        UUID.substring(1),
                        ""),
                Arbitraries.strings().ofMaxLength(300));
    }

    @Provide
    Arbitrary<ClusterObject> objects() {
        return SmallClusters.objects();
    }

    @Provide
    Arbitrary<Service> services() {
        return SmallClusters.objects().filter(Service.class::isInstance).map(Service.class::cast);
    }

    @Provide
    Arbitrary<ZoneSettings> settings() {
        return SmallClusters.settings();
    }
}
