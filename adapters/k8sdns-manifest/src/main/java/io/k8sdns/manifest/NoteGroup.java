package io.k8sdns.manifest;

import io.k8sdns.json.ObjectReader;
import io.k8sdns.manifest.checks.ManifestChecks;
import io.k8sdns.manifest.objects.Inventory;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Diagnostic.Severity;
import io.k8sdns.model.ObjectRef;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The diagnostics of one kind of problem, as lines of text. */
final class NoteGroup {
    private static final String UNKNOWN_KIND = "unknown-kind";
    private static final String KUSTOMIZATION = "kustomization";

    /** The code of fields of kustomizations that are not applied. */
    private static final String UNAPPLIED = "kustomization-fields";

    /** The code of charts whose templates can be read without rendering. */
    private static final String CHART = "chart";

    private static final String FOREIGN_KIND = "foreign-kind";
    private static final int WARNINGS_OF_A_CODE = 5;
    private static final int NOTES_OF_A_CODE = 2;
    private static final int MAX_TEXT = 160;

    /** The problem of each code, for several objects, files or fields. Groups of other codes are described by an example. */
    private static final Map<String, String> PHRASES = Map.ofEntries(
            Map.entry(FileUse.BROKEN_DOCUMENT, "documents cannot be parsed and are skipped"),
            Map.entry("unreadable-file", "files or directories cannot be read"),
            Map.entry("file-too-large", "files are too large and are skipped"),
            Map.entry("template", "files are templates, which are not rendered here"),
            Map.entry(KUSTOMIZATION, "kustomizations are not built here"),
            Map.entry(CHART, "charts are not rendered here"),
            Map.entry(UNAPPLIED, "kustomizations have fields that are not applied"),
            Map.entry("kustomization-resource", "entries of kustomizations are not read"),
            Map.entry("kustomization-repeated", "entries of kustomizations may be refused by kustomize"),
            Map.entry(
                    Inventory.GIVEN_TWICE,
                    "objects are given several times with different content, of which one is used (to keep them apart, read one"
                            + " directory at a time)"),
            Map.entry(Inventory.GIVEN_AGAIN, "objects are given again with the same content"),
            Map.entry(ManifestChecks.REFUSED, "objects are skipped, because an API server would refuse them"),
            Map.entry(UNKNOWN_KIND, "objects are skipped, because Kubernetes has no such kind"),
            Map.entry(FOREIGN_KIND, "objects are of kinds that Kubernetes does not have"),
            Map.entry("unknown-field", "fields do not exist in Kubernetes"),
            Map.entry("wrong-type", "values have the wrong type"),
            Map.entry("duplicate-field", "fields are given twice in one object"),
            Map.entry("no-type", "documents are skipped, because they have no kind or no apiVersion"),
            Map.entry("helm-test", "objects are not read, because helm creates them only for helm test"),
            Map.entry("no-name", "objects are skipped, because they have no name"),
            Map.entry("invalid-object", "objects have an invalid name or field"),
            Map.entry("invalid-address", "addresses are invalid"),
            Map.entry("invalid-port", "ports are invalid"),
            Map.entry("invalid-protocol", "protocols are invalid"),
            Map.entry("invalid-label", "labels are invalid"),
            Map.entry("no-service-of-subdomain", "subdomains of Pods name no Service"),
            Map.entry("ordered-ready", "StatefulSets wait for a Pod that is not ready"),
            Map.entry("kept", "objects keep their last valid version"),
            Map.entry(FileUse.NO_OBJECT, "documents are not Kubernetes objects"),
            Map.entry(ObjectReader.KIND_NOT_READ, "objects are of a kind that is not read"),
            Map.entry(ObjectReader.DEFAULTED, "objects have omitted fields, which get their defaults"),
            Map.entry("completed-service", "Services are completed"),
            Map.entry("completed-pod", "Pods are completed"),
            Map.entry("completed-workload", "workloads are completed with their Pods"));

