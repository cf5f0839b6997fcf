package io.k8sdns.search;

import io.k8sdns.model.IpAddress;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Addresses of which families a program asks for: the {@code ai_family} of {@code getaddrinfo}. */
public enum AddressFamily {
    /** Both; A and AAAA are asked. */
    UNSPEC("unspec"),
    /** IPv4 alone; A is asked. */
    IPV4("4"),
    /** IPv6 alone; AAAA is asked. */
    IPV6("6");

    private final String word;

    AddressFamily(String word) {
        this.word = word;
    }

    /** Reads the word of {@link #word()}; empty for anything else. */
    public static Optional<AddressFamily> tryParse(String word) {
        Objects.requireNonNull(word, "word");
        for (AddressFamily family : values()) {
            if (family.word.equals(word)) {
                return Optional.of(family);
            }
        }
        return Optional.empty();
    }

    /** Returns the name of the family in commands and data files: {@code unspec}, {@code 4} or {@code 6}. */
    public String word() {
        return word;
    }

    /** Returns whether an address is one of those. */
    boolean includes(IpAddress address) {
        return switch (this) {
            case UNSPEC -> true;
            case IPV4 -> address.isIpv4();
            case IPV6 -> !address.isIpv4();
        };
    }

    /** Returns the types that are asked for, A before AAAA. */
    public List<QueryType> types() {
        return switch (this) {
            case UNSPEC -> List.of(QueryType.A, QueryType.AAAA);
            case IPV4 -> List.of(QueryType.A);
            case IPV6 -> List.of(QueryType.AAAA);
        };
    }
}
