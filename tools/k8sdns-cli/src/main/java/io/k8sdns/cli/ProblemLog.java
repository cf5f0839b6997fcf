package io.k8sdns.cli;

import io.k8sdns.federation.controller.FederationController.ControllerReport;
import io.k8sdns.federation.controller.FederationController.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Prints the problems of a controller: each when it is new, and when it has ended or is no longer known. */
final class ProblemLog {
    /** What is being set right is no problem yet. */
    private static final int REPORTS_UNTIL_PROBLEM = 2;

    private final Consumer<String> out;

    /** How often each problem was seen in a row. */
    private Map<Problem, Integer> problems = Map.of();

    /**
     * Creates a log without problems.
     *
     * @param out takes a line for each message
     */
    ProblemLog(Consumer<String> out) {
        this.out = out;
    }

    /** Prints what is different from the reports before. */
    synchronized void report(ControllerReport now) {
        Map<Problem, Integer> next = new LinkedHashMap<>();
        // While the store has not been read, every name is a problem for one reason.
        List<Problem> store = now.problems().stream()
                .filter(problem -> problem.name().equals("store"))
                .toList();
        List<Problem> all = store.isEmpty() ? now.problems() : store;
        all.forEach(problem -> {
            int times = problems.getOrDefault(problem, 0) + 1;
            next.put(problem, times);
            if (times == REPORTS_UNTIL_PROBLEM) {
                out.accept("warning: " + problem);
            }
        });
        problems.forEach((problem, times) -> {
            if (times >= REPORTS_UNTIL_PROBLEM
                    && all.stream().noneMatch(one -> one.name().equals(problem.name()))) {
                out.accept("note: " + problem.name() + ": " + end(problem, now.written()));
            }
        });
        problems = next;
    }

    private static String end(Problem problem, Set<String> written) {
        return problem.cluster().map(written::contains).orElse(true)
                ? "as it should be again"
                : "no longer written by this controller";
    }
}
