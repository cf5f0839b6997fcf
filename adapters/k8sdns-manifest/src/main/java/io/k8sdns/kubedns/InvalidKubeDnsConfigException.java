package io.k8sdns.kubedns;

import io.k8sdns.arguments.Copies;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** Thrown for an invalid configuration of kube-dns, with all errors. */
public final class InvalidKubeDnsConfigException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final transient List<EntryError> errors;

    /**
     * The error of one entry.
     *
     * @param key the key of the ConfigMap, for example {@code stubDomains}
     * @param entry the path of the entry, for example {@code stubDomains["acme.local"][0]}; the key if the whole value
     *     is invalid
     * @param problem the value, the reason, and a valid alternative
     */
    public record EntryError(String key, String entry, String problem) {
        /** Checks that nothing is null. */
        public EntryError {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(entry, "entry");
            Objects.requireNonNull(problem, "problem");
        }

        /** Returns one line: the path, a colon, the problem. */
        @Override
        public String toString() {
            return entry + ": " + problem;
        }
    }

    /**
     * Makes the exception.
     *
     * @param errors all errors, key by key; at least one
     */
    public InvalidKubeDnsConfigException(List<EntryError> errors) {
        super("the configuration of kube-dns is refused: "
                + Copies.list("errors", errors).stream()
                        .map(EntryError::toString)
                        .collect(Collectors.joining("; ")));
        this.errors = Copies.list("errors", errors);
    }

    /** Returns all errors, key by key in the order of {@link KubeDnsConfig}. */
    public List<EntryError> errors() {
        return errors;
    }
}
