package io.k8sdns.clientjava;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/**
 * Provides address, credentials and TLS of an API server. An extension point for credentials that expire and that the client does
 * not renew itself, as those of a kubeconfig (tokens of programs, certificates in files).
 */
@FunctionalInterface
public interface ApiConnector {
    /**
     * Makes a client with the current credentials. Called when a source starts, and again when the server has refused the last
     * client's credentials (401), TLS has failed, or one of the {@link #files} has changed while requests fail; on one thread at a
     * time, which may block.
     *
     * @throws IOException if there are no credentials; the source calls again later
     */
    ApiClient connect() throws IOException;

    /**
     * Returns the files that {@link #connect} reads: a token, certificates, keys, the file that names them. While requests
     * fail, a source compares the time, size and identity of these files twice a second with those from before the last
     * {@link #connect}; if one differs, a new client is made, and the wait between two requests ends within 100 ms unless the
     * server asked for it (Retry-After). Called on any
     * thread, also while {@link #connect} runs. None unless overridden.
     */
    default Set<Path> files() {
        return Set.of();
    }
}
