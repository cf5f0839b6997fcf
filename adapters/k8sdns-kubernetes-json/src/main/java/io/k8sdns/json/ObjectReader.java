package io.k8sdns.json;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.CronJob;
import io.k8sdns.model.DaemonSet;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.InvalidFieldException;
import io.k8sdns.model.Job;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServiceExport;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.model.Workload;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * Reads model objects from values. It dispatches on the type and reads the metadata; the readers of single kinds read the other
 * fields: {@link ServiceReader}, {@link EndpointsReader}, {@link PodReader}, {@link WorkloadReader}, {@link NodeReader}, {@link
 * ConfigMapReader}, and {@link MetadataOnlyReader} for kinds without other fields.
 *
 * <p>A wrong value is reported, and only the smallest part is omitted: an address, port, target
 * port, number, endpoint or label; for a wrong name, namespace or type the object. Fields without effect on records are
 * ignored here; {@link ObjectChecks} may report them.
 */
public final class ObjectReader {
    /** The code of notes about objects of a kind, group or version that is not read. */
    public static final String KIND_NOT_READ = "kind-not-read";

    private static final String HELM_HOOK = "helm.sh/hook";
    private static final Pattern HOOK_SEPARATOR = Pattern.compile("\\s*,\\s*");

    /** The hooks of {@code helm test}; the longer ones are those of Helm 2. */
    private static final Set<String> HELM_TESTS = Set.of("test", "test-success", "test-failure");

    /** The code of notes about fields that were completed with their defaults. */
    public static final String DEFAULTED = "defaulted";

    /** The form of kinds in Kubernetes. */
    private static final Pattern KIND = Pattern.compile("[A-Z][A-Za-z0-9]*");

    private final FileNotes notes;
    private final String defaultNamespace;
    private final ObjectChecks checks;
    private final Receiver receiver;
    private final ServiceReader services;
    private final EndpointsReader endpoints;
    private final PodReader pods;
    private final WorkloadReader workloads;
    private final NodeReader nodes;
    private final ConfigMapReader configMaps;
    private final MetadataOnlyReader others;
    private int objectsFound;

    /** Whether the current object is skipped, because an API server requires a field that it does not have. */
    private boolean isRefused;

    /** Whether the current object is skipped, because it has no valid name. */
    private boolean isUnnamed;

    /** Receives the objects that the readers of single kinds have read. */
    interface Sink {
        /** Adds an object; {@code addressRefused} as for {@link Receiver#object}. */
        void add(Field field, ObjectRef ref, Object read, boolean addressRefused);

        /** Adds a cluster object whose addresses are valid. */
        default void put(Field field, ClusterObject read) {
            add(field, read.ref(), read, false);
        }

        /** Adds legacy Endpoints. */
        default void put(Field field, Endpoints read) {
            add(field, read.ref(), read, false);
        }

        /** Adds a workload. */
        default void put(Field field, Workload read) {
            add(field, read.ref(), read, false);
        }
    }

    /** Receives the objects. */
    public interface Receiver {
        /**
         * Receives an object.
         *
         * @param object a cluster object, Endpoints, a {@link Workload} or a {@link ConfigMap}
         * @param line the line at which the object begins
         * @param addressRefused whether an invalid address was omitted, so that no address may be chosen for the object
         * @param faultless whether no part of the object has a fault
         */
        void object(ObjectRef ref, Object object, int line, boolean addressRefused, boolean faultless);

        /**
         * Receives a document that was skipped because of a fault, which was reported.
         *
         * @param kind as written; empty if it has none
         * @param namespace as written
         * @param name empty if it has no valid one
         */
        default void skipped(String kind, Optional<String> namespace, Optional<String> name) {}

        /**
         * Receives a workload that is skipped, because an API server requires a field that it does not have, which was reported: it makes
         * no Pods.
         *
         * @param line the line at which the workload begins
         */
        default void refused(Workload workload, int line) {}

        /** Returns whether a ConfigMap is read; another one is noted like other kinds that are not read. */
        default boolean readsConfigMap(ObjectRef ref) {
            return false;
        }
    }

    /**
     * Reads the values of one file.
     *
     * @param defaultNamespace the namespace of objects without one
     * @param checks the additional checks of the source
     */
    public ObjectReader(FileNotes notes, String defaultNamespace, ObjectChecks checks, Receiver receiver) {
        this.notes = notes;
        this.defaultNamespace = defaultNamespace;
        this.checks = checks;
        this.receiver = receiver;
        services = new ServiceReader(checks, this::found);
        endpoints = new EndpointsReader(checks, this::found);
        pods = new PodReader(this::found);
        workloads = new WorkloadReader(this::found);
        nodes = new NodeReader(this::found);
        configMaps = new ConfigMapReader(this::found);
        others = new MetadataOnlyReader(this::found);
    }

