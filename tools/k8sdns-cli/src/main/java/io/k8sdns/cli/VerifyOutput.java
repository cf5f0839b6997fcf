package io.k8sdns.cli;

import io.k8sdns.model.ObjectRef;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.sockets.ServerCheck.Difference;
import io.k8sdns.sockets.ServerCheck.Report;
import io.k8sdns.verify.Expectation;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Prints the result of {@code verify} in the format of {@code -o}. */
final class VerifyOutput {
    private final HostAndPort server;
    private final Function<Difference, Optional<String>> explanation;
    private final Function<Difference, String> reason;
    private final InventedExpectations invented;
    private final OutputOptions output;
    private final PrintWriter out;

    /**
     * Creates the output.
     *
     * @param server the server that is checked
     * @param explanation returns the reason why a difference is not a fault of the server; empty if it is a fault
     * @param reason returns why the records are expected, or why there should be none or no others; called for faults only
     * @param invented marks what is invented in the expected records
     * @param output the format
     * @param out where to print
     */
    VerifyOutput(
            HostAndPort server,
            Function<Difference, Optional<String>> explanation,
            Function<Difference, String> reason,
            InventedExpectations invented,
            OutputOptions output,
            PrintWriter out) {
        this.server = server;
        this.explanation = explanation;
        this.reason = reason;
        this.invented = invented;
        this.output = output;
        this.out = out;
    }

    /** Prints a difference as soon as it is found, if the format allows that. */
    void found(Difference difference) {
        if (output.format() == OutputOptions.Format.TEXT && isFault(difference)) {
            out.println(invented.line(difference));
            out.println("  because: " + reason.apply(difference));
        }
    }

    private boolean isFault(Difference difference) {
        return explanation.apply(difference).isEmpty();
    }

    /** Prints the result, and returns whether no difference is a fault of the server. */
    boolean print(List<Expectation> questions, Report report) {
        switch (output.format()) {
            case TEXT -> printSummary(report);
            case NAME ->
                report.differences().stream()
                        .filter(this::isFault)
                        .map(difference -> difference.expectation().name().toString())
                        .distinct()
                        .forEach(out::println);
            case JUNIT ->
                new JunitReport(server.toString(), explanation, reason, invented)
                        .print(questions, report.differences(), out);
            default -> output.print(object(report), out);
        }
        return report.differences().stream().noneMatch(this::isFault);
    }

    private void printSummary(Report report) {
        Map<String, Integer> explained = new TreeMap<>();
        report.differences()
                .forEach(difference ->
                        explanation.apply(difference).ifPresent(text -> explained.merge(text, 1, Integer::sum)));
        explained.forEach(
                (text, count) -> out.println("explained: " + PlanTable.count(count, "difference") + ": " + text));
        int all = explained.values().stream().mapToInt(Integer::intValue).sum();
        out.println(report + (all == 0 ? "" : ", " + all + " of them explained"));
    }

    private OutputObject object(Report report) {
        return new OutputObject()
                .put("server", server.toString())
                .put("names", report.names())
                .put(
                        "differences",
                        report.differences().stream().map(this::object).toList());
    }

    private OutputObject object(Difference difference) {
        Expectation expectation = difference.expectation();
        OutputObject object = new OutputObject()
                .put(
                        "objects",
                        expectation.objects().stream().map(ObjectRef::toString).toList())
                .put("name", expectation.name().toString())
                .put("type", expectation.type().toString())
                .put(
                        "transports",
                        difference.transports().stream().map(VerifyOutput::word).toList())
                .put("difference", difference.text())
                .put("explanation", explanation.apply(difference).orElse(null))
                .put("because", isFault(difference) ? reason.apply(difference) : null);
        return invented.isMarked(difference) ? object.put("invented", true) : object;
    }

    private static String word(Transport transport) {
        return transport.name().toLowerCase(Locale.ROOT);
    }
}
