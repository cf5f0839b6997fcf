package io.k8sdns.cli;

import java.util.Set;
import java.util.TreeSet;

/** The options of a file ({@link ConfigFile}) that an option of the command line replaces because the two exclude each other. */
final class ReplacedOptions {
    private static final Set<String> OF_MANIFESTS = with(ClusterOptions.Reading.longNames(), "--filename", "--watch");

    private static final Set<String> OF_CLUSTER =
            Set.of("--live", "--kubeconfig", "--context", "--in-cluster", "--stale-limit");

    private ReplacedOptions() {}

    /**
     * Returns the long names of the replaced options.
     *
     * @param option the long name of an option of the command line; {@code --filename} for manifests as parameters
     */
    static Set<String> by(String option) {
        return switch (option) {
            case "--filename" -> OF_CLUSTER;
            case "--live" -> with(OF_MANIFESTS, "--kubeconfig", "--in-cluster");
            case "--kubeconfig" -> with(OF_MANIFESTS, "--in-cluster");
            case "--in-cluster" -> with(OF_MANIFESTS, "--live", "--kubeconfig", "--context");
            case "--namespace" -> Set.of("--all-namespaces", "--namespace-labels");
            case "--namespace-labels" -> Set.of("--all-namespaces", "--namespace");
            case "--all-namespaces" -> Set.of("--namespace", "--namespace-labels");
            case "--no-endpoints" -> Set.of("--ignore-empty-services");
            case "--ignore-empty-services" -> Set.of("--no-endpoints");
            case "--quiet" -> Set.of("--log-level");
            case "--log-level" -> Set.of("--quiet");
            default -> Set.of();
        };
    }

    private static Set<String> with(Set<String> some, String... more) {
        Set<String> all = new TreeSet<>(some);
        all.addAll(Set.of(more));
        return all;
    }
}
