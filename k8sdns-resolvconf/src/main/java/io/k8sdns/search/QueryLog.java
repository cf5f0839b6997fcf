package io.k8sdns.search;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a lookup sends, and the time that it spends waiting. */
final class QueryLog {
    private final Answers answers;
    private final List<PlannedQuery> queries = new ArrayList<>();
    /** Names and types that earlier candidates were asked for. */
    private final Set<String> before = new HashSet<>();
    /** What this candidate was asked for: the type; type and server; type, server and transport. */
    private final Set<String> now = new HashSet<>();

    private String name = "";
    private long millis;
    private int group;
    private int groups;

    QueryLog(Answers answers) {
        this.answers = answers;
    }

    /** Begins with the next candidate. */
    void candidate(String absolute) {
        for (QueryType type : QueryType.values()) {
            if (now.contains(type.name())) {
                before.add(key(name, type));
            }
        }
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
        now.add(type.name());
        now.add(type + " " + server);
        now.add(type + " " + server + " " + transport);
        return answers.answer(query);
    }

    private PlannedQuery.Reason reason(QueryType type, String server, Transport transport) {
        if (now.contains(type + " " + server + " " + transport)) {
            return PlannedQuery.Reason.RETRY;
        }
        if (now.contains(type + " " + server)) {
            return PlannedQuery.Reason.TRUNCATED;
        }
        if (now.contains(type.name())) {
            return PlannedQuery.Reason.OTHER_SERVER;
        }
        return before.contains(key(name, type)) ? PlannedQuery.Reason.REPEATED_DOMAIN : PlannedQuery.Reason.FIRST;
    }

    private static String key(String name, QueryType type) {
        return type + " " + name.toLowerCase(Locale.ROOT);
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
