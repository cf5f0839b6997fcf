package io.k8sdns.model;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A StatefulSet ({@code apps/v1}), read for the names of its Pods: nearly every real headless Service belongs to one.
 *
 * @param metadata namespace, name, UID, labels
 * @param replicas the number of Pods; 1 by default
 * @param firstOrdinal the number of the first Pod, {@code spec.ordinals.start} (KEP-3335); 0 by default
 * @param serviceName the headless Service that names the Pods, if there is one
 * @param parallel whether {@code spec.podManagementPolicy} is {@code Parallel}; if not, the controller makes a Pod only when those before
 *     it are ready
 * @param template the template of the Pods
 */
public record StatefulSet(
        Metadata metadata,
        int replicas,
        int firstOrdinal,
        Optional<String> serviceName,
        boolean parallel,
        PodTemplate template)
        implements Workload {
    /** The kind. */
    public static final String KIND = "StatefulSet";

    /** The label of each Pod with its name. */
    public static final String POD_NAME_LABEL = "statefulset.kubernetes.io/pod-name";

    /**
     * Checks the numbers.
     *
     * @throws InvalidFieldException if one is negative
     */
    @Internal
    public StatefulSet {
        Objects.requireNonNull(metadata, "metadata");
        if (replicas < 0) {
            throw new InvalidFieldException("spec.replicas", "negative: " + replicas);
        }
        if (firstOrdinal < 0) {
            throw new InvalidFieldException("spec.ordinals.start", "negative: " + firstOrdinal);
        }
        Objects.requireNonNull(serviceName, "serviceName");
        Objects.requireNonNull(template, "template");
    }

    @Override
    public ObjectRef ref() {
        return ObjectRef.of(KIND, metadata.namespace(), metadata.name());
    }

    /**
     * Returns one of the Pods as the StatefulSet controller makes it, before a scheduler or kubelet changes it: its
     * hostname is its name, its subdomain the service name, its status empty.
     *
     * @param index the index of the Pod, from 0 to {@code replicas - 1}; its ordinal is {@code firstOrdinal + index}
     * @throws InvalidFieldException if Kubernetes would refuse that Pod: its name is not a DNS label, as a hostname must
     *     be, or the service name is not a DNS label
     */
    public Pod pod(int index) {
        Objects.checkIndex(index, replicas);
        String ordinal = Long.toString((long) firstOrdinal + index);
        String podName = metadata.name() + "-" + ordinal;
        FieldChecks.requireDnsLabel("metadata.name", podName);
        Map<String, String> labels = new TreeMap<>(template.labels().values());
        labels.put(POD_NAME_LABEL, podName);
        labels.put("apps.kubernetes.io/pod-index", ordinal);
        return template.pod(metadata.namespace(), podName, Optional.of(podName), serviceName)
                .labels(new Labels(labels))
                .build();
    }

    /**
     * Returns a builder of a StatefulSet.
     *
     * @param namespace the namespace, a DNS-1123 label
     * @param name the name, a DNS-1123 subdomain
     * @throws InvalidFieldException if namespace or name is not what Kubernetes allows
     */
    public static Builder builder(String namespace, String name) {
        return new Builder(Metadata.of(namespace, name));
    }

    /** Returns a builder of a StatefulSet with this namespace, name, UID and these labels. */
    public static Builder builder(Metadata metadata) {
        return new Builder(Objects.requireNonNull(metadata, "metadata"));
    }

    /** Returns a builder with everything that this StatefulSet has. */
    public Builder toBuilder() {
        Builder builder = new Builder(metadata);
        builder.replicas = replicas;
        builder.firstOrdinal = firstOrdinal;
        builder.serviceName = serviceName;
        builder.parallel = parallel;
        builder.template = template;
        return builder;
    }

    /** Builds a {@link StatefulSet}. By default it has one Pod, numbered 0, without a Service and labels. Not thread-safe. */
    public static final class Builder extends ObjectBuilder<Builder> {
        private int replicas = 1;
        private int firstOrdinal;
        private Optional<String> serviceName = Optional.empty();
        private boolean parallel;
        private PodTemplate template = PodTemplate.of(Labels.NONE);

        private Builder(Metadata metadata) {
            super(metadata);
        }

        @Override
        Builder self() {
            return this;
        }

        /** Sets the number of Pods, 0 or more; 1 by default. */
        public Builder replicas(int count) {
            replicas = count;
            return this;
        }

        /** Sets the number of the first Pod, {@code spec.ordinals.start}, 0 or more; 0 by default. */
        public Builder firstOrdinal(int number) {
            firstOrdinal = number;
            return this;
        }

        /** Sets the name of the headless Service that names the Pods. */
        public Builder service(String name) {
            serviceName = Optional.of(Objects.requireNonNull(name, "service"));
            return this;
        }

        /** Sets whether the controller makes all Pods at once, {@code spec.podManagementPolicy: Parallel}; false by default. */
        public Builder parallel(boolean value) {
            parallel = value;
            return this;
        }

        /** Sets the template of the Pods. */
        public Builder template(PodTemplate value) {
            template = Objects.requireNonNull(value, "template");
            return this;
        }

        /**
         * Returns the StatefulSet.
         *
         * @throws InvalidFieldException if a number is negative
         */
        public StatefulSet build() {
            return new StatefulSet(metadata, replicas, firstOrdinal, serviceName, parallel, template);
        }
    }
}
