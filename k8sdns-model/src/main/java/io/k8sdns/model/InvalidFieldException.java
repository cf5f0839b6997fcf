package io.k8sdns.model;

import java.util.Objects;

/** Thrown if a field of a Kubernetes object may not hold its value; it names the path of the field in the manifest. */
public final class InvalidFieldException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String field;
    private final String problem;

    /**
     * Makes an exception that names a field and its problem.
     *
     * @param field the path of the field, for example {@code spec.ports[1].name}
     * @param problem the problem, with the value
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

    /** Returns the problem, with the value. */
    public String problem() {
        return problem;
    }
}
