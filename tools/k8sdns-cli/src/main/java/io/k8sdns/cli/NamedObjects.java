package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.manifest.DiagnosticReport;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.DaemonSet;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Diagnostic.Severity;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Job;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.ReplicaWorkload;
import io.k8sdns.model.Service;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.slices.EndpointSliceRules;
import io.k8sdns.slices.PodIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The objects behind DNS names: the Service of each name, its namespace, EndpointSlices and Pods. Selects the notes about manifests
 * that concern them.
 */
final class NamedObjects {
    /** Kinds without records have no effect on a name. */
    private static final String KIND_NOT_READ = "kind-not-read";

    /**
     * The codes of notes that matter to a name that resolves, too: a cluster would not have all Pods of a StatefulSet yet, so that some
     * records are not those of a cluster, or Endpoints with addresses of their own have no effect.
     */
    private static final Set<String> LIKE_WARNINGS =
            Set.of("ordered-ready", "overwritten-endpoints", "unmirrored-endpoints");

    /** The codes of diagnostics about objects that are missing because their document was not read. */
    static final Set<String> UNREAD = Set.of("broken-document", "template", "unreadable-file", "file-too-large");

    /**
     * The codes of diagnostics that may concern any name: a misspelt {@code --ready}, a parameter that names and selectors need, and
     * namespaces that a template does not keep.
     */
    private static final Set<String> OF_EVERY_NAME =
            Set.of("no-pod-of-readiness", "no-parameter-value", "removed-namespace");

    /**
     * The codes of warnings about kustomizations that may concern any name: fields that are not applied and resources that are not read
     * may add, rename, change or delete any object.
     */
    private static final Set<String> OF_KUSTOMIZATIONS =
            Set.of("kustomization-fields", "kustomization-resource", "kustomization-limit");

    /** The kinds that are in no namespace. */
    private static final Set<String> CLUSTER_KINDS = Set.of(Namespace.KIND, Node.KIND);

    /** The kinds of workloads that make Pods at once, and not by a schedule. */
    private static final Set<String> WORKLOADS = Set.of(
            ReplicaWorkload.DEPLOYMENT,
            ReplicaWorkload.DEPLOYMENT_CONFIG,
            ReplicaWorkload.REPLICA_SET,
            ReplicaWorkload.REPLICATION_CONTROLLER,
            StatefulSet.KIND,
            DaemonSet.KIND,
            Job.KIND);

    private final ClusterSnapshot snapshot;
    private final Set<ObjectRef> workloadsWithPods;
    private final List<DnsLabels> zones;
    private final PodIndex pods;
    private final Map<ObjectRef, List<ObjectRef>> slices = new HashMap<>();
    private final Set<ObjectRef> services = new LinkedHashSet<>();
    private final Set<String> serviceNames = new HashSet<>();
    private final Set<String> namespaces = new HashSet<>();
    private final Set<ObjectRef> others = new LinkedHashSet<>();

    /** The namespaces of Services whose selector matches no Pod, so that a skipped Pod, or one of a skipped workload, may be missing. */
    private final Set<String> namespacesWithoutPods = new HashSet<>();

    /**
     * Finds no object yet.
     *
     * @param result the manifests
     * @param zones the zones of the cluster
     */
    NamedObjects(ManifestResult result, List<DnsLabels> zones) {
        this.snapshot = result.snapshot();
        this.workloadsWithPods = Set.copyOf(result.workloads().values());
        this.zones = List.copyOf(zones);
        this.pods = new PodIndex(snapshot.objects(Pod.class).toList());
        snapshot.objects(EndpointSlice.class)
                .forEach(slice -> slice.serviceRef()
                        .ifPresent(service -> slices.computeIfAbsent(service, any -> new ArrayList<>())
                                .add(slice.ref())));
    }

    /** Adds the objects of a name, and of the names that it is an alias of. */
    void add(DnsLabels name) {
        NameSchema.reverseAddress(name).ifPresent(this::addOwners);
        for (DnsLabels zone : zones) {
            name.below(zone).map(NameSchema::parse).ifPresent(this::add);
        }
    }

    private void add(ClusterName name) {
        name.serviceName().ifPresent(service -> addService(service.ref()));
        if (name instanceof ClusterName.ServicesName one) {
            namespaces.add(lower(one.namespace()));
        } else if (name instanceof ClusterName.PodsName one) {
            namespaces.add(lower(one.namespace()));
        } else if (name instanceof ClusterName.PodName one) {
            namespaces.add(lower(one.namespace()));
            addPods(one.address(), Optional.of(lower(one.namespace())));
        }
    }

    private void addService(ObjectRef ref) {
        // A chain of aliases may be a loop.
        if (!services.add(ref)) {
            return;
        }
        serviceNames.add(ref.name());
        namespaces.add(ref.namespace().orElseThrow());
        others.addAll(slices.getOrDefault(ref, List.of()));
        if (snapshot.get(ref).orElse(null) instanceof Service service) {
            List<Pod> selected = pods.selectedBy(service);
            selected.forEach(this::addPod);
            if (selected.isEmpty()
                    && EndpointSliceRules.selection(service).selector().isPresent()) {
                namespacesWithoutPods.add(service.namespace());
            }
            if (service instanceof ExternalNameService alias) {
                alias.externalName().ifPresent(this::addTarget);
            }
        }
    }

    /** Adds a Pod, and the workload from whose template it was made. */
    private void addPod(Pod pod) {
        others.add(pod.ref());
        pod.workload().ifPresent(others::add);
    }

    private void addTarget(String target) {
        try {
            add(DnsLabels.parse(target));
        } catch (InvalidNameException noName) {
            // The Service has no record; its note reports that.
        }
    }

