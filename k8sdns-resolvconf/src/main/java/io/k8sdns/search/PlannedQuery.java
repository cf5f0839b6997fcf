package io.k8sdns.search;

import io.k8sdns.model.Internal;
import java.util.Objects;

/**
 * One query that a lookup sends.
 *
 * @param name the name that is asked for: absolute, in presentation form, octets that are no printable ASCII as
 *     {@code \DDD}; the case as it was given
 * @param type the type
 * @param server the server, as {@link ResolverSettings#nameservers()} has it
 * @param transport what carries it
 * @param atMillis when it is sent, in milliseconds after the lookup began, if answers took no time
 * @param group queries with the same number are sent together, without waiting for each other's answers; numbers begin
 *     with 0
 * @param reason why this query is sent
 */
public record PlannedQuery(
        String name, QueryType type, String server, Transport transport, long atMillis, int group, Reason reason) {
    /** Why a query is sent. */
    public enum Reason {
        /** This name and type was not asked for before. */
        FIRST,
        /** The search list leads to this name once more, because it has a domain twice, or the root. */
        REPEATED_DOMAIN,
        /** Another server is asked too: at the same moment, or because one before had no good answer. */
        OTHER_SERVER,
        /** Nothing came back, or an error, and this server is asked again. */
        RETRY,
        /** The answer over UDP was cut. */
        TRUNCATED
    }

    /** What carries a query. */
    public enum Transport {
        /** A datagram. */
        UDP("udp"),
        /** A connection. */
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
