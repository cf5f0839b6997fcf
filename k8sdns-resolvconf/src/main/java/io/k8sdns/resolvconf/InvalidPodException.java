package io.k8sdns.resolvconf;

import io.k8sdns.arguments.Copies;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** Thrown for a Pod that an API server would refuse for its DNS fields, with all of the server's errors. */
public final class InvalidPodException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final transient List<FieldError> errors;

    /**
     * An API server's error about one field of a Pod.
     *
     * @param field the path of the field, for example {@code spec.dnsConfig.nameservers[0]}
     * @param problem the API server's words without the path, for example {@code Required value: must not be empty}; values
     *     are quoted up to 1000 characters
     */
    public record FieldError(String field, String problem) {
        /** Checks that nothing is null. */
        public FieldError {
            Objects.requireNonNull(field, "field");
            Objects.requireNonNull(problem, "problem");
        }

        static FieldError required(String field, String detail) {
            return new FieldError(field, "Required value: " + detail);
        }

        static FieldError invalid(String field, String value, String detail) {
            return new FieldError(field, "Invalid value: " + Quoted.of(value) + ": " + detail);
        }

        /** Returns the line as an API server prints it: the path, a colon, the problem. */
        @Override
        public String toString() {
            return field + ": " + problem;
        }
    }

    /**
     * Makes an exception with the errors of a Pod.
     *
     * @param pod the name of the Pod
     * @param errors the errors, in the API server's order; at least one
     */
    public InvalidPodException(String pod, List<FieldError> errors) {
        super("Pod " + Quoted.of(Objects.requireNonNull(pod, "pod")) + " is invalid: "
                + Copies.list("errors", errors).stream()
                        .map(FieldError::toString)
                        .collect(Collectors.joining("; ")));
        this.errors = Copies.list("errors", errors);
    }

    /** Returns the errors, in the API server's order. */
    public List<FieldError> errors() {
        return errors;
    }
}
