package io.k8sdns.completion;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.Addressing;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Internal;
import io.k8sdns.model.InvalidFieldException;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpFamilyPolicy;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.Service;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.slices.EndpointSliceRules;
import io.k8sdns.slices.PodIndex;
import io.k8sdns.slices.Unpublished;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Makes a cluster of what manifests hold. Pure: the order of the input does not matter.
 *
 * <p>Read {@linkplain #asApplied as applied}, every part that the API server, the scheduler and the kubelet would fill
 * in is completed, each by itself, and noted; read {@linkplain #asIs as is}, nothing is. Both ways the result holds the
 * EndpointSlices of each Service: those with its label, else those that its legacy Endpoints stand for, else those that
 * its selector finds among the Pods.
 *
 * <p>What a field means that is absent by itself (type, protocol, target port, replicas) is not completed here: whoever
 * reads a manifest knows it, and the model's objects hold it.
 *
 * <p>The notes also name what yields no record although somebody wrote it for one.
 */
@Internal
public final class Completion {
    /** The namespaces that every cluster has. */
    private static final List<String> INITIAL_NAMESPACES =
            List.of("default", "kube-node-lease", "kube-public", "kube-system");

    /** The label by which the API server gives every Namespace its name. */
    private static final String NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name";

    /** More Pods of one StatefulSet are not made: a typing error of a few digits must not fill the memory. */
    private static final int MAX_REPLICAS = 100_000;

    /** In the order of their keys, whatever the order of the input, whenever they are gone through. */
    private Map<ObjectRef, ClusterObject> objects = new LinkedHashMap<>();

    private int sorted;
    private final Map<ObjectRef, Endpoints> endpoints = new TreeMap<>();
    private final Map<ObjectRef, StatefulSet> statefulSets = new TreeMap<>();
    private final Set<ObjectRef> addressRefused;
    private final List<Diagnostic> notes = new ArrayList<>();

    /**
     * A cluster, and what there is to say of it.
     *
     * @param snapshot the cluster: Namespaces, Services, EndpointSlices, Pods and Nodes
     * @param notes what was completed ({@link Diagnostic.Severity#NOTE}, codes {@code completed-...}), what could not be,
     *     and what yields no record (the text begins with {@code no record: })
     */
    public record Result(ClusterSnapshot snapshot, List<Diagnostic> notes) {
        /** Copies the list. */
        public Result {
            Objects.requireNonNull(snapshot, "snapshot");
            notes = Copies.list("notes", notes);
        }
    }

    private Completion(ClusterDraft draft) {
        draft.objects().forEach(this::put);
        sort();
        draft.endpoints().forEach(object -> endpoints.put(object.ref(), object));
        draft.statefulSets().forEach(set -> statefulSets.put(set.ref(), set));
        addressRefused = draft.addressRefused();
    }

    /**
     * Returns the cluster that there would be if the draft was applied to an empty one.
     *
     * <p>Completed are Services (address families, cluster IPs), Pods (phase, readiness, addresses) and Namespaces (those
     * that something lies in, and those that every cluster has); the Pods of StatefulSets are made. No other object is.
     *
     * @param draft what the manifests hold
     * @param addressing where addresses are taken from
     */
    public static Result asApplied(ClusterDraft draft, Addressing addressing) {
        Objects.requireNonNull(draft, "draft");
        Objects.requireNonNull(addressing, "addressing");
        Completion completion = new Completion(draft);
        completion.addStatefulSetPods();
        completion.sort();
        completion.completeObjects(addressing);
        completion.completeNamespaces();
        return completion.finish();
    }

    /**
     * Returns the cluster that the draft holds, as an API server holds it.
     *
     * <p>A draft without any Namespace has those that its objects lie in; StatefulSets are passed over.
     *
     * @param draft what the manifests hold
     */
    public static Result asIs(ClusterDraft draft) {
        Objects.requireNonNull(draft, "draft");
        Completion completion = new Completion(draft);
        if (completion.all(Namespace.class).isEmpty()) {
            completion.usedNamespaces().forEach(name -> completion.put(withNameLabel(Namespace.of(name))));
        }
        return completion.finish();
    }

    private Result finish() {
        sort();
        PodIndex pods = new PodIndex(all(Pod.class));
        Unpublished unpublished = new Unpublished(objects, endpoints, pods, notes::add);
        unpublished.noteMissingNamespaces();
        addSlices(pods);
        sort();
        unpublished.completed(objects);
        unpublished.noteObjects();
        return new Result(ClusterSnapshot.of(objects.values()), notes);
    }

    // What controllers, API server, scheduler and kubelet fill in

    private void addStatefulSetPods() {
        for (StatefulSet set : statefulSets.values()) {
            int replicas = Math.min(set.replicas(), MAX_REPLICAS);
            if (replicas < set.replicas()) {
                note("too-many-replicas", set.ref(), "only the first " + replicas + " Pods are made");
            }
            int made = 0;
            for (int i = 0; i < replicas; i++) {
                try {
                    Pod pod = set.pod(i);
                    made += objects.putIfAbsent(pod.ref(), pod) == null ? 1 : 0;
                } catch (InvalidFieldException e) {
                    note("no-stateful-set-pods", set.ref(), "Kubernetes would refuse its Pods: " + e.getMessage());
                    break;
                }
            }
            if (made > 0) {
                note("completed-stateful-set", set.ref(), "completed: " + made + (made == 1 ? " Pod" : " Pods"));
            }
        }
    }

    private void completeObjects(Addressing addressing) {
        AddressPool pool = new AddressPool();
        takeAddresses(pool);
        for (ClusterObject object : List.copyOf(objects.values())) {
            if (object instanceof ClusterIpService service) {
                complete(service, addressing, pool);
            } else if (object instanceof HeadlessService service) {
                complete(service, addressing);
            } else if (object instanceof Pod pod) {
                complete(pod, addressing, pool);
            }
        }
    }

    private void takeAddresses(AddressPool pool) {
        all(ClusterIpService.class).forEach(service -> pool.take(service.clusterIps()));
        all(Pod.class).forEach(pod -> pool.take(pod.ips()));
        all(Node.class).forEach(node -> pool.take(node.internalIps()));
        all(EndpointSlice.class)
                .forEach(slice -> slice.endpoints().forEach(endpoint -> pool.take(endpoint.addresses())));
        for (Endpoints legacy : endpoints.values()) {
            for (Endpoints.Subset subset : legacy.subsets()) {
                subset.addresses().forEach(address -> pool.take(List.of(address.ip())));
                subset.notReadyAddresses().forEach(address -> pool.take(List.of(address.ip())));
            }
        }
    }

    private void complete(ClusterIpService service, Addressing addressing, AddressPool pool) {
        List<String> parts = new ArrayList<>();
        EndpointSelection selection = selection(service, addressing, parts);
        List<IpAddress> addresses = service.clusterIps();
        if (addresses.isEmpty() && !addressRefused.contains(service.ref())) {
            addresses = addresses(service, selection.ipFamilies(), addressing.serviceCidrs(), "service", pool);
            if (!addresses.isEmpty()) {
                parts.add("spec.clusterIPs " + addresses);
            }
        }
        put(service.toBuilder().clusterIps(addresses).selection(selection).build());
        noteCompleted("completed-service", service, parts);
    }

    private void complete(HeadlessService service, Addressing addressing) {
        List<String> parts = new ArrayList<>();
        EndpointSelection selection = selection(service, addressing, parts);
        put(service.toBuilder().selection(selection).build());
        noteCompleted("completed-service", service, parts);
    }

    /** Policy and families as the API server fills them in (KEP-563). */
    private EndpointSelection selection(Service service, Addressing addressing, List<String> parts) {
        EndpointSelection given = EndpointSliceRules.selection(service);
        Set<IpFamily> families = new LinkedHashSet<>(given.ipFamilies());
        List<IpAddress> clusterIps = EndpointSliceRules.clusterIps(service);
        clusterIps.forEach(address -> families.add(address.family()));
        IpFamilyPolicy policy = given.ipFamilyPolicy()
                .orElse(
                        families.size() == 2 || hasEveryFamily(service)
                                ? IpFamilyPolicy.REQUIRE_DUAL_STACK
                                : IpFamilyPolicy.SINGLE_STACK);
        if (families.isEmpty()) {
            families.add(addressing.serviceCidrs().get(0).family());
        }
        if (clusterIps.isEmpty() && policy != IpFamilyPolicy.SINGLE_STACK) {
            addSecondFamily(service, families, addressing);
        }
        checkDualStack(service, given, families, addressing);
        if (given.ipFamilyPolicy().isEmpty()) {
            parts.add("spec.ipFamilyPolicy " + policy);
        }
        List<IpFamily> completed = List.copyOf(families);
        if (!completed.equals(given.ipFamilies())) {
            parts.add("spec.ipFamilies " + completed);
        }
        return given.withIpFamilies(completed).withIpFamilyPolicy(policy);
    }

    /** Somebody else makes the endpoints of a headless Service without selector, so they are of any family. */
    private static boolean hasEveryFamily(Service service) {
        return service instanceof HeadlessService headless
                && headless.selection().selector().isEmpty();
    }

    private static void addSecondFamily(Service service, Set<IpFamily> families, Addressing addressing) {
        for (IpFamily family : IpFamily.values()) {
            if (hasEveryFamily(service)
                    || ofFamily(addressing.serviceCidrs(), family).isPresent()) {
                families.add(family);
            }
        }
    }

    /** The API server would refuse a Service that asks for two families in a cluster of one: it gets that one. */
    private void checkDualStack(
            Service service, EndpointSelection given, Set<IpFamily> families, Addressing addressing) {
        if (!given.ipFamilyPolicy().equals(Optional.of(IpFamilyPolicy.REQUIRE_DUAL_STACK))
                || hasEveryFamily(service)
                || addressing.serviceCidrs().size() == 2) {
            return;
        }
        List<IpAddress> clusterIps = EndpointSliceRules.clusterIps(service);
        if (clusterIps.size() < 2) {
            IpFamily only = addressing.serviceCidrs().get(0).family();
            notes.add(Diagnostic.warning(
                            "no-second-family",
                            service.ref(),
                            "RequireDualStack, but there is no service CIDR except for " + only)
                    .atField("spec.ipFamilyPolicy"));
            if (clusterIps.isEmpty()) {
                families.retainAll(Set.of(only));
            }
        }
    }

    private void complete(Pod pod, Addressing addressing, AddressPool pool) {
        PodPhase phase = pod.phase().orElse(PodPhase.RUNNING);
        if (phase != PodPhase.RUNNING || pod.terminating()) {
            return;
        }
        List<String> parts = new ArrayList<>();
        if (pod.phase().isEmpty()) {
            parts.add("status.phase Running");
        }
        if (pod.ready().isEmpty()) {
            parts.add("condition Ready");
        }
        List<IpAddress> ips = pod.ips();
        if (ips.isEmpty() && !addressRefused.contains(pod.ref())) {
            ips = pod.hostNetwork() ? nodeAddresses(pod) : podAddresses(pod, addressing, pool);
            if (!ips.isEmpty()) {
                parts.add("status.podIPs " + ips);
            }
        }
        put(pod.toBuilder()
                .phase(phase)
                .ready(pod.ready().orElse(true))
                .ips(ips)
                .build());
        noteCompleted("completed-pod", pod, parts);
    }

    private List<IpAddress> podAddresses(Pod pod, Addressing addressing, AddressPool pool) {
        List<IpFamily> families =
                addressing.podCidrs().stream().map(IpNetwork::family).toList();
        return addresses(pod, families, addressing.podCidrs(), "pod", pool);
    }

    /** The first internal address of each family, as the kubelet reports them. */
    private List<IpAddress> nodeAddresses(Pod pod) {
        List<IpAddress> addresses = new ArrayList<>();
        Set<IpFamily> families = EnumSet.noneOf(IpFamily.class);
        Optional<Node> node = pod.nodeName()
                .flatMap(name -> Optional.ofNullable(objects.get(ObjectRef.of(Node.KIND, name))))
                .map(Node.class::cast);
        for (IpAddress address : node.map(Node::internalIps).orElse(List.of())) {
            if (families.add(address.family())) {
                addresses.add(address);
            }
        }
        if (addresses.isEmpty()) {
            note("no-node-address", pod.ref(), "on the host network of a Node without a known address: no address");
        }
        return addresses;
    }

    private List<IpAddress> addresses(
            NamespacedObject object, List<IpFamily> families, List<IpNetwork> cidrs, String what, AddressPool pool) {
        List<IpAddress> addresses = new ArrayList<>();
        for (IpFamily family : families) {
            Optional<IpNetwork> cidr = ofFamily(cidrs, family);
            if (cidr.isEmpty()) {
                note("no-cidr", object.ref(), "no " + what + " CIDR of family " + family + ": no address of it");
                continue;
            }
            Optional<IpAddress> address = pool.choose(cidr.get(), object.namespace(), object.name());
            if (address.isEmpty()) {
                note("cidr-exhausted", object.ref(), "no address is left in the " + what + " CIDR " + cidr.get());
            }
            address.ifPresent(addresses::add);
        }
        return addresses;
    }

    // Namespaces

    private void completeNamespaces() {
        Set<String> used = usedNamespaces();
        for (String name : used) {
            if (!objects.containsKey(ObjectRef.of(Namespace.KIND, name)) && !INITIAL_NAMESPACES.contains(name)) {
                note("completed-namespace", ObjectRef.of(Namespace.KIND, name), "exists because objects lie in it");
            }
        }
        used.addAll(INITIAL_NAMESPACES);
        used.forEach(name -> objects.putIfAbsent(ObjectRef.of(Namespace.KIND, name), Namespace.of(name)));
        all(Namespace.class).forEach(namespace -> put(withNameLabel(namespace)));
    }

    private static Namespace withNameLabel(Namespace namespace) {
        Map<String, String> labels = new TreeMap<>(namespace.labels().values());
        labels.put(NAMESPACE_NAME_LABEL, namespace.name());
        return namespace.withLabels(new Labels(labels));
    }

    private Set<String> usedNamespaces() {
        Set<String> names = new TreeSet<>();
        all(NamespacedObject.class).forEach(object -> names.add(object.namespace()));
        endpoints.values().forEach(object -> names.add(object.metadata().namespace()));
        statefulSets.values().forEach(set -> names.add(set.metadata().namespace()));
        return names;
    }

    // Slices

    private void addSlices(PodIndex pods) {
        Set<ObjectRef> withSlices = servicesWithSlices();
        Map<String, Node> nodes = new HashMap<>();
        all(Node.class).forEach(node -> nodes.put(node.name(), node));
        for (Service service : all(Service.class)) {
            if (service instanceof ExternalNameService || withSlices.contains(service.ref())) {
                continue;
            }
            Optional<Endpoints> legacy = legacyEndpoints(service);
            List<EndpointSlice> slices = legacy.isPresent()
                    ? EndpointSliceRules.of(legacy.get())
                    : EndpointSliceRules.of(service, pods.selectedBy(service), nodes);
            for (EndpointSlice slice : slices) {
                addSlice(slice);
            }
        }
    }

    private Optional<Endpoints> legacyEndpoints(Service service) {
        return Optional.ofNullable(endpoints.get(ObjectRef.of(Endpoints.KIND, service.namespace(), service.name())));
    }

    /** Derived slices have names of our own; one that somebody else's slice has already gets a longer one. */
    private void addSlice(EndpointSlice slice) {
        if (objects.putIfAbsent(slice.ref(), slice) != null) {
            addSlice(slice.toBuilder()
                    .metadata(slice.metadata().withName(slice.name() + "-derived"))
                    .build());
        }
    }

    private Set<ObjectRef> servicesWithSlices() {
        Set<ObjectRef> services = new HashSet<>();
        for (EndpointSlice slice : all(EndpointSlice.class)) {
            slice.serviceName().ifPresent(name -> services.add(ObjectRef.of(Service.KIND, slice.namespace(), name)));
        }
        return services;
    }

    // The set of objects

    private <T extends ClusterObject> List<T> all(Class<T> type) {
        List<T> all = new ArrayList<>();
        for (ClusterObject object : objects.values()) {
            if (type.isInstance(object)) {
                all.add(type.cast(object));
            }
        }
        return all;
    }

    private void put(ClusterObject object) {
        objects.put(object.ref(), object);
    }

    /** A map that is kept sorted would compare keys as often for each object that is completed as for one that is added. */
    private void sort() {
        // No key is ever taken away, so as many are the same.
        if (objects.size() > sorted) {
            List<ObjectRef> keys = new ArrayList<>(objects.keySet());
            Collections.sort(keys);
            Map<ObjectRef, ClusterObject> inOrder = new LinkedHashMap<>();
            keys.forEach(key -> inOrder.put(key, objects.get(key)));
            objects = inOrder;
            sorted = keys.size();
        }
    }

    private void note(String code, ObjectRef object, String text) {
        notes.add(Diagnostic.note(code, object, text));
    }

    private void noteCompleted(String code, ClusterObject object, List<String> parts) {
        if (!parts.isEmpty()) {
            note(code, object.ref(), "completed: " + String.join(", ", parts));
        }
    }

    /** Returns the network of a family; empty if there is none. */
    static Optional<IpNetwork> ofFamily(List<IpNetwork> cidrs, IpFamily family) {
        return cidrs.stream().filter(cidr -> cidr.family() == family).findFirst();
    }
}
