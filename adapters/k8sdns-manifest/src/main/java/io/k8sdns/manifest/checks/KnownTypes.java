package io.k8sdns.manifest.checks;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.json.Field;
import io.k8sdns.json.ObjectType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The kinds, fields and types of values of the Kubernetes API, at the levels that are read. They are used to find
 * misspelt names and values that an API server cannot decode.
 *
 * <p>The names are in {@code known-types.txt}. Only the groups of kinds that are read are listed; every kind of another
 * group is assumed to be a custom resource.
 */
final class KnownTypes {
    /** The names of each section, with their types, or "" if only the name is known. */
    private static final Map<String, Map<String, String>> SECTIONS = load();

    private static final String CORE = "core/";

    /** The groups of Kubernetes without a dot that are not listed; {@code builtin} is that of kustomize. */
    private static final Set<String> WITHOUT_DOT = Set.of("autoscaling", "extensions", "policy");

    /** The kinds that are read. In another version they must be reported, because they would be missing otherwise. */
    static final Set<String> READ = Set.of(
            "Namespace",
            "Node",
            "Service",
            "Endpoints",
            "Pod",
            "EndpointSlice",
            "StatefulSet",
            "ServiceExport",
            "Deployment",
            "ReplicaSet",
            "ReplicationController",
            "DaemonSet",
            "Job",
            "CronJob");

    private static final String LIST = "[]";
    private static final String MAP = "map[string]";
    static final String UNKNOWN_FIELD = "unknown-field";

    /** The {@code apiVersion} of the generators and transformers that are built into kustomize. */
    private static final String KUSTOMIZE_PLUGIN = "builtin";

    /** Versions that API servers had before 1.25. */
    private static final Pattern EARLIER_VERSION = Pattern.compile("v[0-9]+(alpha|beta)[0-9]+");

    private KnownTypes() {}

