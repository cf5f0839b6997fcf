package io.k8sdns.clientjava;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;

/**
 * Says how to reach the API server: address, credentials and TLS. An extension point for credentials that expire without
 * being renewed by the client itself, as those of a kubeconfig do (tokens of programs, certificates in files).
 */
@FunctionalInterface
public interface ApiConnector {
    /**
     * Makes a client with the credentials as they are now. Called when a source starts, and again when the server has refused
     * the last client's credentials (401) or TLS has failed; on one thread at a time, which may wait.
     *
     * @throws IOException if they cannot be had; it is tried again later
     */
    ApiClient connect() throws IOException;
}
