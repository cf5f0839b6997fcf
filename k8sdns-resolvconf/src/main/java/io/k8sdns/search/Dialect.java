package io.k8sdns.search;

import java.util.Objects;
import java.util.Optional;

/** Whose rules a lookup follows: resolvers read one resolv.conf in different ways. */
public enum Dialect {
    /** The C library of most distributions; rules of glibc 2.26 and later, observed with 2.36. */
    GLIBC("glibc"),
    /** musl 1.2.3, the C library of Alpine Linux up to 3.17. */
    MUSL_1_2_3("musl-1.2.3"),
    /** musl 1.2.5, the C library of Alpine Linux from 3.20 on. */
    MUSL_1_2_5("musl-1.2.5"),
    /** The resolver of Go without cgo; observed with 1.19 and 1.26. */
    GO("go"),
    /** {@code ares_getaddrinfo} of c-ares 1.18, in curl, Envoy and gRPC; later ones go on after more errors. */
    C_ARES_1_18("c-ares-1.18"),
    /** {@code DnsNameResolver} of Netty 4.2. */
    NETTY("netty"),
    /** {@code Lookup} of dnsjava 3.7. */
    DNSJAVA_LOOKUP("dnsjava-lookup"),
    /** {@code LookupSession} of dnsjava 3.7 as its default builder makes it, which has no search path. */
    DNSJAVA_SESSION("dnsjava-session"),
    /** {@code InetAddress} of a JDK on glibc. */
    JDK_GLIBC("jdk-glibc"),
    /** {@code InetAddress} of a JDK on musl. */
    JDK_MUSL("jdk-musl"),
    /** systemd-resolved through nss-resolve, as it is without configuration. */
    SYSTEMD_RESOLVED("systemd-resolved"),
    /** The DNS client of Windows since Vista, without the policy that appends suffixes to names with a dot. */
    WINDOWS("windows");

    private final String word;

    Dialect(String word) {
        this.word = word;
    }

    /** Reads the word of {@link #word()}; empty for anything else. */
    public static Optional<Dialect> tryParse(String word) {
        Objects.requireNonNull(word, "word");
        for (Dialect dialect : values()) {
            if (dialect.word.equals(word)) {
                return Optional.of(dialect);
            }
        }
        return Optional.empty();
    }

    /** Returns the name of the dialect in commands and data files, for example {@code musl-1.2.5}. */
    public String word() {
        return word;
    }

    /** Returns the rules. */
    ResolverRules rules() {
        return switch (this) {
            case GLIBC, JDK_GLIBC -> new Glibc();
            case MUSL_1_2_3 -> new Musl(false);
            case MUSL_1_2_5, JDK_MUSL -> new Musl(true);
            case GO -> new Go();
            case C_ARES_1_18 -> new CAres();
            case NETTY -> new Netty();
            case DNSJAVA_LOOKUP -> new Dnsjava(false);
            case DNSJAVA_SESSION -> new Dnsjava(true);
            case SYSTEMD_RESOLVED -> new SingleLabelSearch(true);
            case WINDOWS -> new SingleLabelSearch(false);
        };
    }
}
