package io.k8sdns.json;

/**
 * Thrown for a response of an API server that is not JSON, or of another type than requested; the message names the
 * place and the problem.
 */
public final class InvalidApiResponseException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidApiResponseException(String problem) {
        super(problem);
    }
}
