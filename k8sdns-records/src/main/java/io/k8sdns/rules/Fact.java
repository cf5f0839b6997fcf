package io.k8sdns.rules;

import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A statement about one name that one object makes. The facts of a slice also depend on its Service and, if empty Services are
 * ignored, those of a Service on its slices. No other fact depends on a second object: weights, duplicates and the choice among PTR
 * targets are decided when all facts at a name are assembled ({@link RecordRules#assemble}).
 */
@Internal
public sealed interface Fact {
    /** Returns the name that this fact is about. */
    OwnerName owner();

    /** Returns the address of an {@link Address} or {@link Srv}, or that of the reverse name of a fact; null for other facts. */
    default @Nullable IpAddress address() {
        return owner() instanceof OwnerName.Reverse reverse ? reverse.address() : null;
    }

    /**
     * The name exists, whether or not it owns a record (RFC 8020).
     *
     * @param owner the name
     */
    record Exists(OwnerName owner) implements Fact {
        /** Checks that nothing is null. */
        public Exists {
            Objects.requireNonNull(owner, "owner");
        }
    }

    /**
     * The name has an address.
     *
     * @param owner the name
     * @param address the address
     */
    record Address(OwnerName owner, IpAddress address) implements Fact {
        /** Checks that nothing is null. */
        public Address {
            Objects.requireNonNull(owner, "owner");
            Objects.requireNonNull(address, "address");
        }
    }

    /**
     * The name has an SRV record of a target: one address of the target serves a port.
     *
     * @param owner the name
     * @param port the port: name, protocol, and the number that the SRV record carries
     * @param target the target's labels below the owner's zone
     * @param address the target's address. The number of distinct pairs of address and port determines the weight
     */
    record Srv(OwnerName owner, EndpointPort port, DnsLabels target, IpAddress address) implements Fact {
        /** Checks that nothing is null. */
        public Srv {
            Objects.requireNonNull(owner, "owner");
            Objects.requireNonNull(port, "port");
            Objects.requireNonNull(target, "target");
            Objects.requireNonNull(address, "address");
        }

        /**
         * Returns the record. Several addresses may give the same record.
         *
         * @throws java.util.NoSuchElementException if the port has no number
         */
        public NameData.Srv record() {
            return new NameData.Srv(port.port().orElseThrow(), target);
        }
    }

    /**
     * The name is an alias.
     *
     * @param owner the name
     * @param target the target's labels up to the root
     */
    record Alias(OwnerName owner, DnsLabels target) implements Fact {
        /** Checks that nothing is null. */
        public Alias {
            Objects.requireNonNull(owner, "owner");
            Objects.requireNonNull(target, "target");
        }
    }

    /**
     * The name has a text with a TTL of its own.
     *
     * @param owner the name
     * @param text the text, at most 255 characters of ISO 8859-1
     * @param ttlSeconds the TTL in seconds
     */
    record Text(OwnerName owner, String text, long ttlSeconds) implements Fact {
        private static final int MAX_BYTES = 255;

        /**
         * Checks that the text fits into a TXT record.
         *
         * @throws IllegalArgumentException if it does not
         */
        public Text {
            Objects.requireNonNull(owner, "owner");
            Objects.requireNonNull(text, "text");
            if (text.length() > MAX_BYTES
                    || !StandardCharsets.ISO_8859_1.newEncoder().canEncode(text)) {
                throw new IllegalArgumentException(
                        "not a text of at most " + MAX_BYTES + " characters of ISO 8859-1: " + text);
            }
        }
    }

    /**
     * A name is a candidate for the PTR targets of an address.
     *
     * @param owner the address
     * @param rank the rank of this candidate; see {@link RecordRules#assemble}
     * @param target the candidate's labels below the first forward zone
     */
    record PtrCandidate(OwnerName.Reverse owner, PtrRank rank, DnsLabels target) implements Fact {
        /** Checks that nothing is null. */
        public PtrCandidate {
            Objects.requireNonNull(owner, "owner");
            Objects.requireNonNull(rank, "rank");
            Objects.requireNonNull(target, "target");
        }
    }

    /**
     * An address is published by a Service's endpoint, so that its dashed name exists below the Service.
     *
     * @param owner the address
     * @param service the Service's labels below the zone
     */
    record EndpointAddress(OwnerName.Reverse owner, DnsLabels service) implements Fact {
        /** Checks that nothing is null. */
        public EndpointAddress {
            Objects.requireNonNull(owner, "owner");
            Objects.requireNonNull(service, "service");
        }
    }

    /**
     * An address belongs to a Pod, so that its pod name exists.
     *
     * @param owner the address
     * @param namespace the Pod's namespace
     */
    record PodAddress(OwnerName.Reverse owner, String namespace) implements Fact {
        /** Checks that nothing is null. */
        public PodAddress {
            Objects.requireNonNull(owner, "owner");
            Objects.requireNonNull(namespace, "namespace");
        }
    }
}
