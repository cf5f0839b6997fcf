package io.k8sdns.federation;

/**
 * Reads the values of a {@link FederationStore}. An extension point: {@code io.k8sdns.federation.store.FederationJson}, in a module
 * of its own, reads the JSON of the federation document. Thread-safe.
 */
public interface FederationFormat {
    /**
     * Reads the value of a key {@code /FEDERATION/NAMESPACE/SERVICE/CLUSTER}.
     *
     * @throws IllegalArgumentException if it is no shard; the message says what is wrong
     */
    Shard shard(String value);

    /**
     * Reads the value of a key {@code /_clusters/CLUSTER}.
     *
     * @throws IllegalArgumentException if it is no location; the message says what is wrong
     */
    ClusterLocation cluster(String value);
}
