package io.k8sdns.slices;

import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Adds notes about objects and hostnames without a record, each with the reason; the texts begin with
 * {@code no record}.
 *
 * <p>This class finds the reason; {@code RecordRules} in {@code k8sdns-records}, which depends on this module, decides
 * whether there are records. Both ask the model for the conditions: {@link Service#publishes}, {@link
 * ExternalNameService#targetName}, {@link EndpointSlice#serviceRef}. Why the rules do not return the reason:
 * docs/decisions/reasons-apart-from-the-rules.md. {@code UnpublishedLaws} in {@code k8sdns-server-embedded} compares
 * the notes of a snapshot with the facts of the rules under the default settings. In Namespaces that exist:
 * <ul>
 *   <li>A noted Service or EndpointSlice has no facts; for a headless Service this includes those of its slices.
 *   <li>A Service without facts is noted, with one exception: an external name with a label over 63 bytes.
 *       {@code OversizedRecords} in {@code k8sdns-records} reports it, with the other limits of DNS.
 *   <li>An EndpointSlice without facts need not be noted: one that has no published endpoint, or whose Service has no
 *       cluster IP and is noted itself.
 * </ul>
 * A Namespace that does not exist is noted once, and its objects are not. A Pod is noted only for a hostname that leads
 * to no record, not for a missing pod name.
 */
@Internal
public final class Unpublished {
    private Map<ObjectRef, ClusterObject> objects;
    private final Map<ObjectRef, Endpoints> endpoints;
    private final Set<ObjectRef> unused = new HashSet<>();
    private final PodIndex pods;
    private final PodIndex predicted;
    private final Consumer<Diagnostic> notes;
    private Set<String> missingNamespaces = Set.of();

    /**
     * Prepares the notes about some objects.
     *
     * @param objects the objects, in the order of the notes
     * @param endpoints legacy Endpoints, some of which may have become slices
     * @param pods the Pods among the objects
     * @param predicted the Pods that workloads would have in a cluster, if they are not among the objects
     * @param notes receives the notes
     */
    public Unpublished(
            Map<ObjectRef, ClusterObject> objects,
            Map<ObjectRef, Endpoints> endpoints,
            PodIndex pods,
            PodIndex predicted,
            Consumer<Diagnostic> notes) {
        this.objects = objects;
        this.endpoints = endpoints;
        this.pods = pods;
        this.predicted = predicted;
        this.notes = notes;
    }

    /**
     * Replaces the objects, after slices have been added to them.
     *
     * @param unusedEndpoints the Endpoints of which no slices were made
     */
    public void completed(Map<ObjectRef, ClusterObject> withSlices, List<Endpoints> unusedEndpoints) {
        objects = withSlices;
        unusedEndpoints.forEach(one -> unused.add(one.ref()));
    }

    /** Adds a note for each namespace that does not exist although objects are in it. */
    public void noteMissingNamespaces() {
        Set<String> present = new HashSet<>();
        objects.values().forEach(object -> {
            if (object instanceof Namespace namespace) {
                present.add(namespace.name());
            }
        });
        Map<String, Integer> missing = new TreeMap<>();
        for (ClusterObject object : objects.values()) {
            if (object instanceof NamespacedObject namespaced && !present.contains(namespaced.namespace())) {
                missing.merge(namespaced.namespace(), 1, Integer::sum);
            }
        }
        for (Endpoints legacy : endpoints.values()) {
            if (!present.contains(legacy.metadata().namespace())) {
                missing.merge(legacy.metadata().namespace(), 1, Integer::sum);
            }
        }
        missing.forEach((name, count) -> add(
                "no-namespace",
                ObjectRef.of(Namespace.KIND, name),
                "no record: there is no such Namespace, though "
                        + (count == 1 ? "1 object is in it" : count + " objects are in it")));
        missingNamespaces = missing.keySet();
    }

    /** Adds notes about the other objects without records. */
    public void noteObjects() {
        Map<ObjectRef, List<EndpointSlice>> slices = new HashMap<>();
        for (ClusterObject object : objects.values()) {
            if (object instanceof EndpointSlice slice) {
                slice.serviceRef()
                        .ifPresent(service -> slices.computeIfAbsent(service, any -> new ArrayList<>())
                                .add(slice));
            }
        }
        for (ClusterObject object : objects.values()) {
            if (object instanceof NamespacedObject namespaced && missingNamespaces.contains(namespaced.namespace())) {
                continue;
            }
            if (object instanceof ClusterIpService service
                    && service.clusterIps().isEmpty()) {
                add("service-without-address", service.ref(), "no record: it has no cluster IP and is not headless");
            } else if (object instanceof HeadlessService service) {
                noteObject(service, slices.getOrDefault(service.ref(), List.of()));
            } else if (object instanceof ExternalNameService service) {
                noteObject(service);
            } else if (object instanceof EndpointSlice slice) {
                noteObject(slice);
            }
        }
        for (Endpoints legacy : endpoints.values()) {
            if (!missingNamespaces.contains(legacy.metadata().namespace())) {
                noteObject(legacy);
            }
        }
        noteSubdomains();
    }

    /** Adds a note for each subdomain that names no Service, on the first Pod with that subdomain and a hostname. */
    private void noteSubdomains() {
        Set<ObjectRef> noted = new HashSet<>();
        for (ClusterObject object : objects.values()) {
            if (object instanceof Pod pod
                    && pod.hostname().isPresent()
                    && pod.subdomain().isPresent()
                    && !missingNamespaces.contains(pod.namespace())) {
                ObjectRef service = serviceRef(pod.namespace(), pod.subdomain().get());
                if (!objects.containsKey(service) && noted.add(service)) {
                    add(
                            "no-service-of-subdomain",
                            pod.ref(),
                            "no record of its hostname: spec.subdomain (serviceName of a StatefulSet) names no Service: \""
                                    + service.name() + "\"");
                }
            }
        }
    }

    /** A headless Service has only the records of its published endpoints. */
    private void noteObject(HeadlessService service, List<EndpointSlice> slices) {
        List<Endpoint> all =
                slices.stream().flatMap(slice -> slice.endpoints().stream()).toList();
        if (all.stream().anyMatch(service::publishes)) {
            return;
        }
        if (!all.isEmpty()) {
            add("no-ready-endpoint", service.ref(), "no record: none of its endpoints is ready");
        } else if (!slices.isEmpty() || service.selection().selector().isEmpty() || hasUsedEndpoints(service)) {
            add("no-endpoints", service.ref(), "no record: it has no endpoints");
        } else {
            noteWithoutEndpoint(service, pods.selectedBy(service));
        }
    }

    private boolean hasUsedEndpoints(Service service) {
        ObjectRef ref = ObjectRef.of(Endpoints.KIND, service.namespace(), service.name());
        return endpoints.containsKey(ref) && !unused.contains(ref);
    }

    private void noteWithoutEndpoint(HeadlessService service, List<Pod> selected) {
        List<Pod> alive = selected.stream()
                .filter(pod -> !EndpointSliceRules.hasEnded(pod))
                .toList();
        if (selected.isEmpty() && !predicted.selectedBy(service).isEmpty()) {
            add(
                    "no-pods-of-workload",
                    service.ref(),
                    "no record: it selects the Pods of a workload, which are not among the objects");
        } else if (selected.isEmpty()) {
            add("selector-matches-no-pod", service.ref(), "no record: its selector matches no Pod");
        } else if (alive.isEmpty()) {
            add("pods-have-ended", service.ref(), "no record: its Pods have ended");
        } else if (alive.stream().allMatch(pod -> pod.ips().isEmpty())) {
            add("no-pod-address", service.ref(), "no record: its Pods have no address");
        } else if (alive.stream().noneMatch(pod -> hasAddressFor(pod, service))) {
            add("no-pod-address", service.ref(), "no record: its Pods have no address of its families");
        } else {
            add("no-endpoints", service.ref(), "no record: it has no EndpointSlice, and objects made in code get none");
        }
    }

    private static boolean hasAddressFor(Pod pod, HeadlessService service) {
        List<IpFamily> families = service.selection().ipFamilies();
        return families.isEmpty() || pod.ips().stream().anyMatch(address -> families.contains(address.family()));
    }

    private void noteObject(ExternalNameService service) {
        if (service.externalName().isEmpty()) {
            add("external-name-missing", service.ref(), "no record: spec.externalName is missing, or not a DNS name");
        } else if (service.targetName().isEmpty()) {
            add("external-name-is-address", service.ref(), "no record: an external name is a name, not an address");
        }
    }

    private void noteObject(Endpoints legacy) {
        Optional<Service> owner = Optional.ofNullable(objects.get(serviceRef(
                        legacy.metadata().namespace(), legacy.metadata().name())))
                .map(Service.class::cast);
        // A cluster has Endpoints beside the slices of every Service with a selector.
        boolean isOfCluster = legacy.metadata().uid().isPresent()
                && owner.filter(service -> !(service instanceof ExternalNameService))
                        .isPresent();
        if (!isOfCluster) {
            EndpointsMirroring.obstacle(legacy, owner)
                    .ifPresent(obstacle -> add(obstacle.code(), legacy.ref(), "no record: " + obstacle.text()));
        }
    }

    private void noteObject(EndpointSlice slice) {
        if (slice.serviceRef().isEmpty()) {
            add("orphan-slice", slice.ref(), "no record: no label " + EndpointSlice.SERVICE_NAME_LABEL);
            return;
        }
        ObjectRef service = slice.serviceRef().get();
        ClusterObject owner = objects.get(service);
        if (owner == null) {
            add("orphan-slice", slice.ref(), "no record: there is no Service " + service.name());
        } else if (owner instanceof ExternalNameService) {
            add("external-name-endpoints", slice.ref(), "no record: its Service is an external name");
        } else if (slice.addressType() == AddressType.FQDN) {
            add("fqdn-slice", slice.ref(), "no record: its addresses are names");
        }
    }

    private static ObjectRef serviceRef(String namespace, String name) {
        return ObjectRef.of(Service.KIND, namespace, name);
    }

    private void add(String code, ObjectRef object, String text) {
        notes.accept(Diagnostic.note(code, object, text));
    }
}
