package io.k8sdns.manifest.kustomize;

import io.k8sdns.json.FileNotes;
import io.k8sdns.json.ObjectType;
import io.k8sdns.json.ScalarType;
import io.k8sdns.json.Value;
import io.k8sdns.manifest.objects.ObjectRenaming;
import io.k8sdns.manifest.objects.TypedObjects;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One {@code kustomization.yaml}.
 *
 * @param file the path of the file in messages
 * @param directory its directory, without links
 * @param isComponent whether it is a Component, which changes the objects of the kustomization that names it
 * @param resources the entries of {@code bases} and {@code resources}
 * @param components the entries of {@code components}
 * @param change the changes of names
 * @param otherFiles the files that fields which are not applied name, for example patches; they are no resources
 * @param unapplied the other fields, with their lines; {@code labels} that change more than labels have a longer name
 * @param notes the problems of the file
 */
public record Kustomization(
        Path file,
        Path directory,
        boolean isComponent,
        List<Reference> resources,
        List<Reference> components,
        NameTransformation change,
        List<String> otherFiles,
        Map<String, Integer> unapplied,
        FileNotes notes) {
    private static final String GROUP = "kustomize.config.k8s.io/";

    /** A namespace or a name has at most 253 characters. */
    private static final int MAX_NAME = 253;

    private static final Set<String> APPLIED = Set.of(
            "apiVersion",
            "kind",
            "metadata",
            "resources",
            "bases",
            "components",
            "namespace",
            "namePrefix",
            "nameSuffix");

    private static final String LABELS = "labels";

    /**
     * The fields that change no record. Not {@code commonLabels}, which adds to selectors: a Service without a selector gets one, and
     * one label on two workloads lets both of their Services select all Pods.
     */
    private static final Set<String> HARMLESS = Set.of(
            "buildMetadata",
            "commonAnnotations",
            "configMapGenerator",
            "crds",
            "generatorOptions",
            "images",
            LABELS,
            "openapi",
            "secretGenerator",
            "sortOptions",
            "validators");

    /** The lists of paths of files. */
    private static final List<String> LISTS =
            List.of("patchesStrategicMerge", "configurations", "crds", "generators", "transformers", "validators");

    /** The lists of mappings that have a path of a file. */
    private static final List<String> WITH_PATH = List.of("patches", "patchesJson6902", "replacements");

    /** The lists of mappings that have lists of files. */
    private static final List<String> GENERATORS = List.of("configMapGenerator", "secretGenerator");

    /**
     * An entry of {@code resources} or {@code components}.
     *
     * @param path the entry as it is written
     */
    record Reference(String path, int line) {}

    /** Returns whether both are the same file, because a directory has only one kustomization. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Kustomization that && directory.equals(that.directory);
    }

    @Override
    public int hashCode() {
        return directory.hashCode();
    }

    /**
     * Reads a kustomization.
     *
     * @param bytes the whole file
     * @return empty if the file cannot be parsed, or is of another kind
     */
    static Optional<Kustomization> read(Path file, Path directory, byte[] bytes) {
        List<TypedObjects.Found> objects = TypedObjects.read(bytes, type -> true, ObjectRenaming.NONE);
        if (objects.size() != 1) {
            return Optional.empty();
        }
        ObjectType type = objects.get(0).type();
        boolean isComponent = type.kind().equals("Component");
        if (!type.apiVersion().isEmpty() && !type.apiVersion().startsWith(GROUP)
                || !type.kind().isEmpty() && !type.kind().equals("Kustomization") && !isComponent) {
            return Optional.empty();
        }
        FileNotes notes = new FileNotes(file.toString());
        Value.Mapping fields = objects.get(0).object();
        List<Reference> resources = new ArrayList<>(references(fields, "bases", notes));
        resources.addAll(references(fields, "resources", notes));
        Map<String, Integer> unapplied = new LinkedHashMap<>();
        for (String key : fields.keys()) {
            Value value = fields.get(key);
            if (value != null && !APPLIED.contains(key) && !value.isEmpty()) {
                String name = key.equals(LABELS) ? labels(value) : FileNotes.printable(key);
                unapplied.put(name, value.line());
            }
        }
        return Optional.of(new Kustomization(
                file,
                directory,
                isComponent,
                resources,
                references(fields, "components", notes),
                new NameTransformation(
                        text(fields, "namespace", notes),
                        text(fields, "namePrefix", notes),
                        text(fields, "nameSuffix", notes)),
                otherFiles(fields),
                unapplied,
                notes));
    }

    /** Returns whether a field changes no record. */
    static boolean isHarmless(String field) {
        return HARMLESS.contains(field);
    }

    /** Returns the name of {@code labels}, with the option by which they change selectors if they have one. */
    private static String labels(Value value) {
        for (Value entry : items(value)) {
            String includesSelectors = member(entry, "includeSelectors");
            if (!includesSelectors.isEmpty() && !includesSelectors.equalsIgnoreCase("false")) {
                return LABELS + " with includeSelectors";
            }
            // The paths of further fields, which may be selectors.
            if (entry instanceof Value.Mapping mapping
                    && !items(mapping.get("fields")).isEmpty()) {
                return LABELS + " with fields";
            }
        }
        return LABELS;
    }

    private static List<Reference> references(Value.Mapping fields, String key, FileNotes notes) {
        List<Reference> references = new ArrayList<>();
        Value value = fields.get(key);
        if (value instanceof Value.Sequence list) {
            for (Value item : list.items()) {
                String path = text(item);
                if (path.isEmpty()) {
                    wrongType(key, item, "a path", notes);
                } else {
                    references.add(new Reference(path, item.line()));
                }
            }
        } else if (value != null && !value.isEmpty()) {
            wrongType(key, value, "a list of paths", notes);
        }
        return references;
    }

    private static String text(Value.Mapping fields, String key, FileNotes notes) {
        Value value = fields.get(key);
        String text = text(value);
        if (value != null && text.isEmpty() && !value.isEmpty() || text.length() > MAX_NAME) {
            wrongType(key, value, "a text of at most " + MAX_NAME + " characters", notes);
            return "";
        }
        return text;
    }

    private static void wrongType(String key, @Nullable Value value, String wanted, FileNotes notes) {
        int line = value == null ? 0 : value.line();
        notes.warn("wrong-type", Optional.empty(), Optional.of(key), line, "must be " + wanted + "; ignored");
    }

    private static String text(@Nullable Value value) {
        return value instanceof Value.Scalar scalar && scalar.type() != ScalarType.NULL ? scalar.text() : "";
    }

    private static List<String> otherFiles(Value.Mapping fields) {
        List<String> files = new ArrayList<>();
        LISTS.forEach(key -> items(fields.get(key)).forEach(item -> files.add(text(item))));
        WITH_PATH.forEach(key -> items(fields.get(key)).forEach(item -> files.add(member(item, "path"))));
        for (String key : GENERATORS) {
            for (Value generator : items(fields.get(key))) {
                if (generator instanceof Value.Mapping mapping) {
                    items(mapping.get("files")).forEach(item -> {
                        String file = text(item);
                        files.add(file.substring(file.indexOf('=') + 1));
                    });
                }
            }
        }
        for (Value chart : items(fields.get("helmCharts"))) {
            files.add(member(chart, "valuesFile"));
            if (chart instanceof Value.Mapping mapping) {
                items(mapping.get("additionalValuesFiles")).forEach(item -> files.add(text(item)));
            }
        }
        // An entry with several lines is a patch, not a path.
        files.removeIf(file -> file.isEmpty() || file.indexOf('\n') >= 0);
        return files;
    }

    private static List<Value> items(@Nullable Value list) {
        return list instanceof Value.Sequence sequence ? sequence.items() : List.of();
    }

    private static String member(Value parent, String key) {
        return parent instanceof Value.Mapping mapping ? text(mapping.get(key)) : "";
    }
}
