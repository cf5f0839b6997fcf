package io.k8sdns.cli;

import io.k8sdns.manifest.HostUses;
import io.k8sdns.verify.ChangedName;
import io.k8sdns.verify.ChangedName.Kind;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.xbill.DNS.Name;

/** Prints the result of {@code diff}. */
final class DiffOutput {
    private final List<ChangedName> changes;
    private final Map<Name, List<HostUses.Use>> users;
    private final int notCompared;

    /**
     * Takes the result.
     *
     * @param users for each name of the changes
     * @param notCompared the number of names made of invented addresses
     */
    DiffOutput(List<ChangedName> changes, Map<Name, List<HostUses.Use>> users, int notCompared) {
        this.changes = changes;
        this.users = users;
        this.notCompared = notCompared;
    }

    void print(OutputOptions output, PrintWriter out) {
        switch (output.format()) {
            case TEXT -> {
                changes.forEach(change -> lines(change).forEach(out::println));
                out.println(summary());
            }
            case NAME -> changes.forEach(change -> out.println(change.name()));
            case MARKDOWN -> markdown().forEach(out::println);
            default -> changes.forEach(change -> output.print(object(change), out));
        }
    }

    private String summary() {
        List<String> parts = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            long number =
                    changes.stream().filter(change -> change.kind() == kind).count();
            if (number > 0) {
                parts.add((parts.isEmpty() ? PlanTable.count(Math.toIntExact(number), "name") : String.valueOf(number))
                        + " " + (number == 1 ? word(kind) : plural(kind)));
            }
        }
        return (parts.isEmpty() ? "no differences" : String.join(", ", parts))
                + (notCompared == 0
                        ? ""
                        : "; not compared: " + PlanTable.count(notCompared, "name")
                                + " of addresses or Pods that no manifest holds");
    }

    private static String plural(Kind kind) {
        return switch (kind) {
            case VANISHES -> "vanish";
            case CHANGES -> "change";
            case APPEARS -> "appear";
        };
    }

    private static String word(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private List<String> lines(ChangedName change) {
        List<String> lines = new ArrayList<>();
        lines.add(word(change.kind()) + " " + change.name());
        change.removed().forEach(record -> lines.add("  - " + record));
        change.added().forEach(record -> lines.add("  + " + record));
        users(change)
                .forEach(use -> lines.add(
                        "  used by " + use.object() + ", " + use.field() + " (" + use.position() + "): " + use.host()));
        return lines;
    }

    private List<HostUses.Use> users(ChangedName change) {
        return users.getOrDefault(change.name(), List.of());
    }

    private List<String> markdown() {
        List<String> lines = new ArrayList<>(List.of("**" + summary() + "**"));
        if (!changes.isEmpty()) {
            lines.addAll(List.of("", "| | Name | Before | After | Used by |", "|---|---|---|---|---|"));
            changes.forEach(change -> lines.add(
                    "| " + word(change.kind()) + " | " + code(change.name().toString()) + " | "
                            + codes(change.removed()) + " | " + codes(change.added()) + " | "
                            + codes(users(change).stream()
                                    .map(use -> use.object() + " " + use.field())
                                    .toList())
                            + " |"));
        }
        return lines;
    }

    private static String codes(List<String> texts) {
        return texts.stream().map(DiffOutput::code).collect(Collectors.joining("<br>"));
    }

    /** Returns a text as code. Characters that mean something in Markdown or HTML are references: the text may be anybody's. */
    private static String code(String text) {
        StringBuilder code = new StringBuilder("<code>");
        text.codePoints().forEach(c -> {
            if (Character.isLetterOrDigit(c) || " .-:/,".indexOf(c) >= 0) {
                code.appendCodePoint(c);
            } else if (!Character.isISOControl(c)) {
                code.append("&#").append(c).append(';');
            }
        });
        return code.append("</code>").toString();
    }

    private OutputObject object(ChangedName change) {
        return new OutputObject()
                .put("name", change.name().toString())
                .put("difference", word(change.kind()))
                .put("removed", change.removed())
                .put("added", change.added())
                .put("users", users(change).stream().map(DiffOutput::object).toList());
    }

    private static OutputObject object(HostUses.Use use) {
        return new OutputObject()
                .put("host", use.host())
                .put("object", use.object().toString())
                .put("field", use.field())
                .put("position", use.position().toString());
    }
}
