package io.k8sdns.federation.external;

import io.k8sdns.arguments.Copies;
import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.federation.Shard;
import io.k8sdns.schema.NameSchema;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A federated Service of type LoadBalancer with its healthy shards, for clients outside of the clusters. Immutable.
 *
 * <p>A shard is healthy if it has a ready endpoint, as in the store of the federation. Only its external addresses, the host names
 * of its load balancer and its location are used.
 */
public final class FederatedService {
    private final String namespace;
    private final String service;
    private final SortedMap<String, Shard> shards;
    private final OptionalLong ttlSeconds;
    private final @Nullable String dnsPrefix;

    private FederatedService(Builder builder) {
        namespace = builder.namespace;
        service = builder.service;
        shards = Collections.unmodifiableSortedMap(new TreeMap<>(builder.shards));
        ttlSeconds = builder.ttlSeconds;
        dnsPrefix = builder.dnsPrefix;
    }

    /**
     * Returns a builder of a Service without shards.
     *
     * @param namespace a DNS-1123 label
     * @param service a DNS-1123 label
     * @throws IllegalArgumentException if one is not a DNS-1123 label
     */
    public static Builder builder(String namespace, String service) {
        return new Builder(label("namespace", namespace), label("service", service));
    }

    private static String label(String what, String text) {
        if (!KubernetesNames.isDnsLabel(Objects.requireNonNull(text, what))) {
            throw new IllegalArgumentException("not the name of a " + what + " (a DNS-1123 label): \"" + text + "\"");
        }
        return text;
    }

    /** Returns the namespace. */
    public String namespace() {
        return namespace;
    }

    /** Returns the name of the Service. */
    public String service() {
        return service;
    }

    /** Returns the healthy shards by their clusters. */
    public SortedMap<String, Shard> shards() {
        return shards;
    }

    /** Returns the TTL of its records in seconds; empty for the TTL of {@link ExternalRecords}. */
    public OptionalLong ttlSeconds() {
        return ttlSeconds;
    }

    /** Returns the prefix of an additional name {@code PREFIX.SUFFIX}, a CNAME to the global name; empty if there is none. */
    public Optional<String> dnsPrefix() {
        return Optional.ofNullable(dnsPrefix);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FederatedService that
                && namespace.equals(that.namespace)
                && service.equals(that.service)
                && shards.equals(that.shards)
                && ttlSeconds.equals(that.ttlSeconds)
                && Objects.equals(dnsPrefix, that.dnsPrefix);
    }

    @Override
    public int hashCode() {
        return Objects.hash(namespace, service, shards, ttlSeconds, dnsPrefix);
    }

    /** Returns namespace, name and shards for logs. */
    @Override
    public String toString() {
        return namespace + "/" + service + " " + shards;
    }

    /** Collects the parts of a Service. Not thread-safe. */
    public static final class Builder {
        private final String namespace;
        private final String service;
        private final Map<String, Shard> shards = new TreeMap<>();
        private OptionalLong ttlSeconds = OptionalLong.empty();
        private @Nullable String dnsPrefix;

        private Builder(String namespace, String service) {
            this.namespace = namespace;
            this.service = service;
        }

        /** Adds the shard of a cluster, or replaces it. */
        public Builder shard(String cluster, Shard shard) {
            shards.put(Objects.requireNonNull(cluster, "cluster"), Objects.requireNonNull(shard, "shard"));
            return this;
        }

        /** Adds the shards of several clusters, or replaces them. */
        public Builder shards(Map<String, Shard> value) {
            shards.putAll(Copies.map("shards", value));
            return this;
        }

        /**
         * Sets the TTL of its records; the TTL of {@link ExternalRecords} by default.
         *
         * @param value 0 to 2147483647 seconds
         * @throws IllegalArgumentException if it is out of that range
         */
        public Builder ttlSeconds(long value) {
            ttlSeconds = OptionalLong.of(ExternalRecords.checkedTtl(value));
            return this;
        }

        /**
         * Sets the prefix of an additional name {@code PREFIX.SUFFIX}, a CNAME to the global name; none by default.
         *
         * @param value a DNS-1123 subdomain, for example {@code www}. Must not contain the label {@code svc}, which is reserved for
         *     the names of Services
         * @throws IllegalArgumentException if it has another form
         */
        public Builder dnsPrefix(String value) {
            if (!KubernetesNames.isDnsSubdomain(Objects.requireNonNull(value, "dnsPrefix"))) {
                throw new IllegalArgumentException("not a DNS-1123 subdomain: \"" + value + "\"");
            }
            if (List.of(value.split("\\.", -1)).contains(NameSchema.SERVICES)) {
                throw new IllegalArgumentException(
                        "could be the name of a Service, since it has the label svc: \"" + value + "\"");
            }
            dnsPrefix = value;
            return this;
        }

        /** Returns the Service. */
        public FederatedService build() {
            return new FederatedService(this);
        }
    }
}
