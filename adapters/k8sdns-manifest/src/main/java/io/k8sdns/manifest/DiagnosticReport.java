package io.k8sdns.manifest;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Internal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Prints the results of reading manifests as a few lines of text, also if thousands of files have thousands of problems.
 *
 * <p>Few diagnostics are printed in full. Many are grouped by kind, each group in one line with its number and an example. The
 * most harmful ones are first: missing objects, then other warnings, then notes.
 */
public final class DiagnosticReport {
    /** The largest number of lines, unless every diagnostic is printed. */
    private static final int MAX_LINES = 20;

    /** The smallest limit: the summary, some groups, and the line about {@code --verbose}. */
    private static final int MIN_LINES = 10;

    /** The largest number of diagnostics that are not counted by kind. */
    private static final int FEW = 12;

    /** The largest size of a group of warnings that is printed in full when other groups are counted. */
    private static final int MAX_FULL_GROUP = 3;

    private static final String COMMAND = "k8sdns records -f -";

    private final List<Diagnostic> all;
    private final String command;
    private final List<NoteGroup> groups;

    private DiagnosticReport(List<Diagnostic> all, String command) {
        this.all = all;
        this.command = command;
        this.groups = NoteGroup.of(all);
    }

    /**
     * Returns the lines of diagnostics.
     *
     * @param verbose whether every diagnostic is printed, in the order given; otherwise there are at most 20 lines
     */
    public static List<String> lines(List<Diagnostic> diagnostics, boolean verbose) {
        return lines(diagnostics, COMMAND, verbose);
    }

    /**
     * Returns the lines of diagnostics.
     *
     * @param command the command for hints about templates and kustomizations; it reads manifests from standard input, for example
     *     {@code k8sdns records -f -}
     * @param verbose whether every diagnostic is printed, in the order given; otherwise there are at most 20 lines
     */
    public static List<String> lines(List<Diagnostic> diagnostics, String command, boolean verbose) {
        Objects.requireNonNull(command, "command");
        DiagnosticReport report = new DiagnosticReport(Copies.list("diagnostics", diagnostics), command);
        if (verbose) {
            return report.everyLine();
        }
        return report.isShort() ? report.fullLines() : report.countedLines(MAX_LINES, false);
    }

    /** Returns whether a warning loses nothing, so that it is printed as a note: for example about an object that replaces an equal one. */
    @Internal
    public static boolean isHarmless(Diagnostic diagnostic) {
        return NoteGroup.isHarmless(Objects.requireNonNull(diagnostic, "diagnostic"));
    }

    /**
     * Returns the directory of the first chart whose templates were not rendered, as a word of a shell; empty if none is known.
     *
     * @param diagnostics those of one input
     */
    @Internal
    public static Optional<String> unrenderedChart(List<Diagnostic> diagnostics) {
        return UnrenderedFiles.chart(Copies.list("diagnostics", diagnostics));
    }

    /**
     * Returns the lines of a result: its summary, then its diagnostics. What the summary counts is not repeated.
     *
     * @param command the command for hints about templates and kustomizations; it reads manifests from standard input, for example
     *     {@code k8sdns records -f -}
     * @param verbose whether every diagnostic is printed, in the order given; otherwise there are at most 20 lines
     */
    public static List<String> lines(ManifestResult result, String command, boolean verbose) {
        Objects.requireNonNull(result, "result");
        Objects.requireNonNull(command, "command");
        if (!verbose) {
            return lines(result, command, MAX_LINES);
        }
        List<String> lines = new ArrayList<>(List.of(result.summary()));
        lines.addAll(new DiagnosticReport(result.diagnostics(), command).everyLine());
        return lines;
    }

    /**
     * Returns the lines of a result as {@link #lines(ManifestResult, String, boolean)} does, for a report of several results.
     *
     * @param command the command for hints
     * @param maxLines the largest number of lines, 10 to 20
     * @throws IllegalArgumentException if {@code maxLines} is another number
     */
    public static List<String> lines(ManifestResult result, String command, int maxLines) {
        Objects.requireNonNull(result, "result");
        Objects.requireNonNull(command, "command");
        if (maxLines < MIN_LINES || maxLines > MAX_LINES) {
            throw new IllegalArgumentException(
                    "not a number of lines in " + MIN_LINES + " to " + MAX_LINES + ": " + maxLines);
        }
        DiagnosticReport report = new DiagnosticReport(result.diagnostics(), command);
        List<String> lines = new ArrayList<>();
        if (report.isShort()) {
            lines.add(result.summary());
            lines.addAll(report.fullLines());
            if (lines.size() <= maxLines) {
                return lines;
            }
            lines.clear();
        }
        // Grouped notes name the objects without a record.
        result.summaryLines().stream()
                .filter(line -> !line.startsWith(Summary.NO_RECORD))
                .forEach(lines::add);
        lines.addAll(report.countedLines(maxLines - lines.size(), true));
        return lines;
    }

    /** Returns all diagnostics in their order; a command for those of one kind is below the last of them. */
    private List<String> everyLine() {
        Map<Integer, String> hints = new HashMap<>();
        for (NoteGroup group : groups) {
            group.hintLine(all, command).ifPresent(hint -> hints.put(all.lastIndexOf(group.last()), hint));
        }
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            lines.add(NoteGroup.line(all.get(i)));
            Optional.ofNullable(hints.get(i)).ifPresent(lines::add);
        }
        return lines;
    }

    /** Returns whether the diagnostics need not be counted. */
    private boolean isShort() {
        return all.size() <= FEW;
    }

    private List<String> fullLines() {
        return groups.stream()
                .flatMap(group -> group.fullLines(all, command).stream())
                .toList();
    }

    /**
     * Returns a line for each group, and several for small groups of warnings if there is room.
     *
     * @param limit the largest number of lines
     * @param isBelowSummary whether groups that the summary counts are omitted
     */
    private List<String> countedLines(int limit, boolean isBelowSummary) {
        List<NoteGroup> printed = groups.stream()
                .filter(group -> !isBelowSummary || !group.isInSummary())
                .toList();
        // The last line is about --verbose.
        int room = Math.max(limit - 1, 0);
        int freeLines = room - printed.size();
        List<String> lines = new ArrayList<>();
        int count = 0;
        for (NoteGroup group : printed.subList(0, Math.min(printed.size(), room))) {
            List<String> full = group.fullLines(all, command);
            if (group.isWarning() && group.size() <= MAX_FULL_GROUP && full.size() - 1 <= freeLines) {
                freeLines -= full.size() - 1;
                lines.addAll(full);
            } else {
                lines.add(group.countedLine(all, command));
            }
            count += group.size();
        }
        int rest = printed.stream().mapToInt(NoteGroup::size).sum() - count;
        lines.add((rest == 0 ? "" : "and " + rest + " notes and warnings of other sorts; ") + "--verbose prints all "
                + all.size() + " notes and warnings");
        return lines;
    }
}
