package io.k8sdns.search;

import java.util.Objects;

/**
 * The request that a program passes to its resolver.
 *
 * @param name the name as the program passes it, of any length and any characters; its bytes are UTF-8
 * @param family the family of the requested addresses
 */
public record LookupRequest(String name, AddressFamily family) {
    /** Checks that nothing is null. */
    public LookupRequest {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(family, "family");
    }

    /** Returns a request for the addresses of a name of both families. */
    public static LookupRequest of(String name) {
        return new LookupRequest(name, AddressFamily.UNSPEC);
    }
}
