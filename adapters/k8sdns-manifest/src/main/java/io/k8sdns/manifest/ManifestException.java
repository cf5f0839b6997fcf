package io.k8sdns.manifest;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Diagnostic;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown for manifests that {@link ManifestOptions#strict()} refuses, or a file without a Pod; the message lists the
 * problems.
 */
public final class ManifestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Diagnostic> diagnostics;

    /**
     * Makes an exception whose message lists all problems, one on each line.
     *
     * @param diagnostics at least one
     */
    public ManifestException(List<Diagnostic> diagnostics) {
        super(message(Copies.list("diagnostics", diagnostics)));
        this.diagnostics = Copies.list("diagnostics", diagnostics);
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
}
