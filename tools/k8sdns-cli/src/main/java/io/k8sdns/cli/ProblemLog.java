package io.k8sdns.cli;

import io.k8sdns.federation.controller.FederationController.ControllerReport;
import io.k8sdns.federation.controller.FederationController.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Prints the problems of a controller, each when it occurs and when it ends. */
final class ProblemLog {
    /**
     * The number of consecutive reports after which a problem is printed. Problems that the controller is repairing usually end
     * earlier.
     */
    private static final int REPORTS_UNTIL_PROBLEM = 2;

    private final Consumer<String> out;

    /** The numbers of consecutive reports with each problem. */
    private Map<Problem, Integer> problems = Map.of();

    /**
     * Creates a log without problems.
     *
     * @param out receives one line for each message
     */
    ProblemLog(Consumer<String> out) {
        this.out = out;
    }

    /** Prints the differences from the previous reports. */
    synchronized void report(ControllerReport now) {
        Map<Problem, Integer> next = new LinkedHashMap<>();
        // While the store is not read, all names have the same problem, so only the problem of the store is printed.
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
                boolean isWritten =
                        problem.cluster().map(now.written()::contains).orElse(true)
                                && all.stream().noneMatch(one -> replaces(one, problem));
                out.accept("note: " + problem.name() + ": "
                        + (isWritten ? "recovered" : "no longer written by this controller"));
            }
        });
        problems = next;
    }

    /** Returns whether a problem of all Services of a cluster is reported instead of that of one of them. */
    private static boolean replaces(Problem all, Problem one) {
        return all.name().startsWith("Services in ")
                && one.name().startsWith("Service ")
                && all.cluster().equals(one.cluster());
    }
}
