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

/** Advice about names for a person: what may go wrong is said once, at the end, and referred to by number. */
final class AdviceText {
    /** Of the names that are lost so many are named. */
    private static final int MOST_NAMED = 3;

    private final List<String> caveats = new ArrayList<>();

    /** Returns what a name costs, and what to write instead. */
    List<String> lines(HostAdvice advice) {
        List<String> lines =
                new ArrayList<>(List.of(advice.host() + ": " + costs(advice.traces()) + references(advice.caveats())));
        for (HostAdvice.Suggestion suggestion : advice.suggestions()) {
            lines.add("  " + words(suggestion.kind()) + " " + suggestion.text() + ": " + costs(suggestion.traces())
                    + references(suggestion.caveats()));
        }
        return lines;
    }

    /** Returns what all names cost with one {@code ndots} or another: a row for each, a column for each resolver. */
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
                        + (lost.isEmpty() ? "" : ", no " + some(lost)));
            }
            rows.add(row);
        }
        return PlanTable.aligned(rows);
    }

    /** Returns what was referred to. */
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

    /** Resolvers that do the same are named together. */
    private static String costs(Map<Dialect, QueryTrace> traces) {
        Map<String, List<String>> dialects = new LinkedHashMap<>();
        traces.forEach((dialect, trace) -> dialects.computeIfAbsent(PlanTable.summary(trace), any -> new ArrayList<>())
                .add(dialect.word()));
        return dialects.entrySet().stream()
                .map(entry -> entry.getKey() + " (" + String.join(", ", entry.getValue()) + ")")
                .collect(Collectors.joining("; "));
    }

    private static String some(List<String> names) {
        String first = names.stream().limit(MOST_NAMED).collect(Collectors.joining(" "));
        return names.size() > MOST_NAMED ? first + " and " + (names.size() - MOST_NAMED) + " more" : first;
    }
}