    private static Map<String, Map<String, String>> load() {
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        try (InputStream in = Objects.requireNonNull(KnownTypes.class.getResourceAsStream("known-types.txt"));
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            Map<String, String> names = Map.of();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("[")) {
                    names = new LinkedHashMap<>();
                    sections.put(line.substring(1, line.length() - 1), names);
                } else if (!line.isEmpty() && !line.startsWith("#")) {
                    for (String word : line.split(" ", -1)) {
                        int colon = word.indexOf(':');
                        names.put(
                                colon < 0 ? word : word.substring(0, colon),
                                colon < 0 ? "" : word.substring(colon + 1));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sections;
    }

    /**
     * Returns the message of {@code kubectl} for a kind that does not exist; empty if it may exist, as in a group that
     * is not listed. A group and version that looks like a misspelt one of this kind, for example {@code core/v1}, is
     * an error.
     */
    static Optional<String> unknownKind(ObjectType type) {
        String version = type.apiVersion();
        if (version.equals(KUSTOMIZE_PLUGIN)) {
            return Optional.empty();
        }
        Map<String, String> kinds = SECTIONS.get(version);
        String suggestion = kinds == null
                ? suggestion(withoutCore(version), versionsOf(type.kind()))
                : suggestion(type.kind(), kinds.keySet());
        boolean known = kinds != null
                ? kinds.containsKey(type.kind())
                : suggestion.isEmpty() && mayHave(group(version), type.kind())
                        || isEarlierVersion(version) && isEarlierOf(group(version), type.kind());
        return known
                ? Optional.empty()
                : Optional.of(
                        "no matches for kind \"" + type.kind() + "\" in version \"" + version + "\"" + suggestion);
    }

    /**
     * Returns whether a group that is not listed may have that kind. Groups of custom resources have a dot; Kubernetes' own
     * groups ({@code k8s.io}) have no kind with the name of a kind that is read.
     */
    private static boolean mayHave(String group, String kind) {
        return !isListedGroup(group)
                && (WITHOUT_DOT.contains(group) && !READ.contains(kind)
                        || group.contains(".") && !(READ.contains(kind) && group.endsWith(".k8s.io")));
    }

    /** Returns a version without {@code core/}, which is often written although the core group has no name. */
    private static String withoutCore(String version) {
        return version.regionMatches(true, 0, CORE, 0, CORE.length()) ? version.substring(CORE.length()) : version;
    }

    private static Set<String> versionsOf(String kind) {
        return SECTIONS.keySet().stream()
                .filter(section -> isVersion(section) && names(section).containsKey(kind))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /**
     * Returns whether a group may have had a kind in an earlier version. False for kinds that are read: their earlier versions
     * have been removed from API servers, and must be reported, because the object is not read.
     */
    private static boolean isEarlierOf(String group, String kind) {
        return isListedGroup(group) || WITHOUT_DOT.contains(group) ? !READ.contains(kind) : mayHave(group, kind);
    }

    private static boolean isEarlierVersion(String version) {
        return EARLIER_VERSION
                .matcher(version.substring(version.indexOf('/') + 1))
                .matches();
    }

    private static boolean isListedGroup(String group) {
        return SECTIONS.keySet().stream()
                .anyMatch(section -> isVersion(section) && group(section).equals(group));
    }

    private static boolean isVersion(String section) {
        return section.equals("v1") || section.contains("/");
    }

    /** Returns the group of an API version: {@code apps} for {@code apps/v1}, "" for {@code v1}. */
    private static String group(String apiVersion) {
        return apiVersion.substring(0, Math.max(apiVersion.indexOf('/'), 0));
    }

    /**
     * A field that its type does not have, or that has a value of another type.
     *
     * @param code the code of the diagnostic
     * @param text the problem
     */
    record Finding(Field field, String code, String text) {
        /**
         * Returns whether the field is a directive of a strategic merge patch: {@code $patch},
         * {@code $setElementOrder/ports}.
         */
        boolean isPatchDirective() {
            return code.equals(UNKNOWN_FIELD) && field.name().startsWith("$");
        }

        void report() {
            field.warn(code, text);
        }
    }

    /**
     * Returns the fields that a type does not have, at all levels that are read, in the order of the document. The
     * texts are those of {@code kubectl}, with the most similar known field.
     *
     * @param object an object
     * @param type the name of its type, for example {@code Service}
     * @param checksValues whether values that an API server cannot decode are returned too
     */
    static List<Finding> findings(Field object, String type, boolean checksValues) {
        List<Finding> findings = new ArrayList<>();
        addFindings(object, type, checksValues, findings);
        return findings;
    }

    private static void addFindings(Field field, String type, boolean checksValues, List<Finding> findings) {
        if (checksValues) {
            // The same code and words as in Field, so that the problem is not reported twice.
            field.typeError(type).ifPresent(text -> findings.add(new Finding(field, Field.WRONG_TYPE, text)));
        }
        if (type.startsWith(MAP)) {
            if (!field.keys().isEmpty()) {
                String ofValues = type.substring(MAP.length());
                field.members().values().forEach(member -> addFindings(member, ofValues, checksValues, findings));
            }
            return;
        }
        String single = type.startsWith(LIST) ? type.substring(LIST.length()) : type;
        Map<String, String> known = SECTIONS.getOrDefault(single, Map.of());
        if (!known.isEmpty()) {
            addFindingsOfFields(field, known, checksValues, findings);
        }
        if (!known.isEmpty() || type.startsWith(LIST)) {
            field.entries().forEach(entry -> addFindings(entry, single, checksValues, findings));
        }
    }

    private static void addFindingsOfFields(
            Field field, Map<String, String> known, boolean checksValues, List<Finding> findings) {
        for (String key : field.keys()) {
            Field child = field.get(key);
            String type = known.get(key);
            if (type == null) {
                String text = "unknown field \"" + child.path().orElse("") + "\"" + suggestion(key, known.keySet());
                findings.add(new Finding(child, UNKNOWN_FIELD, text));
            } else if (!type.isEmpty()) {
                addFindings(child, type, checksValues, findings);
            }
        }
    }

    private static Map<String, String> names(String section) {
        return Objects.requireNonNull(SECTIONS.get(section), section);
    }

    private static String suggestion(String word, Set<String> known) {
        return EditDistance.nearest(word, known)
                .map(nearest -> "; did you mean \"" + nearest + "\"?")
                .orElse("");
    }
}
