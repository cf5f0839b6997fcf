package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The warnings and notes of a translation. */
final class CorefileRemarks {
    private final Map<String, Remark> byText = new LinkedHashMap<>();

    /**
     * A warning or note about a line of the Corefile.
     *
     * @param warns whether an effect of the Corefile is missing in the options
     */
    record Remark(int line, boolean warns, String text) {}

    /** Adds a warning about a missing effect, for each directive. */
    void warn(Directive directive, String text) {
        warn(directive.line(), directive.name() + ": " + text);
    }

    void warn(int line, String text) {
        byText.put(line + " " + text, new Remark(line, true, text));
    }

    /** Adds a note, once for each text. */
    void note(Directive directive, String text) {
        String whole = directive.name() + ": " + text;
        byText.putIfAbsent(whole, new Remark(directive.line(), false, whole));
    }

    /** Returns the warnings and notes, in the order of the lines. */
    List<Remark> inOrder() {
        return byText.values().stream()
                .sorted(Comparator.comparingInt(Remark::line))
                .toList();
    }
}
