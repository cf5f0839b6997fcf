package io.k8sdns.emulators;

import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.PlannedQuery.Transport;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
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

/** Records the queries of a lookup and the time that passes. */
public final class QueryLog {
    /** The maximum number of queries of a lookup that are simulated. */
    public static final int MAX_QUERIES = 100_000;

    private final AnswerSource answers;
    private final List<PlannedQuery> queries = new ArrayList<>();

    /** The names of earlier candidates' queries in lower case, by type. */
    private final Map<QueryType, Set<String>> before = new EnumMap<>(QueryType.class);

    /** The transports of this candidate's queries, by type and server. */
    private final Map<QueryType, Map<String, Set<Transport>>> now = new EnumMap<>(QueryType.class);

    private String name = "";
    private long millis;
    private int group;
    private int groups;

    /** Starts the log of a lookup that gets these answers. */
    public QueryLog(AnswerSource answers) {
        this.answers = answers;
    }

    /** Starts the next candidate. */
    void candidate(String absolute) {
        String folded = name.toLowerCase(Locale.ROOT);
        now.keySet()
                .forEach(type ->
                        before.computeIfAbsent(type, any -> new HashSet<>()).add(folded));
        now.clear();
        name = absolute;
    }

    /**
     * Starts a group: the next queries are sent together, after the answers to the previous group.
     *
     * @return the number of the group, for {@link #alsoTogether}
     */
    int together() {
        group = groups++;
        return group;
    }

    /**
     * Returns to a group: the next queries were sent together with those of this group, although others were recorded
     * in between.
     */
    void alsoTogether(int earlierGroup) {
        group = earlierGroup;
    }

    /** Sends a query for this candidate and returns the reply. */
    Reply send(QueryType type, String server, Transport transport) {
        if (queries.size() == MAX_QUERIES) {
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

    /** Advances the time. */
    void advance(long millisPassed) {
        millis += millisPassed;
    }

    /** Returns the time in milliseconds. */
    long millis() {
        return millis;
    }

    /** Sets the time, for a run in parallel to one that took longer. */
    void at(long whichMillis) {
        millis = whichMillis;
    }

    /** Returns the queries. */
    public List<PlannedQuery> queries() {
        return Collections.unmodifiableList(queries);
    }

    /** Thrown when the lookup sends more queries than are simulated. */
    public static final class TooManyQueries extends RuntimeException {
        private static final long serialVersionUID = 1;

        private TooManyQueries() {
            super("more than " + MAX_QUERIES + " queries", null, false, false);
        }
    }
}
