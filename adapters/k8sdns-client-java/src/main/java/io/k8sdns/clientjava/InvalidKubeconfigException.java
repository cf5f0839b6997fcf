package io.k8sdns.clientjava;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a kubeconfig file does not describe a usable cluster: it is malformed, a field has a wrong value, or its
 * credentials cannot be read or used. The message names the file, the context and the field, and holds no
 * credentials.
 */
public final class InvalidKubeconfigException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final transient Path file;
    private final transient Optional<String> field;

    InvalidKubeconfigException(Path file, Optional<String> field, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.file = file;
        this.field = field;
    }

    /**
     * Returns the kubeconfig file: of several that are merged, the one with the cluster or user that is not usable, otherwise the
     * first.
     */
    public Path file() {
        return file;
    }

    /**
     * Returns the name of the field, for example {@code certificate-authority}, or {@code contexts} if there is no
     * context, or not the chosen one; empty if the file is not a kubeconfig at all.
     */
    public Optional<String> field() {
        return field;
    }
}
