package io.k8sdns.manifest.kustomize;

import io.k8sdns.json.ObjectType;
import io.k8sdns.json.ScalarType;
import io.k8sdns.json.Value;
import io.k8sdns.manifest.objects.ObjectRenaming;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    private final List<NameChange> changes;
    private final RenamedServices services;

    /**
     * Makes the names of the objects of a file.
     *
     * @param changes the changes, the innermost first
     * @param services the Services to which StatefulSets refer
     */
    KustomizedNames(List<NameChange> changes, RenamedServices services) {
        this.changes = changes;
        this.services = services;
    }

    /**
     * The names that an object has had.
     *
     * @param namespace the last namespace, "" if there is none
     * @param names the names, the first one first
     */
    record Names(String namespace, List<String> names) {
        String last() {
            return names.get(names.size() - 1);
        }
    }

    /** Returns the names of an object. */
    static Names of(Value.Mapping object, String kind, List<NameChange> changes) {
        Value metadata = object.get("metadata");
        String name = text(member(metadata, "name"));
        String namespace = text(member(metadata, "namespace"));
        Set<String> names = new LinkedHashSet<>();
        names.add(name);
        for (NameChange change : changes) {
            if (!change.namespace().isEmpty()) {
                if (kind.equals(NAMESPACE)) {
                    name = change.namespace();
                } else if (!CLUSTER_SCOPED.contains(kind)) {
                    namespace = change.namespace();
                }
            }
            // An object without a name is refused later.
            if (!name.isEmpty() && name.length() <= LONGEST && !WITHOUT_AFFIX.contains(kind)) {
                name = change.prefix() + name + change.suffix();
            }
            // The last name is the last one, even if the object has had it before.
            names.remove(name);
            names.add(name);
        }
        return new Names(namespace, new ArrayList<>(names));
    }

    @Override
    public Value.Mapping renamed(Value.Mapping object, ObjectType type) {
        if (!(object.get("metadata") instanceof Value.Mapping metadata)) {
            return object;
        }
        Names names = of(object, type.kind(), changes);
        Map<String, Value> changed = new HashMap<>();
        if (!names.last().equals(text(metadata.get("name")))) {
            changed.put("name", scalar(names.last(), metadata.get("name"), metadata));
        }
        if (!names.namespace().equals(text(metadata.get("namespace")))) {
            changed.put("namespace", scalar(names.namespace(), metadata.get("namespace"), metadata));
        }
        Value.Mapping renamed = changed.isEmpty() ? object : object.with(Map.of("metadata", metadata.with(changed)));
        return type.kind().equals("StatefulSet") ? withService(renamed, names.namespace()) : renamed;
    }

    private Value.Mapping withService(Value.Mapping set, String namespace) {
        if (!(set.get("spec") instanceof Value.Mapping spec)) {
            return set;
        }
        String service = text(spec.get("serviceName"));
        String now = services.nameOf(service, namespace, changes);
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

    private static String text(@Nullable Value value) {
        return value instanceof Value.Scalar scalar && scalar.type() != ScalarType.NULL ? scalar.text() : "";
    }
}
