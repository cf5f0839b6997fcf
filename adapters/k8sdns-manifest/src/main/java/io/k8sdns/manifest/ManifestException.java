package io.k8sdns.manifest;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Thrown for manifests that {@link ManifestOptions#strict()} refuses, or a file without a Pod; the message lists the
 * problems.
 */
public final class ManifestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Diagnostic> diagnostics;
    private final transient Set<IpAddress> inventedAddresses;
    private final transient Set<ObjectRef> inventedPods;

    /**
     * Makes an exception whose message lists all problems, one on each line.
     *
     * @param diagnostics at least one
     */
    public ManifestException(List<Diagnostic> diagnostics) {
        this(diagnostics, Set.of(), Set.of());
    }

    /**
     * Makes an exception as {@link #ManifestException(List)} does.
     *
     * @param inventedAddresses the addresses that no manifest holds, and that the problems may name
     * @param inventedPods the Pods whose names no manifest determines
     */
    ManifestException(List<Diagnostic> diagnostics, Set<IpAddress> inventedAddresses, Set<ObjectRef> inventedPods) {
        super(message(Copies.list("diagnostics", diagnostics)));
        this.diagnostics = Copies.list("diagnostics", diagnostics);
        this.inventedAddresses = Copies.set("inventedAddresses", inventedAddresses);
        this.inventedPods = Copies.set("inventedPods", inventedPods);
    }

    private static String message(List<Diagnostic> diagnostics) {
        return diagnostics.size() == 1
                ? diagnostics.get(0).toString()
                : diagnostics.stream()
                        .map(one -> "\n  " + one)
                        .collect(Collectors.joining("", diagnostics.size() + " problems in the manifests:", ""));
    }

    /** Returns all problems, in the order of the input. */
    public List<Diagnostic> diagnostics() {
        return diagnostics;
    }

    /** Returns the addresses that the problems may name although no manifest holds them, as {@link ManifestResult#inventedAddresses}. */
    public Set<IpAddress> inventedAddresses() {
        return inventedAddresses;
    }

    /** Returns the Pods that the problems may name although no manifest determines their names, as {@link ManifestResult#inventedPods}. */
    public Set<ObjectRef> inventedPods() {
        return inventedPods;
    }
}
