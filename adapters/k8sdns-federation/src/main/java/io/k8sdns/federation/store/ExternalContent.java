package io.k8sdns.federation.store;

import io.k8sdns.arguments.Copies;
import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.FederationFormat;
import io.k8sdns.federation.FederationKey;
import io.k8sdns.federation.FederationKey.ServiceKey;
import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.Shard;
import io.k8sdns.federation.external.ExternalRecords;
import io.k8sdns.federation.external.FederatedService;
import io.k8sdns.federation.external.WantedRecords;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The Services of one federation and the locations of the clusters, from which {@link ExternalRecords} derives records. Follows a
 * {@link FederationStore}, and keeps the last content while the store does not answer.
 *
 * <p>A value that cannot be read hides only its own shard. A cluster without a location in the store has the location that
 * {@link #clusters} or its shard gives.
 *
 * <p>Thread-safe.
 */
public final class ExternalContent implements FederationStore.Listener {
    private final String federation;
    private final FederationFormat format;
    private final Runnable changed;
    private final BiConsumer<? super String, ? super String> skipped;

    // Guarded by this.
    private final Map<ServiceKey, Map<String, Shard>> services = new HashMap<>();
    private final Map<String, ClusterLocation> registry = new HashMap<>();
    private Map<String, ClusterLocation> given = Map.of();
    private Map<String, String> reasons = new HashMap<>();
    private boolean isReady;

    private ExternalContent(Builder builder) {
        federation = builder.federation;
        format = builder.format;
        changed = builder.changed;
        skipped = builder.skipped;
    }

    /**
     * Returns a builder of content that is empty until it watches a store ({@link FederationStore#watch}).
     *
     * @param federation the federation of the Services
     * @param format reads the values of the store
     * @throws IllegalArgumentException if the name is not a DNS-1123 label
     */
    public static Builder builder(String federation, FederationFormat format) {
        return new Builder(federation, format);
    }

    // ---- the store ----

    @Override
    public void content(Map<String, FederationStore.Entry> entries) {
        Map<String, Optional<FederationStore.Entry>> all = new HashMap<>();
        entries.forEach((key, entry) -> all.put(key, Optional.of(entry)));
        Map<String, String> found;
        synchronized (this) {
            Map<String, String> before = reasons;
            services.clear();
            registry.clear();
            reasons = new HashMap<>();
            found = apply(all);
            found.entrySet().removeIf(one -> one.getValue().equals(before.get(one.getKey())));
            isReady = true;
        }
        new TreeMap<>(found).forEach(skipped);
        changed.run();
    }

    @Override
    public void changed(Map<String, Optional<FederationStore.Entry>> changes) {
        Map<String, String> found;
        synchronized (this) {
            found = apply(changes);
        }
        new TreeMap<>(found).forEach(skipped);
        changed.run();
    }

    @Override
    public void stale() {}

    @Override
    public void upToDate() {}

    /**
     * Sets the locations of clusters that have none in the store.
     *
     * @param locations the locations by the names of the clusters; those of the store take precedence
     */
    public void clusters(Map<String, ClusterLocation> locations) {
        synchronized (this) {
            given = Copies.map("locations", locations);
        }
        changed.run();
    }

    /** Applies changes, and returns the skipped keys with the reasons. */
    private Map<String, String> apply(Map<String, Optional<FederationStore.Entry>> changes) {
        Map<String, String> found = new HashMap<>();
        changes.forEach((text, entry) -> {
            Optional<String> why = apply(text, entry);
            reasons.remove(text);
            if (why.isPresent()) {
                reasons.put(text, why.get());
                found.put(text, why.get());
            }
        });
        return found;
    }

    private Optional<String> apply(String text, Optional<FederationStore.Entry> entry) {
        FederationKey key;
        try {
            key = FederationKey.parse(text);
        } catch (IllegalArgumentException other) {
            // Not a key of any federation. The source of the store reports it.
            return Optional.empty();
        }
        if (key instanceof FederationKey.OfCluster cluster) {
            registry.remove(cluster.cluster());
        } else if (key instanceof FederationKey.OfShard shard) {
            remove(shard);
        }
        if (entry.isEmpty()) {
            return Optional.empty();
        }
        try {
            put(key, entry.get().value());
            return Optional.empty();
        } catch (RuntimeException | StackOverflowError invalid) {
            return Optional.of(Objects.requireNonNullElse(
                    invalid.getMessage(), invalid.getClass().getSimpleName()));
        }
    }

    private void put(FederationKey key, String value) {
        if (key instanceof FederationKey.OfCluster cluster) {
            registry.put(cluster.cluster(), Objects.requireNonNull(format.cluster(value), "no location"));
        } else if (key instanceof FederationKey.OfShard shard
                && shard.service().federation().equals(federation)) {
            Shard parsed = Objects.requireNonNull(format.shard(value), "no shard");
            services.computeIfAbsent(shard.service(), any -> new TreeMap<>()).put(shard.cluster(), parsed);
        }
    }

    private void remove(FederationKey.OfShard key) {
        services.computeIfPresent(key.service(), (service, shards) -> {
            shards.remove(key.cluster());
            return shards.isEmpty() ? null : shards;
        });
    }

    // ---- the content ----

    /** Returns whether the store's content has been received. Before that, no record may be removed from a zone. */
    public synchronized boolean isReady() {
        return isReady;
    }

    /** Returns whether the federation has no shard. */
    public synchronized boolean isEmpty() {
        return services.isEmpty();
    }

    /** Returns the records of all Services of the federation. */
    public WantedRecords records(ExternalRecords rules) {
        Objects.requireNonNull(rules, "rules");
        List<FederatedService> all = new ArrayList<>();
        Map<String, ClusterLocation> clusters;
        synchronized (this) {
            services.forEach((key, shards) -> all.add(FederatedService.builder(key.namespace(), key.service())
                    .shards(shards)
                    .build()));
            clusters = new HashMap<>(given);
            registry.forEach((cluster, location) -> {
                if (!location.equals(ClusterLocation.UNKNOWN)) {
                    clusters.put(cluster, location);
                }
            });
        }
        return rules.of(all, clusters);
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder {
        private final String federation;
        private final FederationFormat format;
        private Runnable changed = () -> {};
        private BiConsumer<? super String, ? super String> skipped = (key, reason) -> {};

        private Builder(String federation, FederationFormat format) {
            if (!KubernetesNames.isDnsLabel(Objects.requireNonNull(federation, "federation"))) {
                throw new IllegalArgumentException(
                        "not the name of a federation (a DNS-1123 label): \"" + federation + "\"");
            }
            this.federation = federation;
            this.format = Objects.requireNonNull(format, "format");
        }

        /**
         * Sets the listener that is called after each change; none by default.
         *
         * @param value called on the store's thread, or that of {@link ExternalContent#clusters}; must be quick
         */
        public Builder changed(Runnable value) {
            changed = Objects.requireNonNull(value, "changed");
            return this;
        }

        /**
         * Sets the receiver of the key and the reason for each value that cannot be read; none by default.
         *
         * @param value called on the store's thread; must be quick
         */
        public Builder skipped(BiConsumer<? super String, ? super String> value) {
            skipped = Objects.requireNonNull(value, "skipped");
            return this;
        }

        /** Returns the content, which is empty until it follows a store. */
        public ExternalContent build() {
            return new ExternalContent(this);
        }
    }
}
