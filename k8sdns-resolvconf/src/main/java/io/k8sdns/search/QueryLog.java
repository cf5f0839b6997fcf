package io.k8sdns.search;

import io.k8sdns.search.PlannedQuery.Transport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What a lookup sends, and the time that it spends waiting. */
final class QueryLog {
    private final Answers answers;
    private final List<PlannedQuery> queries = new ArrayList<>();

    /** The names in lower case that earlier candidates were asked for, by type. */
    private final Map<QueryType, Set<String>> before = new EnumMap<>(QueryType.class);

    /** What this candidate was asked for: by type and server, what carried it. */
    private final Map<QueryType, Map<String, Set<Transport>>> now = new EnumMap<>(QueryType.class);

    private String name = "";
    private long millis;
    private int group;
    private int groups;

    QueryLog(Answers answers) {
        this.answers = answers;
    }

    /** Begins with the next candidate. */
    void candidate(String absolute) {
        String folded = name.toLowerCase(Locale.ROOT);
        now.keySet()
                .forEach(type ->
                        before.computeIfAbsent(type, any -> new HashSet<>()).add(folded));
        now.clear();
        name = absolute;
    }

    /**
     * The queries from here on are sent together, after the answers to those before.
     *
     * @return the number of the group, for {@link #alsoTogether}
     */
    int together() {
        group = groups++;
        return group;
    }

    /** The queries from here on were sent together with those of this group, though others are told first. */
    void alsoTogether(int earlierGroup) {
        group = earlierGroup;
    }

    /** Sends a query for this candidate, and returns what comes back for it. */
    Reply send(QueryType type, String server, Transport transport) {
        if (queries.size() == QueryPlan.MAX_QUERIES) {
            throw new TooManyQueries();
        }
        PlannedQuery query =
                new PlannedQuery(name, type, server, transport, millis, group, reason(type, server, transport));
        queries.add(query);
        now.computeIfAbsent(type, any -> new HashMap<>())
                .computeIfAbsent(server, any -> EnumSet.noneOf(Transport.class))
                .add(transport);
        return answers.answer(query);
    }

    private PlannedQuery.Reason reason(QueryType type, String server, Transport transport) {
        Map<String, Set<Transport>> servers = now.getOrDefault(type, Map.of());
        if (servers.isEmpty()) {
            return before.getOrDefault(type, Set.of()).contains(name.toLowerCase(Locale.ROOT))
                    ? PlannedQuery.Reason.REPEATED_DOMAIN
                    : PlannedQuery.Reason.FIRST;
        }
        Set<Transport> transports = servers.getOrDefault(server, Set.of());
        if (transports.isEmpty()) {
            return PlannedQuery.Reason.OTHER_SERVER;
        }
        return transports.contains(transport) ? PlannedQuery.Reason.RETRY : PlannedQuery.Reason.TRUNCATED;
    }

    /** Lets time pass. */
    void pass(long howManyMillis) {
        millis += howManyMillis;
    }

    /** Returns how many milliseconds have passed. */
    long millis() {
        return millis;
    }

    /** Sets the time, for what runs beside something that took longer. */
    void at(long whichMillis) {
        millis = whichMillis;
    }

    /** Returns what was sent. */
    List<PlannedQuery> queries() {
        return Collections.unmodifiableList(queries);
    }

    /** The lookup sends more queries than are followed. */
    static final class TooManyQueries extends RuntimeException {
        private static final long serialVersionUID = 1;

        private TooManyQueries() {
            super("more than " + QueryPlan.MAX_QUERIES + " queries", null, false, false);
        }
    }
}
