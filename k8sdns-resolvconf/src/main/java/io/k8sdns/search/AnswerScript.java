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
 * Answers written down: by name and type, by name, by type, or for all.
 *
 * <p>A key is {@code name|TYPE}, {@code name}, {@code *|TYPE} or {@code *}; the most specific one that there is
 * decides. Names are absolute, in presentation form, with or without the trailing dot, in any case. A word is that of
 * {@link Reply.Kind#word()}: {@code A} stands for an address of the type asked for, not for the type A: it gives
 * 10.1.2.3 to a question for A and fd00::123 to one for AAAA. A name with IPv4 alone has two keys, {@code name|A} with the
 * word {@code A} and {@code name|AAAA} with {@code NODATA}. {@code TC} is cut over UDP and the same addresses over TCP. A
 * name without a key is NXDOMAIN.
 *
 * <p>A word may hold for one server alone; {@code *} in the place of the server is all others. Where a key says nothing
 * about a server, the next key decides.
 */
public final class AnswerScript implements Answers {
    private static final String ANY = "*";
    private static final List<IpAddress> IPV4 = List.of(IpAddress.parse("10.1.2.3"));
    private static final List<IpAddress> IPV6 = List.of(IpAddress.parse("fd00::123"));

    /** What servers say, by the key in the form of {@link #key}, then by server. */
    private final Map<String, Map<String, Reply.Kind>> script;

    private AnswerScript(Map<String, Map<String, Reply.Kind>> script) {
        this.script = script;
    }

    /**
     * Returns the script in which these keys hold for every server.
     *
     * @param words a word for each key
     * @throws IllegalArgumentException if a key or a word is none; the message names it
     */
    public static AnswerScript of(Map<String, String> words) {
        Builder builder = builder();
        Copies.map("words", words).forEach(builder::add);
        return builder.build();
    }

    /** Returns the script of servers that know no name. */
    public static AnswerScript nothing() {
        return builder().build();
    }

    /** Returns a script without keys, to be filled. */
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

    /** A script that is being written. */
    public static final class Builder {
        private final Map<String, Map<String, Reply.Kind>> script = new HashMap<>();

        private Builder() {}

        /**
         * Adds what every server says that the key does not name.
         *
         * @throws IllegalArgumentException if the key or the word is none
         */
        public Builder add(String key, String word) {
            return add(key, ANY, word);
        }

        /**
         * Adds what one server says; the word that was there before gives way.
         *
         * @param key names and types
         * @param server the server as {@link ResolverSettings#nameservers()} has it, or {@code *} for those that the key does not name
         * @param word what comes back
         * @throws IllegalArgumentException if the key or the word is none
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

        /** Returns the script as it is now. */
        public AnswerScript build() {
            Map<String, Map<String, Reply.Kind>> copy = new HashMap<>();
            script.forEach((key, byServer) -> copy.put(key, Map.copyOf(byServer)));
            return new AnswerScript(copy);
        }
    }
}
