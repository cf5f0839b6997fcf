package io.k8sdns.cluster;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The Pods that are assumed to be ready, among those whose manifest has no conditions. A name is that of a
 * Pod or of the workload that makes it, alone or as {@code NAMESPACE/NAME}; of two names that mean one Pod, the Pod's own
 * counts, then the one with the namespace.
 *
 * @param others whether Pods without an assumption of their own are ready
 * @param byName the assumptions for single names; copied
 */
public record Readiness(boolean others, Map<String, Boolean> byName) {
    /** Every Pod is ready. */
    public static final Readiness ALL = new Readiness(true, Map.of());

    /** No Pod is ready. */
    public static final Readiness NONE = new Readiness(false, Map.of());

    /** Copies the assumptions. */
    public Readiness {
        byName = Copies.map("byName", byName);
    }

    /**
     * Returns the same assumptions and one for a Pod or workload.
     *
     * @param name {@code NAME} or {@code NAMESPACE/NAME}
     * @param ready whether it is ready
     */
    public Readiness with(String name, boolean ready) {
        Map<String, Boolean> all = new HashMap<>(byName);
        all.put(Objects.requireNonNull(name, "name"), ready);
        return new Readiness(others, all);
    }

    /**
     * Returns the name whose assumption counts for a Pod; empty if none of the names means it.
     *
     * @param namespace the namespace of the Pod
     * @param pod the name of the Pod
     * @param workload the name of its workload, if it has one
     */
    @Internal
    public Optional<String> nameFor(String namespace, String pod, Optional<String> workload) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(pod, "pod");
        Objects.requireNonNull(workload, "workload");
        return Stream.concat(Stream.of(pod), workload.stream())
                .flatMap(name -> Stream.of(namespace + "/" + name, name))
                .filter(byName::containsKey)
                .findFirst();
    }
}