    /** The sorts whose texts add nothing to the phrase. */
    private static final Set<String> WITHOUT_TEXT =
            Set.of("template", KUSTOMIZATION, Inventory.GIVEN_AGAIN, FOREIGN_KIND);

    private final String code;
    private final Severity severity;
    private final List<Diagnostic> members = new ArrayList<>();

    private NoteGroup(String code, Severity severity) {
        this.code = code;
        this.severity = severity;
    }

    /** The harm of a problem, the worst first. */
    private enum Harm {
        /** Objects are missing. */
        UNREAD,
        /** Parts of objects are missing. */
        WARNING,
        NOTE,
        NONE
    }

    /** Groups diagnostics, the most harmful first, then the most frequent. */
    static List<NoteGroup> of(List<Diagnostic> all) {
        Map<String, NoteGroup> groups = new LinkedHashMap<>();
        boolean hasTemplates = all.stream().anyMatch(UnrenderedFiles::isTemplate);
        for (Diagnostic one : all) {
            // The group of templates names their charts.
            String code = !hasTemplates && UnrenderedFiles.isChart(one) ? CHART : groupCode(one);
            Severity severity = isHarmless(one) ? Severity.NOTE : one.severity();
            groups.computeIfAbsent(code + " " + severity, any -> new NoteGroup(code, severity))
                    .members
                    .add(one);
        }
        List<NoteGroup> sorted = new ArrayList<>(groups.values());
        sorted.sort(Comparator.comparing(NoteGroup::harm)
                .thenComparing(NoteGroup::size, Comparator.reverseOrder())
                .thenComparing(group -> group.code));
        return sorted;
    }

    /** Returns the code of a diagnostic, or a more specific one. */
    private static String groupCode(Diagnostic one) {
        if (UnrenderedFiles.isKustomization(one)) {
            return KUSTOMIZATION;
        }
        return isForeignKind(one) ? FOREIGN_KIND : one.code();
    }

    /**
     * Returns whether a diagnostic is printed as a note, although it is an error under strictness: an object that replaces an equal
     * one, a kind of another program, or a kustomization without an apiVersion.
     */
    static boolean isHarmless(Diagnostic one) {
        return one.code().equals(Inventory.GIVEN_AGAIN) || isForeignKind(one) || UnrenderedFiles.isKustomization(one);
    }

    /**
     * Returns whether a document has the form of a Kubernetes object but is for another program, for example Skaffold: its kind does
     * not exist in Kubernetes and is not similar to one that does.
     */
    static boolean isForeignKind(Diagnostic one) {
        return one.code().equals(UNKNOWN_KIND)
                && !one.text().contains("; did you mean ")
                && !ManifestChecks.isKindRead(one.object().map(ObjectRef::kind).orElse(""));
    }

    int size() {
        return members.size();
    }

    /** Returns whether the summary has the number of these diagnostics. */
    boolean isInSummary() {
        return !code.equals(KUSTOMIZATION)
                && !code.equals(CHART)
                && members.stream().allMatch(Summary::counts);
    }

    /** Returns whether a part of the input is missing, or Kubernetes refuses it. */
    boolean isWarning() {
        return severity == Severity.WARNING;
    }

    private Harm harm() {
        return switch (code) {
            case FileUse.BROKEN_DOCUMENT,
                    "unreadable-file",
                    "file-too-large",
                    "kustomization-resource",
                    "kustomization-limit",
                    "template",
                    KUSTOMIZATION,
                    ManifestChecks.REFUSED,
                    UNKNOWN_KIND,
                    "no-type",
                    "no-name" -> Harm.UNREAD;
            case Inventory.GIVEN_AGAIN, FOREIGN_KIND, ObjectReader.DEFAULTED -> Harm.NONE;
            default -> {
                if (severity == Severity.WARNING) {
                    yield Harm.WARNING;
                }
                yield members.stream().allMatch(Summary::counts) ? Harm.NONE : Harm.NOTE;
            }
        };
    }

