package io.k8sdns.plan;

import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.PlannedQuery.Transport;
import io.k8sdns.search.QueryOrder;
import io.k8sdns.search.QueryType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A query as a server sees it. */
record SentQuery(long atMillis, String name, QueryType type, String server, Transport transport) {
    /** The largest allowed delay of a query. */
    private static final long TOLERANCE_MILLIS = 450;

    static SentQuery of(PlannedQuery query) {
        return new SentQuery(query.atMillis(), query.name(), query.type(), query.server(), query.transport());
    }

    /** Reads {@code AT NAME TYPE [SERVER] [tcp]}; the type {@code A+AAAA} is two queries. */
    static List<SentQuery> parse(String line, String defaultServer) {
        List<String> words = new ArrayList<>(List.of(line.split(" ", -1)));
        boolean tcp = words.remove("tcp");
        return Stream.of(words.get(2).split("\\+", -1))
                .map(type -> new SentQuery(
                        Long.parseLong(words.get(0)),
                        words.get(1),
                        QueryType.valueOf(type),
                        words.size() > 3 ? words.get(3) : defaultServer,
                        tcp ? Transport.TCP : Transport.UDP))
                .toList();
    }

    private String what() {
        return name + " " + type + " " + server + " " + transport.word();
    }

    /** Returns the sequence in the form in which sequences with this order are compared. */
    static List<String> comparable(List<SentQuery> queries, QueryOrder order) {
        return switch (order) {
            case EXACT -> queries.stream().map(SentQuery::what).toList();
            case PAIRS ->
                pairs(queries).stream()
                        .flatMap(run -> run.stream().map(SentQuery::what).sorted())
                        .toList();
            case NAMES ->
                pairs(queries).stream().map(run -> run.get(0).name()).distinct().toList();
        };
    }

    /** Returns the runs of queries for one name. */
    private static List<List<SentQuery>> pairs(List<SentQuery> queries) {
        List<List<SentQuery>> runs = new ArrayList<>();
        for (SentQuery query : queries) {
            if (runs.isEmpty() || !runs.get(runs.size() - 1).get(0).name().equals(query.name())) {
                runs.add(new ArrayList<>());
            }
            runs.get(runs.size() - 1).add(query);
        }
        return runs;
    }

    /** Returns whether the queries were received at the planned times. */
    static boolean inTime(List<SentQuery> planned, List<SentQuery> seen) {
        List<Long> plannedTimes = times(planned);
        List<Long> seenTimes = times(seen);
        if (plannedTimes.size() != seenTimes.size()) {
            return false;
        }
        for (int i = 0; i < plannedTimes.size(); i++) {
            long late = seenTimes.get(i) - plannedTimes.get(i);
            if (Math.abs(late) > TOLERANCE_MILLIS) {
                return false;
            }
        }
        return true;
    }

    private static List<Long> times(List<SentQuery> queries) {
        return queries.stream()
                .map(SentQuery::atMillis)
                .sorted(Comparator.naturalOrder())
                .toList();
    }

    @Override
    public String toString() {
        return atMillis + " " + name + " " + type + " " + server + (transport == Transport.TCP ? " tcp" : "");
    }
}
