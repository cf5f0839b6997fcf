package io.k8sdns.federation;

/**
 * Parses the values of a {@link FederationStore}. An extension point: {@code FederationJson} in the module {@code
 * k8sdns-federation} parses the JSON of the design document. Implementations are thread-safe.
 */
public interface FederationFormat {
    /**
     * Parses the value of a key {@code /FEDERATION/NAMESPACE/SERVICE/CLUSTER}.
     *
     * @throws IllegalArgumentException if it is not a shard; the message contains the reason
     */
    Shard shard(String value);

    /**
     * Parses the value of a key {@code /_clusters/CLUSTER}.
     *
     * @throws IllegalArgumentException if it is not a location; the message contains the reason
     */
    ClusterLocation cluster(String value);
}
