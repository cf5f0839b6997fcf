package io.k8sdns.cluster;

import io.k8sdns.model.Internal;
import io.k8sdns.model.Job;
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
 * @param firstPod the Pod that one replica would give, as the cluster would complete it, but without an address if the manifests are taken
 *     as they are; empty if another number of replicas does not help
 */
public record IdleWorkload(Workload workload, String field, String reason, Optional<Pod> firstPod) {
    /** Checks that nothing is null. */
    @Internal
    public IdleWorkload {
        Objects.requireNonNull(workload, "workload");
        Objects.requireNonNull(field, "field");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(firstPod, "firstPod");
    }

    /** Returns whether a selector in a namespace would match its Pods. */
    public boolean isSelectedBy(String namespace, Labels selector) {
        return workload.metadata().namespace().equals(namespace)
                && Selector.ofLabels(selector).test(podLabels());
    }

    private Labels podLabels() {
        return firstPod.map(Pod::labels)
                .orElseGet(() -> workload instanceof Job job
                        ? job.podLabels()
                        : workload.template().labels());
    }
}
