package io.k8sdns.zone;

import io.k8sdns.model.Internal;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rules.NameData;
import java.util.Objects;

/** The result of a lookup of a name and a type in a zone. */
@Internal
@SuppressWarnings("exports")
public sealed interface ZoneLookup {
    /**
     * The name owns records of the type.
     *
     * @param data everything the name owns
     */
    record Found(NameData data) implements ZoneLookup {
        /** Checks that nothing is null. */
        public Found {
            Objects.requireNonNull(data, "data");
        }
    }

    /**
     * The name is an alias for queries of every type.
     *
     * @param data everything the name owns
     * @param target the target's labels up to the root
     */
    record Alias(NameData data, DnsLabels target) implements ZoneLookup {
        /** Checks that nothing is null. */
        public Alias {
            Objects.requireNonNull(data, "data");
            Objects.requireNonNull(target, "target");
        }
    }

    /** The name exists without this type, or only has names below it (RFC 8020). */
    record NoData() implements ZoneLookup {}

    /** The name does not exist, nor anything below it. */
    record NoSuchName() implements ZoneLookup {}
}
