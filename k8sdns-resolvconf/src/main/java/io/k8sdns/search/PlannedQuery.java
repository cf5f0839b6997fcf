package io.k8sdns.search;

import io.k8sdns.model.Internal;
import java.util.Objects;

/**
 * One query that a lookup sends.
 *
 * @param name the name of the query: absolute, in presentation form, with bytes beyond printable ASCII as {@code \DDD},
 *     in the original case
 * @param type the type
 * @param server the server, as in {@link ResolverSettings#nameservers()}
 * @param transport the transport protocol
 * @param atMillis the time of the query in milliseconds after the start of the lookup, if answers take no time
 * @param group queries with the same number are sent together, without waiting for each other's answers; the first
 *     number is 0
 * @param reason the reason for the query
 */
public record PlannedQuery(
        String name, QueryType type, String server, Transport transport, long atMillis, int group, Reason reason) {
    /** The reason for a query. */
    public enum Reason {
        /** The first query for this name and type. */
        FIRST,
        /** The search list gives this name again, because it has a domain twice, or the root. */
        REPEATED_DOMAIN,
        /** A query to another server: at the same time, or because an earlier server gave no usable answer. */
        OTHER_SERVER,
        /** A retry at the same server after an error or a missing answer. */
        RETRY,
        /** The answer over UDP was truncated. */
        TRUNCATED
    }

    /** The transport protocol of a query. */
    public enum Transport {
        /** A UDP datagram. */
        UDP("udp"),
        /** A TCP connection. */
        TCP("tcp");

        private final String word;

        Transport(String word) {
            this.word = word;
        }

        /** Returns the name of the transport in commands and data files: {@code udp} or {@code tcp}. */
        public String word() {
            return word;
        }
    }

    /** Checks that nothing is null or negative. */
    @Internal
    public PlannedQuery {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(server, "server");
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(reason, "reason");
        if (atMillis < 0 || group < 0) {
            throw new IllegalArgumentException("negative: " + atMillis + " ms, group " + group);
        }
    }

    /** Returns the query in one line: {@code 0 ms: db.test.svc.cluster.local. A to 10.96.0.10 over udp}. */
    @Override
    public String toString() {
        return atMillis + " ms: " + name + " " + type + " to " + server + " over " + transport.word();
    }
}
