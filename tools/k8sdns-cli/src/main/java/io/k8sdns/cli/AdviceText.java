package io.k8sdns.cli;

import io.k8sdns.advice.HostAdvice;
import io.k8sdns.advice.NdotsChoice;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.search.Dialect;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Formats advice about names as text. Caveats are printed once, as numbered footnotes at the end. */
final class AdviceText {
    /** The largest number of lost names that are printed. */
    private static final int MAX_LISTED = 3;

    private final List<String> caveats = new ArrayList<>();

    /** Returns the queries that a name costs, and the suggestions. */
    List<String> lines(HostAdvice advice) {
        List<String> lines =
                new ArrayList<>(List.of(advice.host() + ": " + costs(advice.traces()) + references(advice.caveats())));
        for (HostAdvice.Suggestion suggestion : advice.suggestions()) {
            lines.add("  " + words(suggestion.kind()) + " " + suggestion.text() + ": " + costs(suggestion.traces())
                    + references(suggestion.caveats()));
        }
        return lines;
    }

    /** Returns a table of the queries that all names cost: a row for each value of {@code ndots}, a column for each resolver. */
    List<String> lines(List<NdotsChoice> choices) {
        Set<Dialect> dialects = new LinkedHashSet<>();
        choices.forEach(choice -> dialects.addAll(choice.queries().keySet()));
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("ndots"));
        dialects.forEach(dialect -> head.add(dialect.word()));
        rows.add(head);
        for (NdotsChoice choice : choices) {
            List<String> row = new ArrayList<>(List.of(Integer.toString(choice.ndots())));
            for (Dialect dialect : dialects) {
                List<String> lost = choice.lost().getOrDefault(dialect, List.of());
                row.add(choice.queries().getOrDefault(dialect, 0) + " queries"
                        + (lost.isEmpty() ? "" : ", no " + shortened(lost)));
            }
            rows.add(row);
        }
        return PlanTable.aligned(rows);
    }

    /** Returns the footnotes to all lines that were returned before. */
    List<String> footnotes() {
        List<String> lines = new ArrayList<>();
        caveats.forEach(caveat -> lines.add("[" + (lines.size() + 1) + "] " + caveat));
        return lines;
    }

    private String references(List<String> texts) {
        StringBuilder numbers = new StringBuilder();
        for (String text : texts) {
            if (!caveats.contains(text)) {
                caveats.add(text);
            }
            numbers.append(" [").append(caveats.indexOf(text) + 1).append(']');
        }
        return numbers.toString();
    }

    private static String words(HostAdvice.Kind kind) {
        return switch (kind) {
            case FULL_NAME, TRAILING_DOT -> "write";
            case NDOTS -> "set";
        };
    }

    /** Returns the costs of a name. Resolvers with the same costs are listed together. */
    private static String costs(Map<Dialect, QueryTrace> traces) {
        Map<String, List<String>> dialects = new LinkedHashMap<>();
        traces.forEach((dialect, trace) -> dialects.computeIfAbsent(PlanTable.summary(trace), any -> new ArrayList<>())
                .add(dialect.word()));
        return dialects.entrySet().stream()
                .map(entry -> entry.getKey() + " (" + String.join(", ", entry.getValue()) + ")")
                .collect(Collectors.joining("; "));
    }

    private static String shortened(List<String> names) {
        String first = names.stream().limit(MAX_LISTED).collect(Collectors.joining(" "));
        return names.size() > MAX_LISTED ? first + " and " + (names.size() - MAX_LISTED) + " more" : first;
    }
}
