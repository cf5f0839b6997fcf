package io.k8sdns.rules;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import java.util.Objects;

/** A name that owns records: a name below every forward zone, or the reverse name of an address. Stored once for all zones. */
@Internal
public sealed interface OwnerName {
    /**
     * A name below a forward zone.
     *
     * @param labels the labels below the zone; empty for the apex
     */
    record Forward(DnsLabels labels) implements OwnerName {
        /** Checks that the labels are not null. */
        public Forward {
            Objects.requireNonNull(labels, "labels");
        }

        // Written by hand: the JVM links the generated methods of a record at their first use, which takes
        // milliseconds.
        @Override
        public boolean equals(Object other) {
            return other instanceof Forward forward && labels.equals(forward.labels);
        }

        @Override
        public int hashCode() {
            return labels.hashCode();
        }

        @Override
        public String toString() {
            return labels.isEmpty() ? "@" : labels.toString();
        }
    }

    /**
     * The reverse name of an address.
     *
     * @param address the address
     */
    record Reverse(IpAddress address) implements OwnerName {
        /** Checks that the address is not null. */
        public Reverse {
            Objects.requireNonNull(address, "address");
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Reverse reverse && address.equals(reverse.address);
        }

        @Override
        public int hashCode() {
            return address.hashCode();
        }

        @Override
        public String toString() {
            return "reverse of " + address;
        }
    }
}
