package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint of an {@link EndpointSlice}: addresses, readiness, and where it runs. Immutable.
 *
 * <pre>{@code
 * Endpoint plain = Endpoint.of("192.0.2.10");
 * Endpoint named = Endpoint.builder("192.0.2.11").hostname("db-1").ready(true).build();
 * Endpoint notReady = named.toBuilder().ready(false).build();
 * }</pre>
 */
public final class Endpoint {
    private final List<IpAddress> addresses;
    // Null if absent: an Optional for each field would be one more object for each of many endpoints.
    private final @Nullable Boolean ready;
    private final @Nullable String hostname;
    private final @Nullable ObjectRef targetRef;
    private final @Nullable String nodeName;
    private final @Nullable String topologyZone;

    private Endpoint(Builder builder) {
        addresses = builder.addresses;
        ready = builder.ready;
        hostname = builder.hostname;
        targetRef = builder.targetRef;
        nodeName = builder.nodeName;
        topologyZone = builder.topologyZone;
        if (addresses.isEmpty() || addresses.size() > 100) {
            throw new InvalidFieldException("addresses", "1 to 100 are allowed, not " + addresses.size());
        }
        if (hostname != null) {
            FieldChecks.requireDnsLabel("hostname", hostname);
        }
        if (nodeName != null) {
            FieldChecks.requireDnsSubdomain("nodeName", nodeName);
        }
    }

    /** Returns an endpoint with one address and nothing else; without the condition {@code ready} it counts as ready. */
    public static Endpoint of(IpAddress address) {
        return new Builder(List.of(Objects.requireNonNull(address, "address"))).build();
    }

    /**
     * Returns an endpoint with one address and nothing else; without the condition {@code ready} it counts as ready.
     *
     * @param address an IP address, for example {@code 192.0.2.10}
     * @throws IllegalArgumentException if it is not an IP address
     */
    public static Endpoint of(String address) {
        return of(IpAddress.parse(Objects.requireNonNull(address, "address")));
    }

    /**
     * Returns a builder of an endpoint.
     *
     * @param addresses IP addresses of one family, at least one
     * @throws IllegalArgumentException if one is not an IP address
     */
    public static Builder builder(String... addresses) {
        return new Builder(IpAddress.parseAll("addresses", addresses));
    }

    /**
     * Returns a builder of an endpoint.
     *
     * @param addresses addresses of one family, at least one
     */
    public static Builder builder(IpAddress... addresses) {
        return builder(Arrays.asList(Objects.requireNonNull(addresses, "addresses")));
    }

    /**
     * Returns a builder of an endpoint.
     *
     * @param addresses addresses of one family, at least one; copied
     */
    public static Builder builder(List<IpAddress> addresses) {
        return new Builder(Copies.list("addresses", addresses));
    }

    /** Returns a builder with everything that this endpoint has. */
    public Builder toBuilder() {
        Builder builder = new Builder(addresses);
        builder.ready = ready;
        builder.hostname = hostname;
        builder.targetRef = targetRef;
        builder.nodeName = nodeName;
        builder.topologyZone = topologyZone;
        return builder;
    }

    /** Returns the addresses, all of the slice's family, 1 to 100; all of them are published. */
    public List<IpAddress> addresses() {
        return addresses;
    }

    /** Returns the condition {@code ready}; empty counts as ready, see {@link #isReady}. */
    public Optional<Boolean> ready() {
        return Optional.ofNullable(ready);
    }

    /**
     * Returns whether the endpoint is ready: its condition {@code ready} is true or unknown (KEP-1672). Whether it is published depends
     * on its Service, too: {@link Service#publishes}.
     */
    public boolean isReady() {
        return ready == null || ready;
    }

    /** Returns the hostname, a DNS-1123 label, if the endpoint has one. */
    public Optional<String> hostname() {
        return Optional.ofNullable(hostname);
    }

    /** Returns the object behind the endpoint, usually a Pod, if it is known. */
    public Optional<ObjectRef> targetRef() {
        return Optional.ofNullable(targetRef);
    }

