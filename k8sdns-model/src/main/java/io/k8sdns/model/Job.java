package io.k8sdns.model;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A Job ({@code batch/v1}).
 *
 * @param metadata namespace, name, UID, labels
 * @param parallelism the number of Pods that run at the same time
 * @param completions the number of Pods that must succeed, if it is given
 * @param suspended whether it runs no Pods until {@code suspend} is false
 * @param indexed whether {@code completionMode} is {@code Indexed}: each Pod has an index and a hostname
 * @param template the template of its Pods
 */
public record Job(
        Metadata metadata,
        int parallelism,
        Optional<Integer> completions,
        boolean suspended,
        boolean indexed,
        PodTemplate template)
        implements Workload {
    /** The kind. */
    public static final String KIND = "Job";

    /** The label of its Pods with the Job's name. */
    public static final String NAME_LABEL = "batch.kubernetes.io/job-name";

    /**
     * Checks the numbers.
     *
     * @throws InvalidFieldException if one is negative
     */
    @Internal
    public Job {
        Objects.requireNonNull(metadata, "metadata");
        if (parallelism < 0) {
            throw new InvalidFieldException("spec.parallelism", "negative: " + parallelism);
        }
        Objects.requireNonNull(completions, "completions")
                .filter(number -> number < 0)
                .ifPresent(negative -> {
                    throw new InvalidFieldException("spec.completions", "negative: " + negative);
                });
        Objects.requireNonNull(template, "template");
    }

    @Override
    public ObjectRef ref() {
        return ObjectRef.of(KIND, metadata.namespace(), metadata.name());
    }

    /** Returns the number of Pods that run at first: the smaller of parallelism and completions, 0 if it is suspended. */
    public int pods() {
        return suspended ? 0 : Math.min(parallelism, completions.orElse(parallelism));
    }

    /** Returns the Job with {@code suspend: false}. */
    @Internal
    public Job resumed() {
        return new Job(metadata, parallelism, completions, false, indexed, template);
    }

    /** Returns the Job with another number of Pods that run at the same time. */
    @Internal
    public Job withParallelism(int pods) {
        return new Job(metadata, pods, completions, suspended, indexed, template);
    }

    /**
     * Returns one of the Pods as the Job controller makes it. An indexed Job's Pod has the hostname {@code NAME-INDEX};
     * the real name of the Pod also has a random suffix.
     *
     * @param index the completion index, from 0 to {@code pods - 1}
     * @param podName the name of the Pod
     * @throws InvalidFieldException if Kubernetes would refuse that Pod: its hostname is not a DNS label
     */
    @Internal
    public Pod pod(int index, String podName) {
        Objects.checkIndex(index, pods());
        Map<String, String> labels = new TreeMap<>(podLabels().values());
        Optional<String> hostname = template.hostname();
        if (indexed) {
            hostname = Optional.of(metadata.name() + "-" + index);
            FieldChecks.requireDnsLabel("metadata.name", hostname.get());
            labels.put("batch.kubernetes.io/job-completion-index", Integer.toString(index));
        }
        return template.pod(metadata.namespace(), podName, hostname, template.subdomain())
                .labels(new Labels(labels))
                .build();
    }

    /** Returns the labels that all its Pods have: those of the template, and the name of the Job. */
    @Override
    @Internal
    public Labels podLabels() {
        Map<String, String> labels = new TreeMap<>(template.labels().values());
        labels.put(NAME_LABEL, metadata.name());
        labels.put("job-name", metadata.name());
        return new Labels(labels);
    }
}
