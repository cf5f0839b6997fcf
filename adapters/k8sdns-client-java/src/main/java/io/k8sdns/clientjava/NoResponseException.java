package io.k8sdns.clientjava;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * Thrown when no trusted API server has responded in the time of {@link ApiClusterSource.Builder#responseWithin}: its host is unknown,
 * connections are refused, lost or not answered, or TLS fails. The cause is the last failure.
 */
public final class NoResponseException extends TimeoutException {
    private static final long serialVersionUID = 1;

    NoResponseException(Duration limit, IOException failure) {
        super("no response within " + limit + ": " + failure.getMessage());
        initCause(failure);
    }
}
