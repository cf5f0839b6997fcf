package io.k8sdns.model;

import java.util.Objects;
import java.util.Optional;

/** The type of the addresses of an EndpointSlice. Slices of {@link #FQDN} make no record. */
public enum AddressType {
    IPV4("IPv4"),
    IPV6("IPv6"),
    FQDN("FQDN");

    private final String text;

    AddressType(String text) {
        this.text = text;
    }

    /** Returns the type of slices that hold addresses of this family. */
    public static AddressType of(IpFamily family) {
        Objects.requireNonNull(family, "family");
        return family == IpFamily.IPV4 ? IPV4 : IPV6;
    }

    /** Reads the API's spelling; empty for anything else. */
    public static Optional<AddressType> tryParse(String text) {
        Objects.requireNonNull(text, "text");
        for (AddressType type : values()) {
            if (type.text.equals(text)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    /** Returns the API's spelling: {@code IPv4}, {@code IPv6} or {@code FQDN}. */
    @Override
    public String toString() {
        return text;
    }
}