    /**
     * Reads an object, or a list of objects.
     *
     * @param fromList the default type, from the enclosing list
     */
    public void read(Value value, ObjectType fromList) {
        Field root = Field.root(notes, value);
        if (root.isAbsent()) {
            return;
        }
        ObjectType own = ObjectType.of(value);
        ObjectType type = own.isNone() ? fromList : own;
        Field list = type.isList() ? root.of(ref(root, type.kind(), false)) : root;
        if (type.isList()) {
            checks.checkList(list);
        }
        if (type.isList()
                && value instanceof Value.Mapping mapping
                && mapping.get("items") instanceof Value.Sequence items) {
            items.items().forEach(item -> readItem(item, type));
        } else if (type.kind().equals("List")) {
            // Go writes an empty list as null or omits it; other values are reported.
            list.get("items").items();
            if (list.isInFaultyObject()) {
                skipped(root, type);
            }
        } else if (OpenShiftTemplate.is(type) && value instanceof Value.Mapping template) {
            List<Value> objects = OpenShiftTemplate.objects(template);
            noteMissingParameters(root.of(ref(root, type.kind(), false)), template, objects);
            List<String> removed = OpenShiftTemplate.removedNamespaces(template);
            if (removed.stream().anyMatch(namespace -> !namespace.equals(defaultNamespace))) {
                root.of(ref(root, type.kind(), false))
                        .get("objects")
                        .note(
                                "removed-namespace",
                                "oc process removes a metadata.namespace that is no parameter: "
                                        + String.join(", ", removed) + "; the objects are in " + defaultNamespace);
            }
            objects.forEach(one -> read(one, ObjectType.NONE));
        } else if (type.isWhole()) {
            object(root, type);
        } else if (!(value instanceof Value.Mapping) || type.isNone()) {
            notes.noObject(value);
            if (!value.isEmpty()) {
                skipped(root, type);
            }
        } else if (isForeign(root, type)) {
            root.note(
                    "no-object",
                    "without " + (type.kind().isEmpty() ? "kind" : "apiVersion")
                            + ", metadata and spec, not a Kubernetes object");
            skipped(root, type);
        } else {
            root.of(ref(root, type.kind().isEmpty() ? "object" : type.kind(), false))
                    .warn("no-type", type.kind().isEmpty() ? "apiVersion without kind" : "kind without apiVersion");
            skipped(root, type);
        }
    }

    private static void noteMissingParameters(Field root, Value.Mapping template, List<Value> objects) {
        List<String> inNames = OpenShiftTemplate.missing(template, objects);
        List<String> required = OpenShiftTemplate.required(template);
        Set<String> missing = new LinkedHashSet<>(inNames);
        missing.addAll(required);
        if (missing.isEmpty()) {
            return;
        }
        root.get("parameters")
                .warn(
                        "no-parameter-value",
                        "no value: " + String.join(", ", missing)
                                + (inNames.isEmpty()
                                        ? ""
                                        : "; ${" + inNames.get(0)
                                                + "} stays in a name, a label or a selector, so that objects are skipped or"
                                                + " select nothing")
                                + (required.isEmpty()
                                        ? ""
                                        : "; oc process fails, because " + required.get(0) + " is required")
                                + "; oc process -f FILE -p "
                                + missing.iterator().next() + "=VALUE sets it");
    }

    private void readItem(Value item, ObjectType list) {
        if (Field.root(notes, item).isAbsent()) {
            notes.noObject(item);
        }
        read(item, list.ofEntries());
    }

    private void object(Field root, ObjectType type) {
        if (isOfHelmTest(root)) {
            root.of(ref(root, type.kind(), true))
                    .get("metadata")
                    .get("annotations")
                    .note("helm-test", "not read: helm creates it only for helm test (" + HELM_HOOK + ")");
            return;
        }
        int before = objectsFound;
        switch (type.apiVersion() + " " + type.kind()) {
            case "v1 Namespace" -> clusterScoped(root, Namespace.KIND, others::readNamespace);
            case "v1 Node" -> clusterScoped(root, Node.KIND, nodes::read);
            case "v1 Service" -> namespaced(root, Service.KIND, services::read);
            case "v1 Endpoints" -> namespaced(root, Endpoints.KIND, endpoints::readEndpoints);
            case "v1 Pod" -> namespaced(root, Pod.KIND, pods::readPod);
            case "discovery.k8s.io/v1 EndpointSlice" -> namespaced(root, EndpointSlice.KIND, endpoints::readSlice);
            case "multicluster.x-k8s.io/v1alpha1 ServiceExport", "multicluster.x-k8s.io/v1beta1 ServiceExport" ->
                namespaced(root, ServiceExport.KIND, others::readServiceExport);
            case "apps/v1 StatefulSet" -> namespaced(root, StatefulSet.KIND, workloads::readStatefulSet);
            case "apps/v1 DaemonSet" -> namespaced(root, DaemonSet.KIND, workloads::readDaemonSet);
            case "apps/v1 Deployment",
                    "apps/v1 ReplicaSet",
                    "v1 ReplicationController",
                    "apps.openshift.io/v1 DeploymentConfig",
                    "v1 DeploymentConfig" ->
                namespaced(
                        root, type.kind(), (object, metadata) -> workloads.readReplicas(type.kind(), object, metadata));
            case "batch/v1 Job" -> namespaced(root, Job.KIND, workloads::readJob);
            case "batch/v1 CronJob" -> namespaced(root, CronJob.KIND, workloads::readCronJob);
            case "v1 ConfigMap" -> {
                if (!receiver.readsConfigMap(ref(root, ConfigMap.KIND, true))) {
                    notRead(root, type);
                    return;
                }
                namespaced(root, ConfigMap.KIND, configMaps::read);
            }
            default -> {
                Optional<String> problem = checks.unknownKind(type);
                if (problem.isEmpty()) {
                    notRead(root, type);
                    return;
                }
                root.of(ref(root, type.kind(), false)).warn("unknown-kind", problem.get());
            }
        }
        if (objectsFound == before) {
            skipped(root, type);
        }
    }

