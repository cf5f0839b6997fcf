package io.k8sdns.cli;

import io.k8sdns.cli.OutputOptions.Format;
import io.k8sdns.manifest.HostUses;
import io.k8sdns.verify.ChangedName;
import io.k8sdns.verify.ChangedName.Kind;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.xbill.DNS.Name;

/** Prints the result of {@code diff}. */
final class DiffOutput {
    private final List<ChangedName> changes;
    private final Map<Name, List<HostUses.Use>> users;
    private final InventedRecords inventedBefore;
    private final InventedRecords inventedAfter;
    private final int notCompared;

    /**
     * Takes the result.
     *
     * @param users for each name of the changes
     * @param inventedBefore what is invented in the removed records
     * @param inventedAfter what is invented in the added records
     * @param notCompared the number of names that are made of addresses or Pods and cannot be compared
     */
    DiffOutput(
            List<ChangedName> changes,
            Map<Name, List<HostUses.Use>> users,
            InventedRecords inventedBefore,
            InventedRecords inventedAfter,
            int notCompared) {
        this.changes = changes;
        this.users = users;
        this.inventedBefore = inventedBefore;
        this.inventedAfter = inventedAfter;
        this.notCompared = notCompared;
    }

    /** Prints the result; on standard error the number of names that are not compared, if the format has no line for it. */
    void print(OutputOptions output, PrintWriter out, PrintWriter err) {
        switch (output.format()) {
            case TEXT -> {
                changes.forEach(change -> lines(change).forEach(out::println));
                out.println(summary());
            }
            case NAME -> changes.forEach(change -> out.println(change.name()));
            case MARKDOWN -> markdown().forEach(out::println);
            default -> changes.forEach(change -> output.print(object(change), out));
        }
        boolean hasSummary = output.format() == Format.TEXT || output.format() == Format.MARKDOWN;
        if (!hasSummary && notCompared > 0) {
            out.flush();
            err.println("note: " + notCompared());
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
                + (notCompared == 0 ? "" : "; " + notCompared());
    }

    private String notCompared() {
        return "not compared: " + PlanTable.count(notCompared, "name")
                + " made of addresses or Pods, because one side has invented ones";
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
        removed(change).forEach(record -> lines.add("  - " + record.text() + record.mark(" ; ", "")));
        added(change).forEach(record -> lines.add("  + " + record.text() + record.mark(" ; ", "")));
        users(change)
                .forEach(use -> lines.add(
                        "  used by " + use.object() + ", " + use.field() + " (" + use.position() + "): " + use.host()));
        return lines;
    }

    /**
     * A record of one side.
     *
     * @param text its type and data
     * @param mark what is invented in it; empty if nothing is
     */
    private record MarkedRecord(String text, String mark) {
        /** Returns the mark between two texts; empty without a mark. */
        String mark(String before, String after) {
            return mark.isEmpty() ? "" : before + mark + after;
        }
    }

    private List<MarkedRecord> removed(ChangedName change) {
        return marked(change.name(), change.removed(), inventedBefore);
    }

    private List<MarkedRecord> added(ChangedName change) {
        return marked(change.name(), change.added(), inventedAfter);
    }

    private static List<MarkedRecord> marked(Name name, List<String> records, InventedRecords invented) {
        return records.stream()
                .map(record -> new MarkedRecord(record, invented.mark(name, record)))
                .toList();
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
                            + records(removed(change)) + " | " + records(added(change)) + " | "
                            + codes(users(change).stream()
                                    .map(use -> use.object() + " " + use.field())
                                    .toList())
                            + " |"));
        }
        return lines;
    }

    private static String records(List<MarkedRecord> records) {
        return records.stream()
                .map(record -> code(record.text()) + record.mark(" (", ")"))
                .collect(Collectors.joining("<br>"));
    }

    private static String codes(List<String> texts) {
        return texts.stream().map(DiffOutput::code).collect(Collectors.joining("<br>"));
    }

    /** Returns a text as code. Characters that mean something in Markdown or HTML are references, because the text is not trusted. */
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
        OutputObject object = new OutputObject()
                .put("name", change.name().toString())
                .put("difference", word(change.kind()))
                .put("removed", change.removed())
                .put("added", change.added())
                .put("users", users(change).stream().map(DiffOutput::object).toList());
        boolean isInvented = Stream.of(removed(change), added(change))
                .flatMap(List::stream)
                .anyMatch(record -> !record.mark().isEmpty());
        return isInvented ? object.put("invented", true) : object;
    }

    private static OutputObject object(HostUses.Use use) {
        return new OutputObject()
                .put("host", use.host())
                .put("object", use.object().toString())
                .put("field", use.field())
                .put("position", use.position().toString());
    }
}
