package io.k8sdns.manifest;

import io.k8sdns.json.ObjectReader;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Diagnostic.Severity;
import io.k8sdns.model.ObjectRef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes one line about the objects that were read, that were completed, and that have no record, with the reasons. */
final class Summary {
    private static final int MAX_KINDS = 6;
    private static final int MAX_OBJECTS = 8;
    private static final String NO_RECORD = "no record: ";

    /** The codes of {@code Completion}'s notes, with the kind of the completed object. */
    private static final Map<String, String> COMPLETED = Map.of(
            "completed-service", "Service",
            "completed-pod", "Pod",
            "completed-stateful-set", "StatefulSet",
            "completed-namespace", "Namespace");

    private int files;

    /** Counts a file. */
    void file() {
        files++;
    }

    /** Returns the number of counted files. */
    int files() {
        return files;
    }

    /** Returns the line. */
    String line(Map<String, Integer> read, List<Diagnostic> diagnostics) {
        List<String> parts = new ArrayList<>();
        parts.add("read " + counted(files, "file") + ": "
                + (read.isEmpty() ? "nothing that makes a record" : counted(read)));
        Map<String, Integer> completed = new LinkedHashMap<>();
        Map<String, Integer> passedOver = new LinkedHashMap<>();
        int warnings = 0;
        for (Diagnostic one : diagnostics) {
            String kind = COMPLETED.get(one.code());
            if (kind != null) {
                completed.merge(kind, 1, Integer::sum);
            } else if (one.code().equals(ObjectReader.KIND_NOT_READ)) {
                passedOver.merge(one.object().map(ObjectRef::kind).orElse("object"), 1, Integer::sum);
            } else if (one.severity() == Severity.WARNING) {
                warnings++;
            }
        }
        if (!completed.isEmpty()) {
            parts.add("completed " + counted(completed));
        }
        if (!passedOver.isEmpty()) {
            parts.add("skipped " + counted(passedOver));
        }
        if (warnings > 0) {
            parts.add(counted(warnings, "warning"));
        }
        noRecord(diagnostics).ifPresent(parts::add);
        return String.join("; ", parts);
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
                        + (reason.contains("no Pod") ? "; Deployments and Jobs are not read yet" : "") + ")");
            }
        });
        return reasons.isEmpty() ? Optional.empty() : Optional.of(NO_RECORD + String.join(", ", reasons));
    }

    private static String counted(Map<String, Integer> counts) {
        List<String> words = new ArrayList<>();
        counts.entrySet().stream()
                .limit(MAX_KINDS)
                .forEach(entry -> words.add(counted(entry.getValue(), entry.getKey())));
        int rest = counts.values().stream()
                .skip(MAX_KINDS)
                .mapToInt(Integer::intValue)
                .sum();
        if (rest > 0) {
            words.add(counted(rest, "other"));
        }
        return String.join(", ", words);
    }

    private static String counted(int count, String word) {
        if (count == 1 || word.endsWith("s")) {
            return count + " " + word;
        }
        boolean yToIes = word.endsWith("y") && "aeiou".indexOf(word.charAt(word.length() - 2)) < 0;
        return count + " " + (yToIes ? word.substring(0, word.length() - 1) + "ies" : word + "s");
    }
}