    /** Returns whether this is an object of a chart's test. One with a status exists, because a test runs. */
    private static boolean isOfHelmTest(Field root) {
        Optional<String> hooks =
                root.get("metadata").get("annotations").get(HELM_HOOK).scalarText();
        return hooks.isPresent()
                && root.get("status").isAbsent()
                && HOOK_SEPARATOR.splitAsStream(hooks.get()).allMatch(HELM_TESTS::contains);
    }

    private void notRead(Field root, ObjectType type) {
        root.of(ref(root, type.kind(), false)).note(KIND_NOT_READ, type + " is not read");
    }

    private void skipped(Field root, ObjectType type) {
        Field metadata = root.get("metadata");
        receiver.skipped(
                type.kind(),
                metadata.get("namespace").scalarText(),
                metadata.get("name").scalarText().filter(KubernetesNames::isDnsSubdomain));
    }

    /**
     * Returns whether this is a file of another tool with an {@code apiVersion}, such as Helm or Grafana, or with a {@code kind}, such as
     * Drone or the discovery documents of Google.
     */
    private static boolean isForeign(Field root, ObjectType type) {
        return !KIND.matcher(type.kind()).matches()
                && root.get("metadata").isAbsent()
                && root.get("spec").isAbsent();
    }

    // Metadata

    private void clusterScoped(Field root, String kind, BiConsumer<Field, Metadata> reader) {
        readNamed(root.of(ref(root, kind, false)), kind, Optional.of(defaultNamespace), reader);
    }

    private void namespaced(Field root, String kind, BiConsumer<Field, Metadata> reader) {
        Field object = root.of(ref(root, kind, true));
        Field namespace = object.get("metadata").get("namespace");
        Optional<String> given = namespace.text();
        if (given.isPresent() || namespace.isAbsent()) {
            String chosen = given.filter(text -> !text.isEmpty()).orElse(defaultNamespace);
            readNamed(object, kind, Optional.of(chosen), reader);
        }
    }

    private void readNamed(Field object, String kind, Optional<String> namespace, BiConsumer<Field, Metadata> reader) {
        Field metadata = object.get("metadata");
        if (!metadata.isMappingOrAbsent()) {
            return;
        }
        if (!checks.hasKnownFields(object, kind)) {
            return;
        }
        // An object without a valid name or a required field is skipped, but its other faults are reported.
        isRefused = !checks.hasRequiredFields(object, kind);
        isUnnamed = false;
        Metadata read = metadata(object, kind, namespace.orElseThrow());
        checks.checkValues(object, kind);
        try {
            reader.accept(object, read);
        } catch (InvalidFieldException e) {
            object.at(e.field()).warn("invalid-object", e.problem());
        }
    }

    /**
     * Returns the metadata of an object. An object without a valid name is reported and skipped; it gets placeholder
     * metadata.
     */
    private Metadata metadata(Field object, String kind, String namespace) {
        Field metadata = object.get("metadata");
        Optional<String> name = metadata.get("name").text();
        if (name.isEmpty() && metadata.get("name").isAbsent()) {
            metadata.get("name").warn("no-name", "a " + kind + " without a name");
        }
        Labels labels = FieldValues.labels(metadata.get("labels").members());
        Optional<String> uid = metadata.get("uid").text().filter(text -> !text.isEmpty());
        if (name.isPresent()) {
            try {
                return new Metadata(namespace, name.get(), uid, labels);
            } catch (InvalidFieldException e) {
                object.at(e.field()).warn("invalid-object", e.problem());
            }
        }
        isUnnamed = true;
        return new Metadata("default", "unnamed", uid, labels);
    }

    /** Returns the key of the object for diagnostics, before its metadata is checked. */
    private ObjectRef ref(Field root, String kind, boolean namespaced) {
        Field metadata = root.get("metadata");
        String name = metadata.get("name").scalarText().orElse("(no name)");
        Optional<String> namespace = metadata.get("namespace").scalarText().filter(text -> !text.isEmpty());
        if (!namespaced) {
            return ObjectRef.of(kind, name);
        }
        return ObjectRef.of(kind, namespace.orElse(defaultNamespace), name);
    }

    private void found(Field object, ObjectRef ref, Object one, boolean addressRefused) {
        if (isUnnamed) {
            return;
        }
        if (isRefused) {
            if (one instanceof Workload workload) {
                receiver.refused(workload, object.line());
            }
            return;
        }
        objectsFound++;
        receiver.object(ref, one, object.line(), addressRefused, !object.isInFaultyObject());
    }
}