    /** Adds the objects that the PTR records of an address name. */
    private void addOwners(IpAddress address) {
        snapshot.objects(ClusterIpService.class)
                .filter(service -> service.clusterIps().contains(address))
                .forEach(service -> addService(service.ref()));
        snapshot.objects(EndpointSlice.class)
                .filter(slice -> slice.endpoints().stream()
                        .anyMatch(endpoint -> endpoint.addresses().contains(address)))
                .forEach(slice -> slice.serviceRef().ifPresent(this::addService));
        addPods(address, Optional.empty());
    }

    private void addPods(IpAddress address, Optional<String> namespace) {
        snapshot.objects(Pod.class)
                .filter(pod -> pod.ips().contains(address)
                        && namespace.map(pod.namespace()::equals).orElse(true))
                .forEach(pod -> others.add(pod.ref()));
    }

    private static String lower(Object label) {
        return label.toString().toLowerCase(Locale.ROOT);
    }

    /** Returns the Services, which need not exist, and the EndpointSlices and Pods behind them. */
    Set<ObjectRef> refs() {
        Set<ObjectRef> all = new LinkedHashSet<>(services);
        all.addAll(others);
        return all;
    }

    /**
     * Returns the lines of the diagnostics that concern these objects, and one about files that may hold more of them.
     *
     * @param stdinCommand the command for hints about kustomizations, which reads manifests from standard input
     */
    List<String> lines(List<Diagnostic> diagnostics, String stdinCommand) {
        List<String> lines = new ArrayList<>(DiagnosticReport.lines(
                diagnostics.stream().filter(this::concerns).toList(), stdinCommand, false));
        unread(diagnostics).ifPresent(lines::add);
        return lines;
    }

    /**
     * Returns the lines of the warnings that concern these objects, and of the notes and warnings about some objects; then one with the
     * number of the other diagnostics, and one about files that may hold more objects.
     *
     * @param noted the objects with notes and warnings
     * @param warned objects with warnings only
     * @param stdinCommand the command for hints about kustomizations, which reads manifests from standard input
     */
    List<String> lines(List<Diagnostic> diagnostics, Set<ObjectRef> noted, Set<ObjectRef> warned, String stdinCommand) {
        List<Diagnostic> shown = diagnostics.stream()
                .filter(one -> one.object().filter(noted::contains).isPresent()
                        || (one.severity() == Severity.WARNING || LIKE_WARNINGS.contains(one.code()))
                                && (concerns(one)
                                        || one.object().filter(warned::contains).isPresent()))
                .toList();
        List<String> lines = new ArrayList<>(DiagnosticReport.lines(shown, stdinCommand, false));
        long others =
                diagnostics.stream().filter(one -> !UNREAD.contains(one.code())).count() - shown.size();
        if (others > 0) {
            lines.add("note: " + (others == 1 ? "1 note or warning" : others + " notes and warnings")
                    + " about other objects; --verbose prints all");
        }
        unread(diagnostics).ifPresent(lines::add);
        return lines;
    }

    /** Returns a line about files that were not read; empty if there is none. */
    private static Optional<String> unread(List<Diagnostic> diagnostics) {
        List<Diagnostic> unread =
                diagnostics.stream().filter(one -> UNREAD.contains(one.code())).toList();
        long files = unread.stream()
                .flatMap(one -> one.position().stream())
                .map(place -> place.file())
                .distinct()
                .count();
        return files == 0
                ? Optional.empty()
                : Optional.of("note: " + (files == 1 ? "1 file was" : files + " files were")
                        + " not read completely and may have more objects, for example " + unread.get(0)
                        + "; --verbose prints all");
    }

    /**
     * Returns whether a diagnostic is about one of these objects, or about an object that may be an endpoint of one of the
     * Services.
     */
    private boolean concerns(Diagnostic one) {
        if (OF_EVERY_NAME.contains(one.code())
                || one.severity() == Severity.WARNING && OF_KUSTOMIZATIONS.contains(one.code())) {
            return true;
        }
        if (one.object().isEmpty() || one.code().equals(KIND_NOT_READ) || UNREAD.contains(one.code())) {
            return false;
        }
        ObjectRef ref = one.object().get();
        if (ref.kind().equals(Namespace.KIND)) {
            return namespaces.contains(ref.name());
        }
        return others.contains(ref) || isNamedAsAService(ref) || isSkippedEndpoint(one, ref);
    }

    /** Returns whether an object, of any kind, has the name of a Service: its Endpoints, or a misspelt kind. */
    private boolean isNamedAsAService(ObjectRef ref) {
        return ref.namespace()
                .map(namespace -> services.contains(ObjectRef.of(Service.KIND, namespace, ref.name())))
                .orElse(serviceNames.contains(ref.name()) && !CLUSTER_KINDS.contains(ref.kind()));
    }

    /** Returns whether a skipped object may be a Pod, its workload or an EndpointSlice of a Service: its labels are unknown. */
    private boolean isSkippedEndpoint(Diagnostic one, ObjectRef ref) {
        if (one.severity() != Severity.WARNING || snapshot.get(ref).isPresent()) {
            return false;
        }
        String namespace = ref.namespace().orElse("");
        return switch (ref.kind()) {
            case Pod.KIND -> namespacesWithoutPods.contains(namespace);
            case EndpointSlice.KIND ->
                services.stream()
                        .anyMatch(service -> service.namespace().orElseThrow().equals(namespace)
                                && ref.name().startsWith(service.name() + "-"));
            default ->
                WORKLOADS.contains(ref.kind())
                        && namespacesWithoutPods.contains(namespace)
                        && !workloadsWithPods.contains(ref);
        };
    }
}
