package io.k8sdns.search;

import java.util.Objects;

/**
 * What a program hands to its resolver.
 *
 * @param name the name as the program has it, of any length and any characters; its octets are those of UTF-8
 * @param family addresses of which family it wants
 */
public record LookupRequest(String name, AddressFamily family) {
    /** Checks that nothing is null. */
    public LookupRequest {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(family, "family");
    }

    /** Returns the request for all addresses of a name. */
    public static LookupRequest of(String name) {
        return new LookupRequest(name, AddressFamily.UNSPEC);
    }
}
