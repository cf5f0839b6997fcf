package io.k8sdns.model;

import java.util.Objects;

/** A value that the field of a Kubernetes object may not hold; names the field by its path in the manifest. */
public final class InvalidFieldException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String field;
    private final String problem;

    /**
     * Says what is wrong with which field.
     *
     * @param field the path of the field, for example {@code spec.ports[1].name}
     * @param problem what is wrong, with the value
     */
    public InvalidFieldException(String field, String problem) {
        super(Objects.requireNonNull(field, "field") + ": " + Objects.requireNonNull(problem, "problem"));
        this.field = field;
        this.problem = problem;
    }

    /** Returns the path of the field, for example {@code spec.ports[1].name}. */
    public String field() {
        return field;
    }

    /** Returns what is wrong, with the value. */
    public String problem() {
        return problem;
    }
}
