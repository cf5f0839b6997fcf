package io.k8sdns.model;

/**
 * An object whose controller makes Pods from a template.
 *
 * <p>Not a {@link ClusterObject}: DNS depends on its Pods only.
 */
public sealed interface Workload permits CronJob, DaemonSet, Job, ReplicaWorkload, StatefulSet {
    /** Returns namespace, name, UID and labels. */
    Metadata metadata();

    /** Returns kind, namespace and name. */
    ObjectRef ref();

    /** Returns the template of its Pods. */
    PodTemplate template();

    /** Returns the labels that all its Pods have: those of the template, and those that its controller adds and that can be predicted. */
    @Internal
    default Labels podLabels() {
        return template().labels();
    }
}
