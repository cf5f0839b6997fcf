package io.k8sdns.manifest;

import io.k8sdns.json.ObjectReader;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Diagnostic.Severity;
import io.k8sdns.model.ObjectRef;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counts the files and objects that were read, completed, and skipped, and names the objects without a record, with the
 * reasons.
 */
final class Summary {
    /** The beginning of texts about objects without a record. */
    static final String NO_RECORD = "no record: ";

    private static final int MAX_KINDS = 24;

    /** The largest number of kinds of custom resources that are named. */
    private static final int MAX_CUSTOM_KINDS = 6;

    private static final int MAX_OBJECTS = 8;

    /** The codes of {@code Completion}'s notes about completed objects. */
    private static final Set<String> COMPLETED =
            Set.of("completed-service", "completed-pod", "completed-workload", "completed-namespace");

    private final Map<FileUse, Integer> files = new EnumMap<>(FileUse.class);

    /** Counts a file. */
    void file(FileUse use) {
        files.merge(use, 1, Integer::sum);
    }

    /** Returns the number of counted files. */
    int files() {
        return files.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Returns whether the summary has the number of these diagnostics. */
    static boolean counts(Diagnostic one) {
        return COMPLETED.contains(one.code())
                || one.code().equals(ObjectReader.KIND_NOT_READ)
                || one.code().equals(FileUse.NO_OBJECT);
    }

    /**
     * Returns the parts of the summary, the most important first.
     *
     * @param read the number of objects of each kind
     */
    List<String> lines(Map<String, Integer> read, List<Diagnostic> diagnostics) {
        List<String> parts = new ArrayList<>();
        parts.add("read " + Plurals.counted(files(), "file") + ": "
                + (read.isEmpty() ? "no object that has records" : counted(read)));
        uses().ifPresent(parts::add);
        Map<String, Integer> completed = new LinkedHashMap<>();
        int warnings = 0;
        for (Diagnostic one : diagnostics) {
            if (COMPLETED.contains(one.code())) {
                completed.merge(one.object().map(ObjectRef::kind).orElse("object"), 1, Integer::sum);
            } else if (one.severity() == Severity.WARNING && !NoteGroup.isHarmless(one)) {
                warnings++;
            }
        }
        if (!completed.isEmpty()) {
            parts.add("completed " + counted(completed));
        }
        skipped(diagnostics).ifPresent(parts::add);
        if (warnings > 0) {
            parts.add(Plurals.counted(warnings, "warning"));
        }
        noRecord(diagnostics).ifPresent(parts::add);
        return parts;
    }

    /** Describes the uses of the files; empty if all files are manifests. */
    private Optional<String> uses() {
        if (files.keySet().stream().allMatch(FileUse::isManifest)) {
            return Optional.empty();
        }
        List<String> words = new ArrayList<>();
        files.forEach((use, count) -> words.add(use.words(count)));
        return Optional.of(String.join(", ", words));
    }

    /** Describes the skipped objects, sorted by kind. Custom resources of many kinds are only counted. */
    private static Optional<String> skipped(List<Diagnostic> diagnostics) {
        Map<String, Integer> kinds = new TreeMap<>();
        Map<String, Integer> custom = new TreeMap<>();
        for (Diagnostic one : diagnostics) {
            if (one.code().equals(ObjectReader.KIND_NOT_READ) && !UnrenderedFiles.isKustomization(one)) {
                (isCustom(one) ? custom : kinds)
                        .merge(one.object().map(ObjectRef::kind).orElse("object"), 1, Integer::sum);
            }
        }
        if (custom.size() <= MAX_CUSTOM_KINDS) {
            custom.forEach((kind, count) -> kinds.merge(kind, count, Integer::sum));
            custom.clear();
        }
        if (kinds.isEmpty() && custom.isEmpty()) {
            return Optional.empty();
        }
        List<String> words = new ArrayList<>();
        if (!kinds.isEmpty()) {
            words.add(counted(kinds));
        }
        if (!custom.isEmpty()) {
            words.add(Plurals.counted(sum(custom), "custom resource") + " of " + custom.size() + " kinds");
        }
        return Optional.of("skipped " + String.join(", ", words));
    }

    /** Returns whether a skipped object is a custom resource: its group has a dot and is none of Kubernetes' own. */
    private static boolean isCustom(Diagnostic skipped) {
        String[] words = skipped.text().split(" ", -1);
        int of = List.of(words).indexOf("of");
        String apiVersion = of < 0 || of + 1 == words.length ? "" : words[of + 1];
        String group = apiVersion.substring(0, Math.max(apiVersion.indexOf('/'), 0));
        return group.contains(".") && !group.endsWith(".k8s.io");
    }

    /** Names the objects without a record; Services without Pods are first, because users miss them most. */
    private static Optional<String> noRecord(List<Diagnostic> diagnostics) {
        Map<String, List<String>> byReason = new LinkedHashMap<>();
        byReason.put("its selector matches no Pod", new ArrayList<>());
        for (Diagnostic one : diagnostics) {
            if (one.text().startsWith(NO_RECORD) && one.object().isPresent()) {
                byReason.computeIfAbsent(one.text().substring(NO_RECORD.length()), reason -> new ArrayList<>())
                        .add(one.object().get().toString());
            }
        }
        List<String> reasons = new ArrayList<>();
        byReason.forEach((reason, objects) -> {
            if (!objects.isEmpty()) {
                String more = objects.size() > MAX_OBJECTS ? " and " + (objects.size() - MAX_OBJECTS) + " more" : "";
                reasons.add(String.join(", ", objects.subList(0, Math.min(objects.size(), MAX_OBJECTS))) + more + " ("
                        + reason
                        + ")");
            }
        });
        return reasons.isEmpty() ? Optional.empty() : Optional.of(NO_RECORD + String.join(", ", reasons));
    }

    private static String counted(Map<String, Integer> counts) {
        List<String> words = new ArrayList<>();
        counts.entrySet().stream()
                .limit(MAX_KINDS)
                .forEach(entry -> words.add(Plurals.counted(entry.getValue(), entry.getKey())));
        int rest = sum(counts)
                - counts.values().stream()
                        .limit(MAX_KINDS)
                        .mapToInt(Integer::intValue)
                        .sum();
        if (rest > 0) {
            words.add(Plurals.counted(rest, "other"));
        }
        return String.join(", ", words);
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }
}
