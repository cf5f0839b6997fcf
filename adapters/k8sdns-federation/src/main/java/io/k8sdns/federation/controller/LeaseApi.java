package io.k8sdns.federation.controller;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Reads and writes the Leases ({@code coordination.k8s.io/v1}) of one cluster: an extension point of the {@link FederationController},
 * which writes Services in a cluster only while it holds a Lease there. Objects are JSON texts with all fields of the API server.
 *
 * <p>No method blocks. A stage fails if the API server does not answer or refuses the request, for example for a missing permission or
 * namespace; users see the message of its exception. Requests should not wait for those of a {@link ServiceApi},
 * because a Lease that is renewed too late is lost.
 */
public interface LeaseApi extends AutoCloseable {
    /** Returns a Lease; empty if there is none of this name, or no such namespace. */
    CompletionStage<Optional<String>> get(String namespace, String name);

    /**
     * Creates a Lease.
     *
     * @param json the Lease; its {@code metadata.namespace} is the namespace
     * @return false if a Lease of this name exists
     */
    CompletionStage<Boolean> create(String namespace, String json);

    /**
     * Replaces a Lease.
     *
     * @param json the new Lease; its {@code metadata.resourceVersion} is that of the one to replace
     * @return false if the Lease has another version now, or does not exist
     */
    CompletionStage<Boolean> replace(String namespace, String name, String json);

    /** Closes the access; requests that are under way may fail. Does not block. */
    @Override
    void close();
}
