package io.k8sdns.manifest;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Diagnostic.Severity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prints diagnostics as lines of text. */
public final class DiagnosticReport {
    private static final int WARNINGS_OF_A_CODE = 5;
    private static final int NOTES_OF_A_CODE = 2;

    private DiagnosticReport() {}

    /**
     * Returns the lines: warnings before notes, grouped by code. For each code it prints the first few and the number
     * of the others, so that hundreds of similar files do not make hundreds of lines.
     *
     * @param verbose whether every diagnostic is printed, in the order given
     */
    public static List<String> lines(List<Diagnostic> diagnostics, boolean verbose) {
        List<Diagnostic> all = Copies.list("diagnostics", diagnostics);
        List<String> lines = new ArrayList<>();
        if (verbose) {
            all.forEach(one -> lines.add(line(one)));
            return lines;
        }
        for (Severity severity : List.of(Severity.WARNING, Severity.NOTE)) {
            int most = severity == Severity.WARNING ? WARNINGS_OF_A_CODE : NOTES_OF_A_CODE;
            Map<String, List<Diagnostic>> byCode = new LinkedHashMap<>();
            all.stream()
                    .filter(one -> one.severity() == severity)
                    .forEach(one -> byCode.computeIfAbsent(one.code(), any -> new ArrayList<>())
                            .add(one));
            byCode.forEach((code, group) -> {
                // A single remaining diagnostic is printed, because a line with its count would be as long.
                int shown = group.size() <= most + 1 ? group.size() : most;
                group.subList(0, shown).forEach(one -> lines.add(line(one)));
                if (shown < group.size()) {
                    lines.add(word(severity) + ": ... and " + (group.size() - shown) + " more of this sort (" + code
                            + "; --verbose prints all)");
                }
            });
        }
        return lines;
    }

    private static String line(Diagnostic diagnostic) {
        return word(diagnostic.severity()) + ": " + diagnostic;
    }

    private static String word(Severity severity) {
        return severity == Severity.WARNING ? "warning" : "note";
    }
}
