package io.k8sdns.zone;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.rules.Fact;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** A simple reference implementation of the names that a zone stores: the facts of all shown objects, grouped by name. */
final class NaiveZone {
    private NaiveZone() {}

    static Map<OwnerName, NameData> names(ClusterSnapshot snapshot, RecordRules rules, Visibility visibility) {
        List<Fact> facts = new ArrayList<>(rules.fixedFacts());
        Set<String> namespaces = snapshot.objects(Namespace.class)
                .filter(visibility::shows)
                .map(Namespace::name)
                .collect(Collectors.toSet());
        snapshot.objects(Namespace.class)
                .filter(visibility::shows)
                .forEach(namespace -> facts.addAll(rules.factsOf(namespace)));
        List<Service> services = shown(snapshot, Service.class, namespaces, visibility).stream()
                .filter(service -> !rules.isIgnored(
                        service,
                        slices(snapshot, service).stream()
                                .mapToInt(slice -> rules.publishedEndpoints(slice, service))
                                .sum()))
                .toList();
        for (Service service : services) {
            facts.addAll(rules.factsOf(service));
            slices(snapshot, service).forEach(slice -> facts.addAll(rules.factsOf(slice, service)));
        }
        shown(snapshot, Pod.class, namespaces, visibility).forEach(pod -> facts.addAll(rules.factsOf(pod)));
        Map<OwnerName, List<Fact>> byName = facts.stream().collect(Collectors.groupingBy(Fact::owner));
        Map<OwnerName, NameData> names = new HashMap<>();
        byName.forEach((name, some) -> names.put(name, rules.assemble(name, some)));
        return names;
    }

    private static <T extends NamespacedObject> List<T> shown(
            ClusterSnapshot snapshot, Class<T> type, Set<String> namespaces, Visibility visibility) {
        return snapshot.objects(type)
                .filter(object -> namespaces.contains(object.namespace()) && visibility.shows(object))
                .toList();
    }

    private static List<EndpointSlice> slices(ClusterSnapshot snapshot, Service service) {
        return snapshot.objects(EndpointSlice.class)
                .filter(slice -> slice.namespace().equals(service.namespace())
                        && slice.serviceName().equals(Optional.of(service.name())))
                .toList();
    }
}
