package io.k8sdns.cluster;

import io.k8sdns.model.Internal;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Workload;
import java.util.Objects;
import java.util.Optional;

/**
 * A workload whose controller runs no Pod, for example a Deployment with 0 replicas, or one that an API server would refuse.
 *
 * @param workload the workload
 * @param field the path of the field that is the reason; empty if there is no single one
 * @param reason the reason, for example {@code spec.replicas is 0}
 * @param remedy the change of the field that gives it a Pod, for example {@code set spec.replicas of Deployment shop/web to 1}; empty
 *     without that Pod
 * @param firstPod the Pod that it would have after the change, as the cluster would complete it, but without an address if the manifests
 *     are taken as they are; empty if no change of the field gives it one
 */
public record IdleWorkload(Workload workload, String field, String reason, String remedy, Optional<Pod> firstPod) {
    /** Makes a workload whose number of Pods in a field is 0; the remedy is to set it to 1, if the Pod is given. */
    @Internal
    public IdleWorkload(Workload workload, String field, String reason, Optional<Pod> firstPod) {
        this(
                workload,
                field,
                reason,
                Objects.requireNonNull(firstPod, "firstPod").isEmpty()
                        ? ""
                        : "set " + field + " of "
                                + Objects.requireNonNull(workload, "workload").ref() + " to 1",
                firstPod);
    }

    /** Checks that nothing is null. */
    @Internal
    public IdleWorkload {
        Objects.requireNonNull(workload, "workload");
        Objects.requireNonNull(field, "field");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(remedy, "remedy");
        Objects.requireNonNull(firstPod, "firstPod");
    }

    /** Returns whether a selector in a namespace would match its Pods. */
    public boolean isSelectedBy(String namespace, Labels selector) {
        return workload.metadata().namespace().equals(namespace)
                && Selector.ofLabels(selector).test(podLabels());
    }

    private Labels podLabels() {
        return firstPod.map(Pod::labels).orElseGet(workload::podLabels);
    }
}
