package io.k8sdns.json;

/** A response of an API server that is no JSON, or not what was asked for; the message says where and what. */
public final class InvalidApiResponseException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidApiResponseException(String problem) {
        super(problem);
    }
}
