package io.k8sdns.clientjava;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * Thrown when the API server still forbids (403) to list objects that are needed after the time of {@link
 * ApiClusterSource.Builder#responseWithin}. The cause is the last failure.
 */
public final class MissingPermissionException extends TimeoutException {
    private static final long serialVersionUID = 1;

    MissingPermissionException(Duration limit, IOException failure) {
        super("no permission within " + limit + ": " + failure.getMessage());
        initCause(failure);
    }
}
