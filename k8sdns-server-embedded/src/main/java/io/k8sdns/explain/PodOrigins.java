package io.k8sdns.explain;

import io.k8sdns.model.Labels;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.StatefulSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The objects in which a user edits the fields of Pods: the Pod itself, or the workload whose template makes it. */
final class PodOrigins {
    /** The labels of Pods without a prefix that controllers add, besides {@link PodTemplate#UNPREDICTABLE_LABELS}. */
    private static final Set<String> ADDED_LABELS = Set.of("pod-template-generation", "job-name");

    /** Labels that different workloads of an application have in common. */
    static final Set<String> SHARED_LABELS = Set.of(
            "app.kubernetes.io/part-of",
            "app.kubernetes.io/managed-by",
            "app.kubernetes.io/instance",
            "app.kubernetes.io/version",
            "helm.sh/chart",
            "chart",
            "heritage",
            "release");

    /** The shared labels whose values tell the releases of a chart apart. */
    static final Set<String> RELEASE_LABELS = Set.of("app.kubernetes.io/instance", "release");

    private PodOrigins() {}

    /** Returns whether the controller of a workload chooses the names of its Pods at random. */
    private static boolean hasRandomName(ObjectRef workload) {
        return !workload.kind().equals(StatefulSet.KIND);
    }

    /** Returns whether a Pod was predicted, and its controller would choose another name. */
    static boolean hasInventedName(Pod pod) {
        return pod.workload().filter(PodOrigins::hasRandomName).isPresent();
    }

    /** Returns whether a Pod has this hostname or name, which is not invented. */
    static boolean isCalled(Pod pod, String name) {
        return pod.hostname().equals(Optional.of(name)) || pod.name().equals(name) && !hasInventedName(pod);
    }

    /** Returns the object and the field that a user edits to change a field of a Pod. */
    static FieldLocation location(Pod pod, String field) {
        return pod.workload()
                .map(workload -> new FieldLocation(workload, fieldOf(workload, field)))
                .orElseGet(() -> new FieldLocation(pod.ref(), field));
    }

    private static String fieldOf(ObjectRef workload, String field) {
        if (field.equals("spec.subdomain") && workload.kind().equals(StatefulSet.KIND)) {
            return "spec.serviceName";
        }
        if (field.equals("metadata.namespace")) {
            return field;
        }
        if (field.startsWith("spec.") || field.startsWith("metadata.")) {
            return PodTemplate.path(workload, field);
        }
        // The status of a Pod is in no template.
        return "";
    }

    /** Returns the name of a Pod in a sentence, for example {@code the Pods of Deployment shop/cart}. */
    static String describe(Pod pod) {
        return pod.workload()
                .map(workload ->
                        hasRandomName(workload) ? "the Pods of " + workload : "Pod " + pod.name() + " of " + workload)
                .orElseGet(() -> pod.ref().toString());
    }

    /**
     * Returns a sentence about a Pod for a cause at its {@link #location}.
     *
     * @param withoutSubject the sentence if the location is the Pod itself, without subject and verb
     * @param singular the verb and the rest if the location is the workload of a Pod with a fixed name
     * @param plural the verb and the rest if the location is the workload of equal Pods
     */
    static String sentence(Pod pod, String withoutSubject, String singular, String plural) {
        return pod.workload()
                .map(workload ->
                        hasRandomName(workload) ? "its Pods " + plural : "its Pod " + pod.name() + " " + singular)
                .orElse(withoutSubject);
    }

    /** Returns a sentence about one Pod for a cause at its {@link #location}. The text begins with the verb. */
    static String sentenceOfOne(Pod pod, String text) {
        return pod.workload()
                .map(workload -> (hasRandomName(workload) ? "one of its Pods " : "its Pod " + pod.name() + " ") + text)
                .orElse(text);
    }

    /**
     * A change of one field of a Pod.
     *
     * @param value the new value; of labels, those to add
     */
    record PodEdit(String field, String value) {}

    /** Returns the suggestion to edit fields of a Pod, for example {@code give Pod shop/db-0 spec.hostname db-0}. */
    static String describeEdits(Pod pod, List<PodEdit> edits) {
        return "give " + location(pod, "").object() + " "
                + String.join(
                        ", ",
                        edits.stream()
                                .map(edit -> switch (edit.field) {
                                    case "status.conditions" ->
                                        pod.workload().isPresent() ? "ready Pods" : "condition Ready";
                                    case "status.podIPs" ->
                                        pod.workload().isPresent() ? "Pods with an address" : "an address";
                                    case "metadata.labels" -> labelsField(pod) + edit.value;
                                    default -> location(pod, edit.field).field() + " " + edit.value;
                                })
                                .toList());
    }

    /** Returns the field of the labels in a suggestion, with a space. */
    private static String labelsField(Pod pod) {
        return pod.workload().isPresent() ? location(pod, "metadata.labels").field() + " " : "the labels ";
    }

    /**
     * Returns whether a Pod can get labels. A Pod of a workload can get new ones only: the selector of the workload may use those
     * that it has, and an API server refuses a template that its selector does not match. Nor can a template set the labels that
     * controllers add.
     */
    static boolean canHaveLabels(Pod pod, Labels added) {
        boolean isOfWorkload = pod.workload().isPresent()
                || pod.labels().values().keySet().stream()
                        .anyMatch(key -> ADDED_LABELS.contains(key) || PodTemplate.UNPREDICTABLE_LABELS.contains(key));
        return !isOfWorkload
                || added.values().entrySet().stream()
                        .allMatch(label -> pod.labels()
                                .get(label.getKey())
                                .map(label.getValue()::equals)
                                .orElse(!isAdded(label.getKey())));
    }

    /**
     * Returns the name of a Pod in a sentence, followed by its labels; for a Pod with a template, only by those of the template, and by
     * those that a selector names.
     */
    static String withLabels(Pod pod, Labels selector) {
        Map<String, String> labels = new TreeMap<>(pod.labels().values());
        if (pod.workload().isPresent()) {
            labels.keySet().removeIf(key -> isAdded(key) && !selector.values().containsKey(key));
        }
        return describe(pod) + " with " + labels;
    }

    /** Returns the labels of a Pod without those that its controller adds. */
    static Labels ownLabels(Pod pod) {
        Map<String, String> own = new TreeMap<>(pod.labels().values());
        own.keySet().removeIf(PodOrigins::isAdded);
        return new Labels(own);
    }

    /** Returns whether a label is one that controllers add. */
    private static boolean isAdded(String key) {
        return key.contains("kubernetes.io/") && !key.startsWith("app.kubernetes.io/")
                || ADDED_LABELS.contains(key)
                || PodTemplate.UNPREDICTABLE_LABELS.contains(key);
    }

    /**
     * Returns the labels of a Pod for the selector of a Service: without those of a whole application, if others suffice, but with those
     * that tell releases of a chart apart.
     */
    static Labels selectorOf(Pod pod) {
        Labels own = ownLabels(pod);
        if (SHARED_LABELS.containsAll(own.values().keySet())) {
            return own;
        }
        Map<String, String> chosen = new TreeMap<>(own.values());
        chosen.keySet().removeIf(key -> SHARED_LABELS.contains(key) && !RELEASE_LABELS.contains(key));
        return new Labels(chosen);
    }
}