    /** Returns all diagnostics, or the first few and the number of the others. */
    List<String> fullLines(List<Diagnostic> all, String command) {
        int most = severity == Severity.WARNING ? WARNINGS_OF_A_CODE : NOTES_OF_A_CODE;
        // A single remaining diagnostic is printed, because a line with its count would be as long.
        int shown = size() <= most + 1 ? size() : most;
        List<String> lines = new ArrayList<>();
        members.subList(0, shown).forEach(one -> lines.add(line(one)));
        if (shown < size()) {
            lines.add(word() + ": ... and " + (size() - shown) + " more of this sort (" + code
                    + "; --verbose prints all)");
        }
        hintLine(all, command).ifPresent(lines::add);
        return lines;
    }

    /** Returns a line with the command that reads what these diagnostics are about; empty if there is none. */
    Optional<String> hintLine(List<Diagnostic> all, String command) {
        return hint(all, command).map(hint -> "note: to " + hint);
    }

    /** Returns the last of the diagnostics. */
    Diagnostic last() {
        return members.get(members.size() - 1);
    }

    /** Returns one line: the number of the diagnostics with an example, or the only one, or the first one with the number of others. */
    String countedLine(List<Diagnostic> all, String command) {
        Diagnostic first = members.get(0);
        String hint = hint(all, command).map(text -> "; to " + text).orElse("");
        if (size() == 1) {
            boolean isKustomization = code.equals(KUSTOMIZATION);
            return word() + ": " + (isKustomization ? location(first) + ": a kustomization, not built here" : first)
                    + hint;
        }
        if (code.equals(KUSTOMIZATION)) {
            // The directory in the hint is an example.
            return word() + ": " + size() + " " + PHRASES.get(code) + hint;
        }
        if (PHRASES.containsKey(code)) {
            String example = WITHOUT_TEXT.contains(code) ? location(first) : cut(first);
            return word() + ": " + size() + " " + PHRASES.get(code) + ", for example " + example + hint;
        }
        if (members.stream().allMatch(one -> one.text().equals(first.text()))) {
            return word() + ": " + size() + " " + kinds() + ": " + first.text() + ", for example " + location(first)
                    + hint;
        }
        return word() + ": " + cut(first) + " (and " + (size() - 1) + " more of this sort)" + hint;
    }

    /** Returns the plural of the objects' kind. */
    private String kinds() {
        List<String> kinds = members.stream()
                .map(one -> one.object().map(ObjectRef::kind).orElse("object"))
                .distinct()
                .toList();
        return Plurals.of(kinds.size() == 1 ? kinds.get(0) : "object");
    }

    private Optional<String> hint(List<Diagnostic> all, String command) {
        return switch (code) {
            case "template", CHART -> UnrenderedFiles.chartHint(members, all, command);
            case KUSTOMIZATION, UNAPPLIED -> Optional.of(UnrenderedFiles.kustomizeHint(members, command));
            default -> Optional.empty();
        };
    }

    /** Returns position, object and field. */
    private static String location(Diagnostic one) {
        List<String> parts = new ArrayList<>();
        one.position().ifPresent(position -> parts.add(position.toString()));
        if (UnrenderedFiles.isKustomization(one)) {
            // It usually has no name.
            return String.join(": ", parts);
        }
        String object = one.object().map(ObjectRef::toString).orElse("");
        String field = one.field().orElse("");
        parts.add(object + (object.isEmpty() || field.isEmpty() ? "" : ", ") + field);
        parts.removeIf(String::isEmpty);
        return String.join(": ", parts);
    }

    private static String cut(Diagnostic one) {
        String text = one.text();
        String shown = text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "...";
        String location = location(one);
        return location.isEmpty() ? shown : location + ": " + shown;
    }

    /** Returns a diagnostic as a line. */
    static String line(Diagnostic one) {
        return word(isHarmless(one) ? Severity.NOTE : one.severity()) + ": " + one;
    }

    private String word() {
        return word(severity);
    }

    private static String word(Severity severity) {
        return severity == Severity.WARNING ? "warning" : "note";
    }
}
