package io.k8sdns.federation.controller;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.federation.FederatedServices;
import io.k8sdns.federation.json.RelaxedJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a Service that is created in each cluster of a federation. An immutable value.
 *
 * <p>Of {@code metadata}, name, namespace, labels and annotations are used. {@code status} is ignored, and so are
 * {@code spec.clusterIP} and {@code spec.clusterIPs} unless they are {@code None}, because each cluster has its own addresses.
 */
public final class ShardTemplate {
    /** The label with the program that manages an object. */
    static final String MANAGED_BY = "app.kubernetes.io/managed-by";

    static final String MANAGER = "k8sdns-federation-controller";

    /** The annotation with the fields that were written last. */
    static final String APPLIED = "federation.k8sdns.io/applied";

    /** The annotation of kubectl, which describes the last write of kubectl and not of this controller. */
    private static final String KUBECTL_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    private static final RelaxedJson JSON = new RelaxedJson();

    private final String namespace;
    private final String name;
    private final Map<String, @Nullable Object> labels;
    private final Map<String, @Nullable Object> annotations;
    private final Map<String, @Nullable Object> spec;
    private final boolean isHeadless;

    private ShardTemplate(Map<String, @Nullable Object> service) {
        if (!"v1".equals(service.get("apiVersion")) || !"Service".equals(service.get("kind"))) {
            throw new IllegalArgumentException("not a Service of v1");
        }
        Map<String, @Nullable Object> metadata = JsonTree.object(service, "metadata");
        namespace = dnsLabel(metadata, "namespace");
        name = dnsLabel(metadata, "name");
        labels = texts(metadata, "labels");
        annotations = texts(metadata, "annotations");
        annotations.remove(KUBECTL_APPLIED);
        annotations.remove(APPLIED);
        spec = JsonTree.withoutEmpty(JsonTree.object(service, "spec"));
        if ("ExternalName".equals(spec.get("type"))) {
            throw new IllegalArgumentException("a Service of the type ExternalName has no endpoints");
        }
        isHeadless = JsonTree.isHeadless(spec);
        if (!isHeadless) {
            spec.remove("clusterIP");
            spec.remove("clusterIPs");
        }
    }

    /**
     * Reads a Service.
     *
     * @param json the object of a manifest or an API server
     * @throws IllegalArgumentException if it is not a Service of {@code v1} with a namespace and a name, or has the type ExternalName
     */
    public static ShardTemplate parse(String json) {
        return new ShardTemplate(JSON.object(Objects.requireNonNull(json, "json")));
    }

    private static String dnsLabel(Map<String, @Nullable Object> metadata, String member) {
        if (metadata.get(member) instanceof String text && KubernetesNames.isDnsLabel(text)) {
            return text;
        }
        throw new IllegalArgumentException(
                "metadata." + member + ": not a DNS-1123 label: " + JSON.text(metadata.get(member)));
    }

    private static Map<String, @Nullable Object> texts(Map<String, @Nullable Object> metadata, String member) {
        Map<String, @Nullable Object> texts = new LinkedHashMap<>(JsonTree.object(metadata, member));
        texts.forEach((key, value) -> {
            if (!(value instanceof String)) {
                throw new IllegalArgumentException("metadata." + member + "[" + key + "]: not a text");
            }
        });
        return texts;
    }

    /** Returns the namespace. */
    public String namespace() {
        return namespace;
    }

    /** Returns the name. */
    public String name() {
        return name;
    }

    boolean isHeadless() {
        return isHeadless;
    }

    /** Returns the fields that are written for a federation, with its labels, but without the annotation that records them. */
    Map<String, @Nullable Object> fields(String federation) {
        Map<String, @Nullable Object> allLabels = new LinkedHashMap<>(labels);
        allLabels.put(MANAGED_BY, MANAGER);
        allLabels.put(FederatedServices.LABEL, federation);
        Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
        metadata.put("namespace", namespace);
        metadata.put("name", name);
        metadata.put("labels", allLabels);
        if (!annotations.isEmpty()) {
            metadata.put("annotations", annotations);
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("apiVersion", "v1");
        fields.put("kind", "Service");
        fields.put("metadata", metadata);
        fields.put("spec", spec);
        return fields;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ShardTemplate that && parts().equals(that.parts());
    }

    @Override
    public int hashCode() {
        return parts().hashCode();
    }

    private List<Object> parts() {
        return List.of(namespace, name, labels, annotations, spec);
    }

    /** Returns {@code NAMESPACE/NAME}. */
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
