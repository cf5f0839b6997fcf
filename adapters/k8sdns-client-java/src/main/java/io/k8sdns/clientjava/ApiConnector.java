package io.k8sdns.clientjava;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/**
 * Provides address, credentials and TLS of an API server. An extension point for credentials that expire and that the client does
 * not renew itself, such as tokens that a program prints or certificates in files.
 */
@FunctionalInterface
public interface ApiConnector {
    /**
     * Makes a client with the current credentials. Called when a source starts, and again when the server has refused the last
     * client's credentials (401), TLS has failed, or one of the {@link #files} has changed while requests fail. Called by one
     * thread at a time; may block.
     *
     * @throws IOException if there are no credentials; the source calls again later
     */
    ApiClient connect() throws IOException;

    /**
     * Returns the files that {@link #connect} reads: a token, certificates, keys, the file that names them. While requests fail, a
     * source checks twice a second whether the time, size or identity of one of these files has changed since before the last
     * {@link #connect}. If so, it makes a new client, and the wait for the next request ends within 100 ms unless the server
     * requested it (Retry-After). Called on any thread, also while {@link #connect} runs. By default there are no files.
     */
    default Set<Path> files() {
        return Set.of();
    }
}
