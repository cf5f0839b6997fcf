package io.k8sdns.cli;

import io.k8sdns.model.IpAddress;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.search.Candidate;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.PlannedQuery.Transport;
import io.k8sdns.search.Reply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Formats plans as text: a heading, and a table below it. */
final class PlanTable {
    /** The largest number of words in a message. */
    private static final int MAX_WORDS = 5;

    private static final int MAX_ADDRESSES = 3;

    private PlanTable() {}

    /** Returns the names of a plan, with the next step after each kind of answer. */
    static List<String> ofPlan(QueryPlan plan) {
        List<Candidate> candidates = plan.candidates();
        List<String> lines = new ArrayList<>();
        lines.add(heading(plan) + ": "
                + (candidates.isEmpty()
                        ? "no query"
                        : count(candidates.size(), "name") + ", " + count(plan.cost(), "query") + " if none is found"));
        List<List<String>> rows = new ArrayList<>();
        for (Candidate candidate : candidates) {
            rows.add(List.of(
                    Integer.toString(rows.size() + 1),
                    candidate.name(),
                    count(candidate.queries(), "query"),
                    candidate.isAsIs() ? "unchanged" : "+ " + candidate.domain().orElseThrow()));
        }
        lines.addAll(aligned(rows));
        for (int first = 0; first < candidates.size(); ) {
            String rule = rule(candidates.get(first));
            int end = first + 1;
            while (end < candidates.size() && rule(candidates.get(end)).equals(rule)) {
                end++;
            }
            lines.add("  after " + (first + 1) + (end - first > 1 ? " to " + end : "") + ": " + rule);
            first = end;
        }
        return lines;
    }

    /** Returns the next step after each kind of answer. */
    private static String rule(Candidate candidate) {
        Map<Candidate.Step, List<String>> kinds = new LinkedHashMap<>();
        for (Reply.Kind kind : Reply.Kind.values()) {
            if (kind != Reply.Kind.DATA) {
                kinds.computeIfAbsent(candidate.after(kind), any -> new ArrayList<>())
                        .add(kind.word());
            }
        }
        return kinds.entrySet().stream()
                .map(entry -> String.join(", ", entry.getValue()) + " -> " + words(entry.getKey()))
                .collect(Collectors.joining("; "));
    }

    private static String words(Candidate.Step step) {
        return switch (step) {
            case FOUND -> "found";
            case NEXT -> "the next name";
            case AS_IS -> "the unchanged name";
            case STOP -> "the end";
        };
    }

    /**
     * Returns the queries of a run and the replies. Queries for one name that are sent together are in one row, which ends with a
     * comment if it has invented addresses.
     */
    static List<String> ofRun(AnsweredPlan plan) {
        List<String> lines = new ArrayList<>(List.of(heading(plan.trace().plan()) + ": " + summary(plan.trace())));
        List<List<String>> rows = new ArrayList<>();
        int i = 0;
        while (i < plan.queries().size()) {
            PlannedQuery first = plan.queries().get(i);
            int end = i + 1;
            while (end < plan.queries().size()
                    && isSentWith(first, plan.queries().get(end))) {
                end++;
            }
            rows.add(row(plan, i, end));
            i = end;
        }
        lines.addAll(aligned(rows));
        return lines;
    }

    private static boolean isSentWith(PlannedQuery first, PlannedQuery next) {
        return next.group() == first.group()
                && next.name().equals(first.name())
                && next.server().equals(first.server())
                && next.transport() == first.transport()
                && next.reason() == first.reason()
                && next.type() != first.type();
    }

    private static List<String> row(AnsweredPlan plan, int from, int to) {
        PlannedQuery query = plan.queries().get(from);
        List<PlannedQuery> queries = plan.queries().subList(from, to);
        List<Reply> replies = plan.replies().subList(from, to);
        List<String> answers = replies.stream().map(PlanTable::words).distinct().toList();
        List<String> types = queries.stream().map(one -> one.type().name()).toList();
        return List.of(
                query.atMillis() + " ms",
                query.name(),
                String.join(" ", types),
                query.server() + (query.transport() == Transport.TCP ? " (TCP)" : ""),
                String.join(", ", answers) + words(query.reason()) + mark(replies, plan.invented()));
    }

    /** Returns a comment about the invented addresses of replies, which lists them if others are not invented. */
    private static String mark(List<Reply> replies, InventedRecords invented) {
        List<IpAddress> all =
                replies.stream().flatMap(reply -> reply.addresses().stream()).toList();
        List<IpAddress> marked = all.stream().filter(invented::holds).toList();
        if (marked.isEmpty()) {
            return "";
        }
        return " ; invented address" + (marked.size() == all.size() ? "" : ": " + addresses(marked));
    }

