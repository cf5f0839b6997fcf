package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A Node, the machine that Pods run on; read for its addresses, its topology zone and its taints only.
 *
 * @param name the name, a DNS-1123 subdomain
 * @param uid the UID that the API server assigned; empty for an object that was never stored in an API server
 * @param labels the labels
 * @param internalIps the addresses of type {@code InternalIP}, in the object's order
 * @param externalIps the addresses of type {@code ExternalIP}, in the object's order
 * @param taints the taints, in the object's order
 */
public record Node(
        String name,
        Optional<String> uid,
        Labels labels,
        List<IpAddress> internalIps,
        List<IpAddress> externalIps,
        List<Taint> taints)
        implements ClusterObject {
    /** The kind. */
    public static final String KIND = "Node";

    /**
     * A taint, which keeps Pods that do not tolerate it from a Node.
     *
     * @param key the key; any text is accepted
     * @param value the value; may be empty
     * @param effect the effect as written, for example {@code NoSchedule}
     */
    public record Taint(String key, String value, String effect) {
        /** Checks that nothing is null. */
        @Internal
        public Taint {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(value, "value");
            Objects.requireNonNull(effect, "effect");
        }

        /** Returns whether the effect keeps Pods away; {@code PreferNoSchedule} does not. */
        public boolean repels() {
            return effect.equals("NoSchedule") || effect.equals("NoExecute");
        }

        /** Returns the taint as {@code kubectl taint} reads it, for example {@code dedicated=db:NoSchedule}. */
        @Override
        public String toString() {
            return key + (value.isEmpty() ? "" : "=" + value) + ":" + effect;
        }
    }

    /**
     * Checks the name and copies the lists.
     *
     * @throws InvalidFieldException if the name is not a DNS subdomain
     */
    @Internal
    public Node {
        Objects.requireNonNull(name, "name");
        FieldChecks.requireDnsSubdomain("metadata.name", name);
        Objects.requireNonNull(uid, "uid");
        Objects.requireNonNull(labels, "labels");
        internalIps = Copies.list("internalIps", internalIps);
        externalIps = Copies.list("externalIps", externalIps);
        taints = Copies.list("taints", taints);
    }

    /** Returns the topology zone, from {@code topology.kubernetes.io/zone} or the label it replaced. */
    public Optional<String> topologyZone() {
        return labels.get("topology.kubernetes.io/zone").or(() -> labels.get("failure-domain.beta.kubernetes.io/zone"));
    }

    /**
     * Returns the addresses that a Pod on the network of the Node has: the first one, and the first one of the other family. Internal addresses
     * are before external ones ({@code GetNodeHostIPs} of {@code k8s.io/component-helpers}).
     */
    public List<IpAddress> hostIps() {
        List<IpAddress> chosen = new ArrayList<>();
        Set<IpFamily> families = EnumSet.noneOf(IpFamily.class);
        Stream.concat(internalIps.stream(), externalIps.stream())
                .filter(address -> families.add(address.family()))
                .forEachOrdered(chosen::add);
        return chosen;
    }

    @Override
    public ObjectRef ref() {
        return ObjectRef.of(KIND, name);
    }

    /**
     * Returns a Node with these internal addresses and nothing else.
     *
     * @param internalIps IP addresses, usually one of each family
     * @throws IllegalArgumentException if one is not an IP address
     * @throws InvalidFieldException if the name is not a DNS subdomain
     */
    public static Node of(String name, String... internalIps) {
        return builder(name).internalIps(internalIps).build();
    }

    /**
     * Returns a builder of a Node.
     *
     * @param name the name, a DNS-1123 subdomain; checked when the Node is built
     */
    public static Builder builder(String name) {
        return new Builder(Objects.requireNonNull(name, "name"));
    }

    /** Returns a builder with everything that this Node has. */
    public Builder toBuilder() {
        Builder builder = new Builder(name);
        builder.uid = uid;
        builder.labels = labels;
        builder.internalIps = internalIps;
        builder.externalIps = externalIps;
        builder.taints = taints;
        return builder;
    }

    /** Builds a {@link Node}. A field that is not set is absent. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private Optional<String> uid = Optional.empty();
        private Labels labels = Labels.NONE;
        private List<IpAddress> internalIps = List.of();
        private List<IpAddress> externalIps = List.of();
        private List<Taint> taints = List.of();

        private Builder(String name) {
            this.name = name;
        }

        /** Sets the UID that the API server assigned. */
        public Builder uid(String value) {
            uid = Optional.of(Objects.requireNonNull(value, "uid"));
            return this;
        }

        /** Sets the labels, in place of those set before. */
        public Builder labels(Labels all) {
            labels = Objects.requireNonNull(all, "labels");
            return this;
        }

        /**
         * Sets the labels, in place of those set before.
         *
         * @param all keys and values joined by commas, for example {@code topology.kubernetes.io/zone=eu-west-1a}
         * @throws InvalidFieldException if one of them is not a label
         */
        public Builder labels(String all) {
            return labels(Labels.parse(Objects.requireNonNull(all, "labels")));
        }

        /**
         * Sets the addresses of type {@code InternalIP}, in place of those set before.
         *
         * @param addresses the addresses; copied
         */
        public Builder internalIps(List<IpAddress> addresses) {
            internalIps = Copies.list("internalIps", addresses);
            return this;
        }

        /**
         * Sets the addresses of type {@code InternalIP}, in place of those set before.
         *
         * @param addresses IP addresses
         * @throws IllegalArgumentException if one is not an IP address
         */
        public Builder internalIps(String... addresses) {
            internalIps = IpAddress.parseAll("internalIps", addresses);
            return this;
        }

        /**
         * Sets the addresses of type {@code ExternalIP}, in place of those set before.
         *
         * @param addresses the addresses; copied
         */
        public Builder externalIps(List<IpAddress> addresses) {
            externalIps = Copies.list("externalIps", addresses);
            return this;
        }

        /**
         * Sets the addresses of type {@code ExternalIP}, in place of those set before.
         *
         * @param addresses IP addresses
         * @throws IllegalArgumentException if one is not an IP address
         */
        public Builder externalIps(String... addresses) {
            externalIps = IpAddress.parseAll("externalIps", addresses);
            return this;
        }

        /**
         * Sets the taints, in place of those set before.
         *
         * @param all the taints; copied
         */
        public Builder taints(List<Taint> all) {
            taints = Copies.list("taints", all);
            return this;
        }

        /**
         * Returns the Node.
         *
         * @throws InvalidFieldException if the name is not a DNS subdomain
         */
        public Node build() {
            return new Node(name, uid, labels, internalIps, externalIps, taints);
        }
    }
}
