package io.k8sdns.clientjava;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * Thrown when the API server has accepted no credentials in the time of {@link ApiClusterSource.Builder#responseWithin}: they cannot be
 * read, the program that prints them fails, or the server refuses them (401). The cause is the last failure.
 */
public final class InvalidCredentialsException extends TimeoutException {
    private static final long serialVersionUID = 1;

    InvalidCredentialsException(Duration limit, IOException failure) {
        super("no valid credentials within " + limit + ": " + failure.getMessage());
        initCause(failure);
    }
}
