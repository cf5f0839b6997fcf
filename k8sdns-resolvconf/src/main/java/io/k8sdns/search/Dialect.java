package io.k8sdns.search;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The resolver whose rules a lookup follows: resolvers read one resolv.conf in different ways. This is a class and not
 * an enum because later versions of k8sdns add dialects.
 */
public final class Dialect {
    /** The C library of most distributions; rules of glibc 2.26 and later, observed with 2.36. */
    public static final Dialect GLIBC = new Dialect("glibc");

    /** musl 1.2.3, the C library of Alpine Linux up to 3.17. */
    public static final Dialect MUSL_1_2_3 = new Dialect("musl-1.2.3");

    /** musl 1.2.5, the C library of Alpine Linux from 3.20 on. */
    public static final Dialect MUSL_1_2_5 = new Dialect("musl-1.2.5");

    /** The resolver of Go without cgo; observed with 1.19 and 1.26. */
    public static final Dialect GO = new Dialect("go");

    /**
     * {@code ares_getaddrinfo} of c-ares 1.18, in curl, Envoy and gRPC; later versions try the next candidate after
     * more kinds of errors.
     */
    public static final Dialect C_ARES_1_18 = new Dialect("c-ares-1.18");

    /** {@code DnsNameResolver} of Netty 4.2. */
    public static final Dialect NETTY = new Dialect("netty");

    /** {@code Lookup} of dnsjava 3.7. */
    public static final Dialect DNSJAVA_LOOKUP = new Dialect("dnsjava-lookup");

    /** {@code LookupSession} of dnsjava 3.7 with the settings of its default builder, without a search path. */
    public static final Dialect DNSJAVA_SESSION = new Dialect("dnsjava-session");

    /** {@code InetAddress} of a JDK on glibc. */
    public static final Dialect JDK_GLIBC = new Dialect("jdk-glibc");

    /** {@code InetAddress} of a JDK on musl. */
    public static final Dialect JDK_MUSL = new Dialect("jdk-musl");

    /** systemd-resolved through nss-resolve, with its default configuration. */
    public static final Dialect SYSTEMD_RESOLVED = new Dialect("systemd-resolved");

    /** The DNS client of Windows since Vista, without the policy that appends suffixes to names with a dot. */
    public static final Dialect WINDOWS = new Dialect("windows");

    private static final List<Dialect> ALL = List.of(
            GLIBC,
            MUSL_1_2_3,
            MUSL_1_2_5,
            GO,
            C_ARES_1_18,
            NETTY,
            DNSJAVA_LOOKUP,
            DNSJAVA_SESSION,
            JDK_GLIBC,
            JDK_MUSL,
            SYSTEMD_RESOLVED,
            WINDOWS);

    private final String word;

    private Dialect(String word) {
        this.word = word;
    }

    /** Returns all dialects of this version, in a fixed order. */
    public static List<Dialect> all() {
        return ALL;
    }

    /**
     * Returns the dialect with a word.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Dialect of(String word) {
        return tryParse(word).orElseThrow(() -> new IllegalArgumentException("not a dialect: \"" + word + "\""));
    }

    /** Reads the word of {@link #word()}; empty for anything else. */
    public static Optional<Dialect> tryParse(String word) {
        Objects.requireNonNull(word, "word");
        return ALL.stream().filter(dialect -> dialect.word.equals(word)).findFirst();
    }

    /** Returns the name of the dialect in commands and data files, for example {@code musl-1.2.5}. */
    public String word() {
        return word;
    }

    /** Returns the word. */
    @Override
    public String toString() {
        return word;
    }
}
