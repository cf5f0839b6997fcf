package io.k8sdns.manifest;

import io.k8sdns.json.ObjectType;
import io.k8sdns.json.ScalarType;
import io.k8sdns.json.Value;
import io.k8sdns.model.ObjectRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A Pod, or the first Pod that the controller of a workload makes from its template.
 *
 * @param type the type of the Pod or workload
 * @param object the Pod or workload
 * @param pod the Pod
 * @param specPath the path of its spec in the object
 */
record TemplatePod(ObjectType type, Value.Mapping object, Value.Mapping pod, String specPath) {
    /** The type of Pods. */
    static final ObjectType POD = new ObjectType("v1", "Pod");

    /** The path of the template in each kind of workload. */
    private static final Map<ObjectType, List<String>> TEMPLATES = Map.of(
            new ObjectType("apps.openshift.io/v1", "DeploymentConfig"), List.of("spec", "template"),
            new ObjectType("apps/v1", "DaemonSet"), List.of("spec", "template"),
            new ObjectType("apps/v1", "Deployment"), List.of("spec", "template"),
            new ObjectType("apps/v1", "ReplicaSet"), List.of("spec", "template"),
            new ObjectType("apps/v1", "StatefulSet"), List.of("spec", "template"),
            new ObjectType("batch/v1", "CronJob"), List.of("spec", "jobTemplate", "spec", "template"),
            new ObjectType("batch/v1", "Job"), List.of("spec", "template"),
            new ObjectType("v1", "DeploymentConfig"), List.of("spec", "template"),
            new ObjectType("v1", "ReplicationController"), List.of("spec", "template"));

    /** What the controllers add for the name of the object between: drawn characters, or the number of the rollout. */
    private static final Map<String, String> DRAWN =
            Map.of("Deployment", "xxxxxxxxxx-", "CronJob", "xxxxxxxx-", "DeploymentConfig", "1-");

    /** Returns the path of the template in a kind of workload; empty for another kind. */
    static Optional<List<String>> path(ObjectType type) {
        return Optional.ofNullable(TEMPLATES.get(type));
    }

    /** Returns the Pod of a Pod or workload; empty for an object of another kind. */
    static Optional<TemplatePod> of(ObjectType type, Value.Mapping object) {
        return type.equals(POD)
                ? Optional.of(new TemplatePod(type, object, object, "spec"))
                : path(type).map(path -> of(type, path, object));
    }

    /** Returns the Pod or workload; its name is {@code (no name)} if it has none. */
    ObjectRef ref() {
        Value.Mapping metadata = member(object, "metadata");
        String namespace = text(metadata.get("namespace"));
        String name = text(metadata.get("name"));
        return ObjectRef.of(
                type.kind(), namespace.isEmpty() ? "default" : namespace, name.isEmpty() ? "(no name)" : name);
    }

    /** Returns whether the Pod, or its workload, has a name. */
    boolean isNamed(String namespace, String name) {
        return ref().namespace().equals(Optional.of(namespace))
                && (ref().name().equals(name)
                        || text(member(pod, "metadata").get("name")).equals(name));
    }

    private static TemplatePod of(ObjectType type, List<String> path, Value.Mapping workload) {
        Value.Mapping template = path.stream().reduce(workload, TemplatePod::member, (first, second) -> second);
        Value.Mapping metadata = member(workload, "metadata");
        Value.Mapping spec = member(template, "spec");
        String name = text(metadata.get("name"));
        Map<String, Value> ofPod = new HashMap<>();
        Optional.ofNullable(metadata.get("namespace")).ifPresent(namespace -> ofPod.put("namespace", namespace));
        Map<String, Value> ofSpec = new HashMap<>();
        if (type.kind().equals("StatefulSet")) {
            String ordinal = text(member(member(workload, "spec"), "ordinals").get("start"));
            Value podName = scalar(name + "-" + (ordinal.isEmpty() ? "0" : ordinal), spec);
            ofPod.put("name", podName);
            ofSpec.put("hostname", podName);
            ofSpec.put("subdomain", scalar(text(member(workload, "spec").get("serviceName")), spec));
        } else if (isIndexed(type, workload)) {
            ofPod.put("generateName", scalar(name + "-0-", spec));
            ofSpec.put("hostname", scalar(name + "-0", spec));
        } else {
            ofPod.put("generateName", scalar(name + "-" + DRAWN.getOrDefault(type.kind(), ""), spec));
        }
        Value.Mapping pod = Value.Mapping.of(
                template.line(),
                Map.of(
                        "apiVersion",
                        scalar("v1", template),
                        "kind",
                        scalar("Pod", template),
                        "metadata",
                        member(template, "metadata").with(ofPod),
                        "spec",
                        spec.with(ofSpec)));
        return new TemplatePod(type, workload, pod, String.join(".", path) + ".spec");
    }

    private static boolean isIndexed(ObjectType type, Value.Mapping workload) {
        return type.kind().equals("Job")
                && text(member(workload, "spec").get("completionMode")).equals("Indexed");
    }

    private static Value scalar(String text, Value at) {
        return new Value.Scalar(text, ScalarType.TEXT, at.line());
    }

    private static String text(@Nullable Value value) {
        return value instanceof Value.Scalar scalar && scalar.type() != ScalarType.NULL ? scalar.text() : "";
    }

    /** Returns a member; an empty mapping if it is absent or no mapping. */
    private static Value.Mapping member(Value.Mapping parent, String key) {
        return parent.get(key) instanceof Value.Mapping mapping ? mapping : Value.Mapping.of(parent.line(), Map.of());
    }
}
