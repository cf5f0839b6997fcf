package io.k8sdns.explain;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.CronJob;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.StatefulSet;
import java.util.Map;
import java.util.Optional;

/** Where a user edits the fields of Pods: in the Pod, or in the template of the workload that makes it. */
final class PodOrigins {
    private final Map<ObjectRef, ObjectRef> workloads;

    PodOrigins(Map<ObjectRef, ObjectRef> workloads) {
        this.workloads = Copies.map("workloads", workloads);
    }

    /** A field of an object; the field is empty if it is the object as a whole. */
    record Place(ObjectRef object, String field) {}

    /** Returns the workload that makes a Pod; empty if the Pod has no template. */
    Optional<ObjectRef> workload(Pod pod) {
        return Optional.ofNullable(workloads.get(pod.ref()));
    }

    /** Returns whether a controller would choose another name for a Pod. */
    private static boolean hasRandomName(ObjectRef workload) {
        return !workload.kind().equals(StatefulSet.KIND);
    }

    /** Returns the object and the field that a user edits to change a field of a Pod. */
    Place place(Pod pod, String field) {
        return workload(pod)
                .map(workload -> new Place(workload, fieldOf(workload, field)))
                .orElseGet(() -> new Place(pod.ref(), field));
    }

    private static String fieldOf(ObjectRef workload, String field) {
        if (field.equals("spec.subdomain") && workload.kind().equals(StatefulSet.KIND)) {
            return "spec.serviceName";
        }
        if (field.startsWith("spec.") || field.startsWith("metadata.")) {
            return (workload.kind().equals(CronJob.KIND) ? "spec.jobTemplate.spec.template." : "spec.template.")
                    + field;
        }
        // The status of a Pod is in no template.
        return "";
    }

    /** Returns the name of a Pod in a sentence, for example {@code the Pods of Deployment shop/cart}. */
    String words(Pod pod) {
        return workload(pod)
                .map(workload ->
                        hasRandomName(workload) ? "the Pods of " + workload : "Pod " + pod.name() + " of " + workload)
                .orElseGet(() -> pod.ref().toString());
    }

    /**
     * Returns a sentence about a Pod for a cause at its {@link #place}.
     *
     * @param alone the sentence if the place is the Pod itself, without subject and verb
     * @param ofOne the verb and the rest if the place is the workload of a Pod with a fixed name
     * @param ofAll the verb and the rest if the place is the workload of equal Pods
     */
    String sentence(Pod pod, String alone, String ofOne, String ofAll) {
        return workload(pod)
                .map(workload -> hasRandomName(workload) ? "its Pods " + ofAll : "its Pod " + pod.name() + " " + ofOne)
                .orElse(alone);
    }
}
