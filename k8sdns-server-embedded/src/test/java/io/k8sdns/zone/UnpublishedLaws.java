package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Service;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.Fact;
import io.k8sdns.rules.OversizedRecords;
import io.k8sdns.rules.RecordRules;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * An object is noted as one without a record if and only if {@link RecordRules} with the default settings derives no fact from it, with
 * the exceptions that the notes' class ({@code io.k8sdns.slices.Unpublished}) names.
 */
class UnpublishedLaws {
    private final RecordRules rules = new RecordRules(ZoneSettings.DEFAULTS);

    @Property(tries = 1_000)
    void aServiceIsNotedIfAndOnlyIfItHasNoFact(@ForAll("clusters") ClusterSnapshot cluster) {
        Set<ObjectRef> noted = noted(cluster.diagnostics());
        Set<ObjectRef> tooLong = new OversizedRecords(rules)
                .check(cluster).stream()
                        .filter(warning -> warning.code().equals("external-name-too-long"))
                        .flatMap(warning -> warning.object().stream())
                        .collect(Collectors.toSet());
        shown(cluster, Service.class).forEach(service -> {
            boolean hasFact = !rules.factsOf(service).isEmpty()
                    || service instanceof HeadlessService
                            && cluster.objects(EndpointSlice.class)
                                    .anyMatch(slice -> !facts(slice, service).isEmpty());
            assertThat(noted.contains(service.ref()) || tooLong.contains(service.ref()))
                    .as("%s", service)
                    .isEqualTo(!hasFact);
            assertThat(noted.contains(service.ref()) && tooLong.contains(service.ref()))
                    .as("%s is reported twice", service)
                    .isFalse();
        });
    }

    @Property(tries = 1_000)
    void aSliceIsNotedOnlyIfItHasNoFact(@ForAll("clusters") ClusterSnapshot cluster) {
        Set<ObjectRef> noted = noted(cluster.diagnostics());
        shown(cluster, EndpointSlice.class).forEach(slice -> {
            Optional<Service> owner = owner(cluster, slice);
            boolean hasFact =
                    owner.filter(service -> !facts(slice, service).isEmpty()).isPresent();
            boolean isExcepted = owner.filter(service -> rules.publishedEndpoints(slice, service) == 0
                            || service instanceof ClusterIpService && noted.contains(service.ref()))
                    .isPresent();
            assertThat(noted.contains(slice.ref()) && hasFact).as("%s", slice).isFalse();
            assertThat(noted.contains(slice.ref()) || isExcepted)
                    .as("%s", slice)
                    .isEqualTo(!hasFact);
        });
    }

    @Property(tries = 300)
    void aNamespaceIsNotedIfAndOnlyIfItIsMissing(@ForAll("clusters") ClusterSnapshot cluster) {
        Set<ObjectRef> missing = cluster.objects(NamespacedObject.class)
                .map(object -> ObjectRef.of(Namespace.KIND, object.namespace()))
                .filter(namespace -> cluster.get(namespace).isEmpty())
                .collect(Collectors.toSet());
        Set<ObjectRef> noted = noted(cluster.diagnostics());
        assertThat(noted.stream().filter(ref -> ref.kind().equals(Namespace.KIND)))
                .containsExactlyInAnyOrderElementsOf(missing);
        cluster.objects(NamespacedObject.class)
                .filter(object -> missing.contains(ObjectRef.of(Namespace.KIND, object.namespace())))
                .forEach(object -> assertThat(noted).doesNotContain(object.ref()));
    }

    private List<Fact> facts(EndpointSlice slice, Service service) {
        return rules.factsOf(slice, service);
    }

    private static Set<ObjectRef> noted(List<Diagnostic> notes) {
        return notes.stream()
                .filter(note -> note.text().startsWith("no record: "))
                .flatMap(note -> note.object().stream())
                .collect(Collectors.toSet());
    }

    /** Returns the objects in Namespaces that exist. */
    private static <T extends NamespacedObject> Stream<T> shown(ClusterSnapshot cluster, Class<T> type) {
        return cluster.objects(type)
                .filter(object -> cluster.get(ObjectRef.of(Namespace.KIND, object.namespace()))
                        .isPresent());
    }

    private static Optional<Service> owner(ClusterSnapshot cluster, EndpointSlice slice) {
        return slice.serviceName()
                .flatMap(name -> cluster.get(ObjectRef.of(Service.KIND, slice.namespace(), name)))
                .map(Service.class::cast);
    }

    @Provide
    Arbitrary<ClusterSnapshot> clusters() {
        Metadata metadata = Metadata.of("shop", "db");
        Arbitrary<ClusterObject> rare = Arbitraries.of(
                ExternalNameService.withoutTarget(metadata),
                new ExternalNameService(metadata, "x".repeat(64) + ".example.com"),
                new ExternalNameService(metadata, "2001:db8::1"));
        return Combinators.combine(
                        SmallClusters.objects().list().ofMaxSize(15),
                        rare.list().ofMaxSize(1))
                .as((objects, others) -> ClusterSnapshot.of(
                        Stream.concat(objects.stream(), others.stream()).toList()));
    }
}
