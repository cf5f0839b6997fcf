package io.k8sdns.clientjava;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/**
 * Says how to reach the API server: address, credentials and TLS. An extension point for credentials that expire without
 * being renewed by the client itself, as those of a kubeconfig do (tokens of programs, certificates in files).
 */
@FunctionalInterface
public interface ApiConnector {
    /**
     * Makes a client with the credentials as they are now. Called when a source starts, and again when the server has refused
     * the last client's credentials (401), TLS has failed, or one of the {@link #files} has changed while requests fail; on
     * one thread at a time, which may wait.
     *
     * @throws IOException if they cannot be had; it is tried again later
     */
    ApiClient connect() throws IOException;

    /**
     * Returns the files that {@link #connect} reads: a token, certificates, keys, the file that names them. While requests
     * fail, a source compares the time, size and identity of these files twice a second with those from before the last
     * {@link #connect}; if one differs, the wait between two requests ends at once and a new client is made. Called on any
     * thread, also while {@link #connect} runs. None unless overridden.
     */
    default Set<Path> files() {
        return Set.of();
    }
}
