package io.k8sdns.model;

import java.util.Objects;

/**
 * A CronJob ({@code batch/v1}). It has no Pod until its schedule starts a Job.
 *
 * @param metadata namespace, name, UID, labels
 * @param suspended whether its schedule starts no Job until {@code suspend} is false
 * @param template the template of the Pods of its Jobs
 */
public record CronJob(Metadata metadata, boolean suspended, PodTemplate template) implements Workload {
    /** The kind. */
    public static final String KIND = "CronJob";

    /** Checks that no component is null. */
    @Internal
    public CronJob {
        Objects.requireNonNull(metadata, "metadata");
        Objects.requireNonNull(template, "template");
    }

    @Override
    public ObjectRef ref() {
        return ObjectRef.of(KIND, metadata.namespace(), metadata.name());
    }
}
