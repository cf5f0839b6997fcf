package io.k8sdns.search;

import io.k8sdns.model.IpAddress;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The families of the addresses that a program requests: the {@code ai_family} of {@code getaddrinfo}. */
public enum AddressFamily {
    /** Both families: queries for A and AAAA. */
    UNSPEC("unspec"),
    /** IPv4 only: queries for A. */
    IPV4("4"),
    /** IPv6 only: queries for AAAA. */
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

    /** Returns whether an address is of a requested family. */
    public boolean includes(IpAddress address) {
        return switch (this) {
            case UNSPEC -> true;
            case IPV4 -> address.isIpv4();
            case IPV6 -> !address.isIpv4();
        };
    }

    /** Returns the types of the queries, A before AAAA. */
    public List<QueryType> types() {
        return switch (this) {
            case UNSPEC -> List.of(QueryType.A, QueryType.AAAA);
            case IPV4 -> List.of(QueryType.A);
            case IPV6 -> List.of(QueryType.AAAA);
        };
    }
}
