package io.k8sdns.search;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.IpAddress;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * The reply to one query, or its absence.
 *
 * @param kind the kind of reply
 * @param addresses the addresses: at least one for {@link Kind#DATA}, those that fitted for {@link Kind#TRUNCATED},
 *     otherwise empty
 */
public record Reply(Kind kind, List<IpAddress> addresses) {
    /** The kind of a reply. */
    public enum Kind {
        /** NOERROR with addresses of the type of the query. */
        DATA("A"),
        /** NOERROR without such addresses. */
        NODATA("NODATA"),
        /** The name does not exist. */
        NXDOMAIN("NXDOMAIN"),
        /** SERVFAIL: the server failed. */
        SERVFAIL("SERVFAIL"),
        /** REFUSED: the server refused the query. */
        REFUSED("REFUSED"),
        /** NOTIMP: the server does not support the query. */
        NOTIMP("NOTIMP"),
        /** FORMERR: the server could not read the query. */
        FORMERR("FORMERR"),
        /** A truncated answer, with the TC bit; only over UDP. */
        TRUNCATED("TC"),
        /** No reply; over TCP the server closes the connection (glibc, for example, waits forever on an open one). */
        NOTHING("DROP");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** Returns the name of the kind in commands and data files, for example {@code NXDOMAIN}, {@code TC} or {@code DROP}. */
        public String word() {
            return word;
        }

        /** Reads the word of {@link #word()}, in upper or lower case; empty for anything else. */
        public static Optional<Kind> tryParse(String word) {
            String folded = Objects.requireNonNull(word, "word").toUpperCase(Locale.ROOT);
            for (Kind kind : values()) {
                if (kind.word.equals(folded)) {
                    return Optional.of(kind);
                }
            }
            return Optional.empty();
        }
    }

    /** Checks that data has addresses and errors have none; copies the list. */
    public Reply {
        Objects.requireNonNull(kind, "kind");
        addresses = Copies.list("addresses", addresses);
        if (kind == Kind.DATA && addresses.isEmpty()) {
            throw new IllegalArgumentException("kind DATA without addresses; use NODATA");
        }
        if (kind != Kind.DATA && kind != Kind.TRUNCATED && !addresses.isEmpty()) {
            throw new IllegalArgumentException(kind.word() + " has no addresses, not " + addresses);
        }
    }

    /**
     * Returns a reply without addresses.
     *
     * @throws IllegalArgumentException if the kind is {@link Kind#DATA}
     */
    public static Reply of(Kind kind) {
        return new Reply(kind, List.of());
    }

    /** Returns the reply with these addresses; without any it is NODATA. */
    public static Reply of(List<IpAddress> addresses) {
        return Objects.requireNonNull(addresses, "addresses").isEmpty()
                ? of(Kind.NODATA)
                : new Reply(Kind.DATA, addresses);
    }
}
