package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Service;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.slices.EndpointSliceRules;
import io.k8sdns.verify.Expectation;
import io.k8sdns.verify.ExpectedOutcome;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The published Services without an address because a cluster has not completed them: they have no cluster IP, or they are headless
 * with a selector and no EndpointSlice. {@code verify} asks for none of their names, because a cluster has them.
 */
final class UncheckedServices {
    private final Set<ObjectRef> unchecked;
    private final int published;

    UncheckedServices(ClusterSnapshot snapshot, Visibility visibility, ZoneSettings settings) {
        Set<ObjectRef> withSlice = snapshot.objects(EndpointSlice.class)
                .flatMap(slice -> slice.serviceRef().stream())
                .collect(Collectors.toSet());
        HiddenObjects hidden = new HiddenObjects(snapshot, visibility, List.of());
        List<Service> services = snapshot.objects(Service.class)
                .filter(service -> !hidden.contains(service.ref()))
                .toList();
        this.published = services.size();
        this.unchecked = services.stream()
                .filter(service -> service instanceof ClusterIpService one
                        ? one.clusterIps().isEmpty()
                        : service instanceof HeadlessService
                                && settings.endpoints()
                                && EndpointSliceRules.selection(service)
                                        .selector()
                                        .isPresent()
                                && !withSlice.contains(service.ref()))
                .map(Service::ref)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /**
     * Returns whether a question depends on one of these Services: about its names, or about an address without a name, which a cluster
     * may have given to one of them.
     */
    boolean concern(Expectation question) {
        return !isEmpty()
                && (question.objects().stream().anyMatch(unchecked::contains)
                        || question.type().equals(RecordType.PTR)
                                && question.outcome() instanceof ExpectedOutcome.NoSuchName);
    }

    /** Returns whether every published Service has its address. */
    boolean isEmpty() {
        return unchecked.isEmpty();
    }

    /** Returns their number, and one of them, as a part of a sentence; there is at least one. */
    @Override
    public String toString() {
        return unchecked.size() + " of " + PlanTable.count(published, "Service")
                + (unchecked.size() == 1 ? " has" : " have") + " no address yet (for example "
                + unchecked.iterator().next() + ")";
    }
}
