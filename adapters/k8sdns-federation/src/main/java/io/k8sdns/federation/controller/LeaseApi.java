package io.k8sdns.federation.controller;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The Leases ({@code coordination.k8s.io/v1}) of one cluster at its API server, to read and to write: an extension point for a
 * {@link FederationController} that creates shards. It holds one Lease in each cluster, and writes Services there while it does.
 * Objects are JSON texts with every field that the API server has.
 *
 * <p>No method blocks. A stage fails if the API server does not answer or refuses the request, for example for a missing right or
 * namespace; the message of its exception is shown to a person. Requests should not wait for those of a {@link ServiceApi}: a Lease
 * that is renewed late is lost.
 */
public interface LeaseApi extends AutoCloseable {
    /** Completes with a Lease; empty if there is none of this name, or no such namespace. */
    CompletionStage<Optional<String>> get(String namespace, String name);

    /**
     * Creates a Lease.
     *
     * @param json the Lease; its {@code metadata.namespace} is the namespace
     * @return false if there is a Lease of this name
     */
    CompletionStage<Boolean> create(String namespace, String json);

    /**
     * Replaces a Lease.
     *
     * @param json the new Lease; its {@code metadata.resourceVersion} is that of the one to replace
     * @return false if there is another version by now, or none
     */
    CompletionStage<Boolean> replace(String namespace, String name, String json);

    /** Ends; requests that are under way may fail. Does not block. */
    @Override
    void close();
}