    private static String words(Reply reply) {
        if (reply.kind() != Reply.Kind.DATA) {
            return reply.kind() == Reply.Kind.NOTHING
                    ? "no answer"
                    : reply.kind().word();
        }
        return addresses(reply.addresses());
    }

    private static String words(PlannedQuery.Reason reason) {
        return switch (reason) {
            case FIRST, TRUNCATED -> "";
            case REPEATED_DOMAIN -> " (asked before)";
            case OTHER_SERVER -> " (another server)";
            case RETRY -> " (asked again)";
        };
    }

    /** Returns the runs of one lookup in several dialects: a row for each name, a column for each dialect. */
    static List<String> sideBySide(List<AnsweredPlan> plans) {
        List<Map<String, String>> cells = plans.stream().map(PlanTable::cells).toList();
        Set<String> names = new LinkedHashSet<>();
        cells.forEach(plan -> names.addAll(plan.keySet()));
        List<List<String>> rows = new ArrayList<>();
        rows.add(row("", plans, plan -> plan.trace().plan().settings().dialect().word()));
        names.forEach(name -> rows.add(row(name, cells, plan -> plan.getOrDefault(name, "-"))));
        rows.add(row("queries", plans, plan -> Integer.toString(plan.queries().size())));
        rows.add(row("last query at", plans, PlanTable::lastAt));
        rows.add(row("result", plans, plan -> result(plan.trace())));
        List<String> lines =
                new ArrayList<>(List.of(plans.get(0).trace().plan().request().name()));
        lines.addAll(aligned(rows));
        return lines;
    }

    private static <P> List<String> row(String head, List<P> plans, Function<P, String> cell) {
        List<String> row = new ArrayList<>(List.of(head));
        plans.stream().map(cell).forEach(row::add);
        return row;
    }

    /** Returns the cell of each name of a run: its position, the number of queries, and the reply. */
    private static Map<String, String> cells(AnsweredPlan plan) {
        Map<String, List<Reply>> replies = new LinkedHashMap<>();
        for (int i = 0; i < plan.queries().size(); i++) {
            replies.computeIfAbsent(plan.queries().get(i).name(), any -> new ArrayList<>())
                    .add(plan.replies().get(i));
        }
        Map<String, String> cells = new LinkedHashMap<>();
        replies.forEach((name, all) -> cells.put(
                name,
                (cells.size() + 1) + ". " + count(all.size(), "query") + " "
                        + all.stream()
                                .map(reply -> reply.kind() == Reply.Kind.DATA ? "found" : words(reply))
                                .distinct()
                                .collect(Collectors.joining(", "))));
        return cells;
    }

    private static String lastAt(AnsweredPlan plan) {
        long last =
                plan.queries().stream().mapToLong(PlannedQuery::atMillis).max().orElse(0);
        return last + " ms";
    }

    private static String heading(QueryPlan plan) {
        return plan.request().name() + " (" + plan.settings().dialect().word() + ", ndots "
                + plan.settings().ndots() + ")";
    }

    static String summary(QueryTrace trace) {
        return count(trace.queries().size(), "query") + ", " + result(trace);
    }

    private static String result(QueryTrace trace) {
        return trace.outcome() == LookupOutcome.OK ? "found" : trace.outcome().word();
    }

    private static String addresses(List<IpAddress> addresses) {
        String first =
                addresses.stream().limit(MAX_ADDRESSES).map(Object::toString).collect(Collectors.joining(" "));
        return addresses.size() > MAX_ADDRESSES
                ? first + " and " + (addresses.size() - MAX_ADDRESSES) + " more"
                : first;
    }

    /** Returns a number with a noun, which is in the plural unless the number is one. */
    static String count(int number, String noun) {
        String plural = noun.endsWith("y") ? noun.substring(0, noun.length() - 1) + "ies" : noun + "s";
        return number + " " + (number == 1 ? noun : plural);
    }

    /** Returns words, separated by commas; of many the first ones and the number of the others. */
    static String first(List<String> words) {
        String first = String.join(", ", words.subList(0, Math.min(words.size(), MAX_WORDS)));
        return first + (words.size() > MAX_WORDS ? " and " + (words.size() - MAX_WORDS) + " more" : "");
    }

    /** Returns rows of equal length as lines whose columns are aligned. */
    static List<String> aligned(List<List<String>> rows) {
        int columns = rows.isEmpty() ? 0 : rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int column = 0; column < columns; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        List<String> lines = new ArrayList<>(rows.size());
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < columns; column++) {
                String cell = row.get(column);
                line.append("  ").append(cell).append(" ".repeat(widths[column] - cell.length()));
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
