package io.k8sdns.model;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A Deployment or ReplicaSet ({@code apps/v1}), a ReplicationController ({@code v1}) or a DeploymentConfig of OpenShift ({@code
 * apps.openshift.io/v1}): a number of Pods whose names cannot be predicted.
 *
 * @param kind {@link #DEPLOYMENT}, {@link #REPLICA_SET}, {@link #REPLICATION_CONTROLLER} or {@link #DEPLOYMENT_CONFIG}
 * @param metadata namespace, name, UID, labels
 * @param replicas the number of Pods
 * @param paused whether it is paused and has not started Pods before, so that its controller makes none
 * @param test whether it is a DeploymentConfig that has Pods only during a rollout
 * @param selector the labels of its Pods
 * @param deployment the name of the Deployment that owns this ReplicaSet, or of the DeploymentConfig that owns this
 *     ReplicationController, if there is one
 * @param template the template of its Pods
 */
public record ReplicaWorkload(
        String kind,
        Metadata metadata,
        int replicas,
        boolean paused,
        boolean test,
        Labels selector,
        Optional<String> deployment,
        PodTemplate template)
        implements Workload {
    /** The kind of a Deployment. */
    public static final String DEPLOYMENT = "Deployment";

    /** The kind of a ReplicaSet. */
    public static final String REPLICA_SET = "ReplicaSet";

    /** The kind of a ReplicationController. */
    public static final String REPLICATION_CONTROLLER = "ReplicationController";

    /** The kind of a DeploymentConfig. */
    public static final String DEPLOYMENT_CONFIG = "DeploymentConfig";

    /**
     * Checks the number.
     *
     * @throws InvalidFieldException if it is negative
     */
    @Internal
    public ReplicaWorkload {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(metadata, "metadata");
        if (replicas < 0) {
            throw new InvalidFieldException("spec.replicas", "negative: " + replicas);
        }
        Objects.requireNonNull(selector, "selector");
        Objects.requireNonNull(deployment, "deployment");
        Objects.requireNonNull(template, "template");
    }

    @Override
    public ObjectRef ref() {
        return ObjectRef.of(kind, metadata.namespace(), metadata.name());
    }

    /**
     * Returns the labels that all its Pods have: those of the template, and of a DeploymentConfig its name and that of the
     * ReplicationController of its first rollout (MakeDeployment of OpenShift). The {@code pod-template-hash} of a Deployment cannot be
     * predicted.
     */
    @Override
    @Internal
    public Labels podLabels() {
        if (!kind.equals(DEPLOYMENT_CONFIG)) {
            return template.labels();
        }
        Map<String, String> labels = new TreeMap<>(template.labels().values());
        labels.put("deploymentconfig", metadata.name());
        labels.put("deployment", metadata.name() + "-1");
        return new Labels(labels);
    }

    /**
     * Returns one of the Pods as its controller makes it.
     *
     * @param podName the name of the Pod, which the controller chooses
     */
    @Internal
    public Pod pod(String podName) {
        return template.pod(metadata.namespace(), podName).labels(podLabels()).build();
    }
}