    /** Returns the name of the Node that the endpoint is on, if it is known. */
    public Optional<String> nodeName() {
        return Optional.ofNullable(nodeName);
    }

    /** Returns the topology zone that the endpoint is in, if it is known. */
    public Optional<String> topologyZone() {
        return Optional.ofNullable(topologyZone);
    }

    /**
     * Returns the same endpoint with this hostname.
     *
     * @param newHostname a DNS-1123 label
     * @throws InvalidFieldException if it is not a DNS label
     */
    public Endpoint withHostname(String newHostname) {
        Objects.requireNonNull(newHostname, "newHostname");
        return toBuilder().hostname(newHostname).build();
    }

    /** Returns the same endpoint with this condition {@code ready}. */
    public Endpoint withReady(boolean newReady) {
        return toBuilder().ready(newReady).build();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Endpoint endpoint
                && addresses.equals(endpoint.addresses)
                && Objects.equals(ready, endpoint.ready)
                && Objects.equals(hostname, endpoint.hostname)
                && Objects.equals(targetRef, endpoint.targetRef)
                && Objects.equals(nodeName, endpoint.nodeName)
                && Objects.equals(topologyZone, endpoint.topologyZone);
    }

    @Override
    public int hashCode() {
        int hash = addresses.hashCode();
        hash = hash * 31 + Objects.hashCode(ready);
        hash = hash * 31 + Objects.hashCode(hostname);
        hash = hash * 31 + Objects.hashCode(targetRef);
        hash = hash * 31 + Objects.hashCode(nodeName);
        return hash * 31 + Objects.hashCode(topologyZone);
    }

    /** Returns, for example, {@code Endpoint[addresses=[192.0.2.10], hostname=db-0]}; fields that are absent are omitted. */
    @Override
    public String toString() {
        List<String> fields = new ArrayList<>();
        fields.add("addresses=" + addresses);
        ready().ifPresent(value -> fields.add("ready=" + value));
        hostname().ifPresent(value -> fields.add("hostname=" + value));
        targetRef().ifPresent(value -> fields.add("targetRef=" + value));
        nodeName().ifPresent(value -> fields.add("nodeName=" + value));
        topologyZone().ifPresent(value -> fields.add("topologyZone=" + value));
        return "Endpoint" + fields;
    }

    /** Builds an {@link Endpoint}. A field that is not set is absent. Not thread-safe. */
    public static final class Builder {
        private final List<IpAddress> addresses;
        private @Nullable Boolean ready;
        private @Nullable String hostname;
        private @Nullable ObjectRef targetRef;
        private @Nullable String nodeName;
        private @Nullable String topologyZone;

        /** Keeps the list, which must be immutable. */
        private Builder(List<IpAddress> addresses) {
            this.addresses = addresses;
        }

        /** Sets the condition {@code ready}; an endpoint without it counts as ready. */
        public Builder ready(boolean value) {
            ready = value;
            return this;
        }

        /** Sets the hostname, a DNS-1123 label: the label of the endpoint below its headless Service. */
        public Builder hostname(String value) {
            hostname = Objects.requireNonNull(value, "hostname");
            return this;
        }

        /** Sets the object behind the endpoint, usually a Pod. */
        public Builder targetRef(ObjectRef value) {
            targetRef = Objects.requireNonNull(value, "targetRef");
            return this;
        }

        /** Sets the name of the Node that the endpoint is on, a DNS-1123 subdomain. */
        public Builder nodeName(String value) {
            nodeName = Objects.requireNonNull(value, "nodeName");
            return this;
        }

        /** Sets the topology zone that the endpoint is in, for example {@code eu-west-1a}. */
        public Builder topologyZone(String value) {
            topologyZone = Objects.requireNonNull(value, "topologyZone");
            return this;
        }

        /**
         * Returns the endpoint.
         *
         * @throws InvalidFieldException if there is no address or more than 100, the hostname is not a DNS label or the
         *     node name is not a DNS subdomain
         */
        public Endpoint build() {
            return new Endpoint(this);
        }
    }
}
