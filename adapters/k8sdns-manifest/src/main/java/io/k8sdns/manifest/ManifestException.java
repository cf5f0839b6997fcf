package io.k8sdns.manifest;

import io.k8sdns.model.Copies;
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
        super(message(Copies.list("diagnostics", diagnostics)));
        this.diagnostics = Copies.list("diagnostics", diagnostics);
    }

    private static String message(List<Diagnostic> diagnostics) {
        String first = diagnostics.get(0).toString();
        return diagnostics.size() == 1 ? first : first + " (and " + (diagnostics.size() - 1) + " more)";
    }

    /** Returns all that is wrong, in the order of the input. */
    public List<Diagnostic> diagnostics() {
        return diagnostics;
    }
}
