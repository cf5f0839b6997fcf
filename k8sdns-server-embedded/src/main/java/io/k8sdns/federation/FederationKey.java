package io.k8sdns.federation;

import io.k8sdns.arguments.KubernetesNames;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A key of a {@link FederationStore}, in the format of the design document.
 *
 * <pre>{@code
 * FederationKey key = FederationKey.parse("/prod/shop/cart/foo");
 * }</pre>
 */
public sealed interface FederationKey {
    /** The first part of registry keys. It is not a valid name of a federation. */
    String CLUSTERS = "_clusters";

    /** Returns the text of the key, for example {@code /prod/shop/cart/foo}. */
    String text();

    /**
     * A Service of a federation.
     *
     * @param federation the federation
     * @param namespace its namespace
     * @param service its name
     */
    record ServiceKey(String federation, String namespace, String service) {
        /** Checks that nothing is null. */
        public ServiceKey {
            Objects.requireNonNull(federation, "federation");
            Objects.requireNonNull(namespace, "namespace");
            Objects.requireNonNull(service, "service");
        }
    }

    /**
     * The key of a shard.
     *
     * @param service the Service of the shard
     * @param cluster the cluster of the shard
     */
    record OfShard(ServiceKey service, String cluster) implements FederationKey {
        /** Checks that nothing is null. */
        public OfShard {
            Objects.requireNonNull(service, "service");
            Objects.requireNonNull(cluster, "cluster");
        }

        @Override
        public String text() {
            return "/" + service.federation() + "/" + service.namespace() + "/" + service.service() + "/" + cluster;
        }
    }

    /**
     * The key of a cluster in the registry.
     *
     * @param cluster the cluster
     */
    record OfCluster(String cluster) implements FederationKey {
        /** Checks that the name is not null. */
        public OfCluster {
            Objects.requireNonNull(cluster, "cluster");
        }

        @Override
        public String text() {
            return "/" + CLUSTERS + "/" + cluster;
        }
    }

    /**
     * Parses a key.
     *
     * @throws IllegalArgumentException if it has another form
     */
    static FederationKey parse(String text) {
        String[] parts = Objects.requireNonNull(text, "text").split("/", -1);
        if (parts.length == 3 && parts[0].isEmpty() && parts[1].equals(CLUSTERS)) {
            return new OfCluster(requireClusterName(parts[2]));
        }
        if (parts.length != 5 || !parts[0].isEmpty()) {
            throw new IllegalArgumentException("not a key /FEDERATION/NAMESPACE/SERVICE/CLUSTER or /_clusters/CLUSTER");
        }
        return new OfShard(
                new ServiceKey(label("federation", parts[1]), label("namespace", parts[2]), label("service", parts[3])),
                requireClusterName(parts[4]));
    }

    private static String label(String what, String text) {
        if (!KubernetesNames.isDnsLabel(text)) {
            throw new IllegalArgumentException("not the name of a " + what + " (a DNS-1123 label): " + text);
        }
        return text;
    }

    /** Returns whether a text is a valid name of a cluster in lower case. */
    static boolean isClusterName(String text) {
        return SourceCluster.parse(Objects.requireNonNull(text, "text").getBytes(StandardCharsets.UTF_8))
                .filter(cluster -> cluster.name().equals(text))
                .isPresent();
    }

    /**
     * Returns the text if it is a valid name of a cluster in lower case.
     *
     * @throws IllegalArgumentException if it is not
     */
    static String requireClusterName(String text) {
        if (!isClusterName(text)) {
            throw new IllegalArgumentException("not the name of a cluster (a DNS-1123 subdomain): " + text);
        }
        return text;
    }
}
