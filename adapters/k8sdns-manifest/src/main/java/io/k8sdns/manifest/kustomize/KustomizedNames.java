package io.k8sdns.manifest.kustomize;

import io.k8sdns.json.ObjectType;
import io.k8sdns.json.ScalarType;
import io.k8sdns.json.Value;
import io.k8sdns.manifest.objects.ObjectRenaming;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Changes the names of the objects of one file as the kustomizations that read the file do. */
final class KustomizedNames implements ObjectRenaming {
    private static final String NAMESPACE = "Namespace";

    /** The kinds without a namespace in groups of Kubernetes. Kinds of other groups are assumed to have one, as in kustomize. */
    private static final Set<String> CLUSTER_SCOPED = Set.of(
            NAMESPACE,
            "APIService",
            "CertificateSigningRequest",
            "ClusterRole",
            "ClusterRoleBinding",
            "ClusterTrustBundle",
            "ComponentStatus",
            "CSIDriver",
            "CSINode",
            "CustomResourceDefinition",
            "DeviceClass",
            "FlowSchema",
            "IngressClass",
            "IPAddress",
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "Node",
            "PersistentVolume",
            "PriorityClass",
            "PriorityLevelConfiguration",
            "ResourceSlice",
            "RuntimeClass",
            "ServiceCIDR",
            "StorageClass",
            "StorageVersion",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
            "VolumeAttachment",
            "VolumeAttributesClass");

    /** The kinds that get neither prefix nor suffix. */
    private static final Set<String> WITHOUT_AFFIX = Set.of(NAMESPACE, "CustomResourceDefinition", "APIService");

    /** Longer names are invalid, so they need not grow further. */
    private static final int LONGEST = 1024;

    private final List<NameTransformation> changes;
    private final Map<FullName, String> services;

    /**
     * Makes the names of the objects of a file.
     *
     * @param changes the changes, the innermost first
     * @param services the last names of the Services to which the StatefulSets of the file refer
     */
    KustomizedNames(List<NameTransformation> changes, Map<FullName, String> services) {
        this.changes = changes;
        this.services = services;
    }

    /**
     * The name of an object with its namespace.
     *
     * @param name "" if there is none
     * @param namespace "" if there is none
     */
    record FullName(String name, String namespace) {
        static FullName of(Value.Mapping object) {
            Value metadata = object.get("metadata");
            return new FullName(text(member(metadata, "name")), text(member(metadata, "namespace")));
        }
    }

    /**
     * Returns the last name of an object.
     *
     * @param earlier receives the name before each step, also if the step changes only the namespace or nothing; a prefix and a suffix
     *     are two steps, as in kustomize
     */
    static FullName changed(FullName first, String kind, List<NameTransformation> changes, Consumer<String> earlier) {
        String name = first.name;
        String namespace = first.namespace;
        for (NameTransformation change : changes) {
            earlier.accept(name);
            if (!change.namespace().isEmpty()) {
                if (kind.equals(NAMESPACE)) {
                    name = change.namespace();
                } else if (!CLUSTER_SCOPED.contains(kind)) {
                    namespace = change.namespace();
                }
            }
            // An object without a name is refused later.
            if (!name.isEmpty() && name.length() <= LONGEST && !WITHOUT_AFFIX.contains(kind)) {
                name = change.prefix() + name;
                if (!change.suffix().isEmpty()) {
                    earlier.accept(name);
                    name += change.suffix();
                }
            }
        }
        return new FullName(name, namespace);
    }

    @Override
    public Value.Mapping renamed(Value.Mapping object, ObjectType type) {
        if (!(object.get("metadata") instanceof Value.Mapping metadata)) {
            return object;
        }
        FullName first = FullName.of(object);
        FullName last = changed(first, type.kind(), changes, any -> {});
        Map<String, Value> changed = new HashMap<>();
        if (!last.name.equals(first.name)) {
            changed.put("name", scalar(last.name, metadata.get("name"), metadata));
        }
        if (!last.namespace.equals(first.namespace)) {
            changed.put("namespace", scalar(last.namespace, metadata.get("namespace"), metadata));
        }
        Value.Mapping renamed = changed.isEmpty() ? object : object.with(Map.of("metadata", metadata.with(changed)));
        return type.kind().equals(ServiceReferences.STATEFUL_SET) ? withService(renamed, last.namespace) : renamed;
    }

    private Value.Mapping withService(Value.Mapping set, String namespace) {
        if (!(set.get("spec") instanceof Value.Mapping spec)) {
            return set;
        }
        String service = text(spec.get("serviceName"));
        String now = services.getOrDefault(new FullName(service, RenamedServices.namespace(namespace)), service);
        return now.equals(service)
                ? set
                : set.with(Map.of(
                        "spec", spec.with(Map.of("serviceName", scalar(now, spec.get("serviceName"), spec)))));
    }

    private static Value scalar(String text, @Nullable Value earlier, Value.Mapping parent) {
        return new Value.Scalar(text, ScalarType.TEXT, earlier == null ? parent.line() : earlier.line());
    }

    private static @Nullable Value member(@Nullable Value parent, String key) {
        return parent instanceof Value.Mapping mapping ? mapping.get(key) : null;
    }

    static String text(@Nullable Value value) {
        return value instanceof Value.Scalar scalar && scalar.type() != ScalarType.NULL ? scalar.text() : "";
    }
}
