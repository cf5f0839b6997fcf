package io.k8sdns.resolvconf;

import io.k8sdns.model.Copies;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** A Pod that an API server would refuse for what it says about DNS, with everything it would say against it. */
public final class InvalidPodException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final transient List<FieldError> errors;

    /**
     * Says what is wrong.
     *
     * @param pod the name of the Pod
     * @param errors the findings, in the API server's order; at least one
     */
    public InvalidPodException(String pod, List<FieldError> errors) {
        super("Pod " + Quoted.of(Objects.requireNonNull(pod, "pod")) + " is invalid: "
                + Copies.list("errors", errors).stream()
                        .map(FieldError::toString)
                        .collect(Collectors.joining("; ")));
        this.errors = Copies.list("errors", errors);
    }

    /** Returns the findings, in the API server's order. */
    public List<FieldError> errors() {
        return errors;
    }
}
