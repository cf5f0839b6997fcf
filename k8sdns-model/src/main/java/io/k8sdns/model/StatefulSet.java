package io.k8sdns.model;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A StatefulSet ({@code apps/v1}), read for the names of its Pods: nearly every real headless Service belongs to one.
 *
 * <p>No {@link ClusterObject}: DNS sees its Pods only.
 *
 * @param metadata namespace, name, UID, labels
 * @param replicas the number of Pods; 1 where the manifest does not say
 * @param firstOrdinal the number of the first Pod, {@code spec.ordinals.start} (KEP-3335); 0 where it does not say
 * @param serviceName the headless Service that names the Pods, if there is one
 * @param template what the Pods are made from
 */
public record StatefulSet(
        Metadata metadata, int replicas, int firstOrdinal, Optional<String> serviceName, PodTemplate template) {
    /** The kind. */
    public static final String KIND = "StatefulSet";

    /**
     * Checks the numbers.
     *
     * @throws InvalidFieldException if one is negative
     */
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

    /** Returns kind, namespace and name. */
    public ObjectRef ref() {
        return ObjectRef.of(KIND, metadata.namespace(), metadata.name());
    }

    /**
     * Returns one of the Pods as the StatefulSet controller makes it, before any scheduler or kubelet has seen it: its
     * hostname is its name, its subdomain the service name, its status empty.
     *
     * @param index which one, from 0 to {@code replicas - 1}; its ordinal is {@code firstOrdinal + index}
     * @throws InvalidFieldException if Kubernetes would refuse that Pod: its name is no DNS label, which the hostname
     *     must be, or the service name is none
     */
    public Pod pod(int index) {
        Objects.checkIndex(index, replicas);
        String ordinal = Long.toString((long) firstOrdinal + index);
        String podName = metadata.name() + "-" + ordinal;
        KubernetesNames.requireDnsLabel("metadata.name", podName);
        Map<String, String> labels = new TreeMap<>(template.labels().values());
        labels.put("statefulset.kubernetes.io/pod-name", podName);
        labels.put("apps.kubernetes.io/pod-index", ordinal);
        Pod.Builder pod = Pod.builder(metadata.namespace(), podName)
                .labels(new Labels(labels))
                .hostNetwork(template.hostNetwork())
                .hostname(podName)
                .ports(template.ports());
        serviceName.ifPresent(pod::subdomain);
        template.nodeName().ifPresent(pod::nodeName);
        return pod.build();
    }
}
