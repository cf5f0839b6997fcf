package io.k8sdns.search;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.IpAddress;
import io.k8sdns.search.PlannedQuery.Transport;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Scripted answers: by name and type, by name, by type, or for all.
 *
 * <p>A key is {@code name|TYPE}, {@code name}, {@code *|TYPE} or {@code *}; the most specific key decides. Names are
 * absolute, in presentation form, with or without the trailing dot, in any case. A word is one of
 * {@link Reply.Kind#word()}. {@code A} means an address of the type of the query, not the type A: 10.1.2.3 for A and
 * fd00::123 for AAAA. A name with IPv4 only has two keys, {@code name|A} with the word {@code A} and {@code name|AAAA}
 * with {@code NODATA}. {@code TC} is a truncated answer over UDP and the same addresses over TCP. A name without a key
 * is NXDOMAIN.
 *
 * <p>A word may be set for one server; {@code *} in place of the server means all others. If a key has no word for a
 * server, the next key decides.
 */
public final class AnswerScript implements AnswerSource {
    private static final String ANY = "*";
    private static final List<IpAddress> IPV4 = List.of(IpAddress.parse("10.1.2.3"));
    private static final List<IpAddress> IPV6 = List.of(IpAddress.parse("fd00::123"));

    /** The answers by key, in the form of {@link #key}, then by server. */
    private final Map<String, Map<String, Reply.Kind>> script;

    private AnswerScript(Map<String, Map<String, Reply.Kind>> script) {
        this.script = script;
    }

    /**
     * Returns a script whose keys apply to every server.
     *
     * @param words a word for each key
     * @throws IllegalArgumentException if a key or a word is invalid; the message names it
     */
    public static AnswerScript of(Map<String, String> words) {
        Builder builder = builder();
        Copies.map("words", words).forEach(builder::add);
        return builder.build();
    }

    /** Returns the script that answers NXDOMAIN for every name. */
    public static AnswerScript nothing() {
        return builder().build();
    }

    /** Returns a builder without keys. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public Reply answer(PlannedQuery query) {
        String name = absolute(query.name());
        Reply.Kind kind = word(key(name, query.type()), query.server())
                .or(() -> word(name, query.server()))
                .or(() -> word(key(ANY, query.type()), query.server()))
                .or(() -> word(ANY, query.server()))
                .orElse(Reply.Kind.NXDOMAIN);
        return switch (kind) {
            case DATA -> Reply.of(addresses(query.type()));
            case TRUNCATED -> query.transport() == Transport.TCP ? Reply.of(addresses(query.type())) : Reply.of(kind);
            default -> Reply.of(kind);
        };
    }

    private Optional<Reply.Kind> word(String key, String server) {
        Map<String, Reply.Kind> byServer = script.getOrDefault(key, Map.of());
        return Optional.ofNullable(byServer.getOrDefault(server, byServer.get(ANY)));
    }

    private static List<IpAddress> addresses(QueryType type) {
        return type == QueryType.A ? IPV4 : IPV6;
    }

    private static String key(String name, QueryType type) {
        return name + "|" + type;
    }

    private static String absolute(String name) {
        String folded = name.toLowerCase(Locale.ROOT);
        return folded.equals(ANY) || folded.endsWith(".") ? folded : folded + ".";
    }

    /** Builds an {@link AnswerScript}. */
    public static final class Builder {
        private final Map<String, Map<String, Reply.Kind>> script = new HashMap<>();

        private Builder() {}

        /**
         * Sets the answer of every server for which the key has no word of its own.
         *
         * @throws IllegalArgumentException if the key or the word is invalid
         */
        public Builder add(String key, String word) {
            return add(key, ANY, word);
        }

        /**
         * Sets the answer of one server, in place of a word set before.
         *
         * @param key names and types
         * @param server the server as in {@link ResolverSettings#nameservers()}, or {@code *} for every other server
         * @param word the answer
         * @throws IllegalArgumentException if the key or the word is invalid
         */
        public Builder add(String key, String server, String word) {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(server, "server");
            Reply.Kind kind = Reply.Kind.tryParse(word)
                    .orElseThrow(() -> new IllegalArgumentException("answers[\"" + key
                            + "\"]: not one of A, NODATA, NXDOMAIN, SERVFAIL, REFUSED, NOTIMP, FORMERR, TC, DROP: "
                            + word));
            script.computeIfAbsent(read(key), absent -> new HashMap<>()).put(server, kind);
            return this;
        }

        private static String read(String key) {
            int bar = key.lastIndexOf('|');
            String name = bar < 0 ? key : key.substring(0, bar);
            if (name.isEmpty()) {
                throw new IllegalArgumentException("answers[\"" + key + "\"]: not a name, name|TYPE, *|TYPE or *");
            }
            if (bar < 0) {
                return absolute(name);
            }
            for (QueryType type : QueryType.values()) {
                if (type.name().equalsIgnoreCase(key.substring(bar + 1))) {
                    return key(absolute(name), type);
                }
            }
            throw new IllegalArgumentException(
                    "answers[\"" + key + "\"]: the type is A or AAAA, not " + key.substring(bar + 1));
        }

        /** Returns the script. */
        public AnswerScript build() {
            Map<String, Map<String, Reply.Kind>> copy = new HashMap<>();
            script.forEach((key, byServer) -> copy.put(key, Map.copyOf(byServer)));
            return new AnswerScript(copy);
        }
    }
}
