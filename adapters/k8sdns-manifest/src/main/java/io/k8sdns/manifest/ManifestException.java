package io.k8sdns.manifest;

import io.k8sdns.model.Diagnostic;
import java.util.List;

/** Manifests that {@link ManifestOptions#strict()} refuses, or a file without the Pod that was sought; says why. */
public final class ManifestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Diagnostic> diagnostics;

    /**
     * Says what is wrong.
     *
     * @param diagnostics at least one
     */
    public ManifestException(List<Diagnostic> diagnostics) {
        super(
                diagnostics.size() == 1
                        ? diagnostics.get(0).toString()
                        : diagnostics.get(0) + " (and " + (diagnostics.size() - 1) + " more)");
        this.diagnostics = List.copyOf(diagnostics);
    }

    /** Returns all that is wrong, in the order of the input. */
    public List<Diagnostic> diagnostics() {
        return diagnostics;
    }
}
