package io.k8sdns.resolvconf;

import java.util.Objects;

/**
 * What an API server says against one field of a Pod.
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
