package io.k8sdns.manifest;

import io.k8sdns.arguments.Copies;
import io.k8sdns.json.ConfigMap;
import io.k8sdns.json.FileNotes;
import io.k8sdns.json.ObjectType;
import io.k8sdns.json.ScalarType;
import io.k8sdns.json.Value;
import io.k8sdns.manifest.objects.ObjectRenaming;
import io.k8sdns.manifest.objects.TypedObjects;
import io.k8sdns.model.Internal;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import io.k8sdns.model.Service;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the host names that programs will look up: in the environment, the command and the arguments of the containers of Pods and
 * workloads, in ConfigMaps, and in ExternalName Services.
 *
 * <p>Found are hosts of URLs, words before a port ({@code cart:8080}), values of variables, flags and keys that end in a word such as
 * host, server or address, names with {@code svc}, and words that the caller knows. References to variables, {@code $(NAME)}, are
 * replaced by the container's earlier variables; Secrets and values that exist only at run time are not read.
 */
public final class HostUses {
    private static final ObjectType CONFIG_MAP = new ObjectType("v1", ConfigMap.KIND);
    private static final ObjectType SERVICE = new ObjectType("v1", Service.KIND);
    private static final Pattern VARIABLE = Pattern.compile("\\$\\$|\\$\\(([A-Za-z0-9_.-]++)\\)");

    /** The maximum length of a text in which variables are replaced. */
    private static final int MAX_LENGTH = 4096;

    private final String defaultNamespace;
    private final BiPredicate<String, String> known;
    private final FileNotes notes;
    private final List<Use> found;

    /**
     * A host name that a manifest holds.
     *
     * @param host the name as it is written, for example {@code db.shop} or {@code www.example.com.}
     * @param object the workload, Pod, ConfigMap or ExternalName Service that holds it
     * @param field the field, for example {@code spec.template.spec.containers[0].env[DB_HOST]}
     * @param position the position of the field's text
     */
    public record Use(String host, ObjectRef object, String field, Position position) {
        /** Checks that nothing is null. */
        @Internal
        public Use {
            Objects.requireNonNull(host, "host");
            Objects.requireNonNull(object, "object");
            Objects.requireNonNull(field, "field");
            Objects.requireNonNull(position, "position");
        }

        /** Returns the namespace in which the name is looked up, that of the object. */
        public String namespace() {
            return object.namespace().orElseThrow();
        }
    }

    private HostUses(String defaultNamespace, BiPredicate<String, String> known, FileNotes notes, List<Use> found) {
        this.defaultNamespace = defaultNamespace;
        this.known = known;
        this.notes = notes;
        this.found = found;
    }

    /**
     * Returns the host names in manifests.
     *
     * @param inputs the manifests; documents that cannot be read are skipped ({@link Manifests} reports them)
     * @param defaultNamespace the namespace of objects that name none
     * @param known whether a word, the second argument, is a name in a namespace, the first one; asked about words that have a dot or
     *     are a whole text
     * @return in the order of the input, without repetitions in one text
     * @throws IOException if an input is missing or cannot be read; the message names it
     */
    public static List<Use> in(List<ManifestInput> inputs, String defaultNamespace, BiPredicate<String, String> known)
            throws IOException {
        List<ManifestInput> all = Copies.list("inputs", inputs);
        Objects.requireNonNull(defaultNamespace, "defaultNamespace");
        Objects.requireNonNull(known, "known");
        List<Use> found = new ArrayList<>();
        ManifestFiles files = new ManifestFiles(Manifests.LARGEST_FILE, new ManifestFiles.FileReceiver() {
            @Override
            public void file(byte[] bytes, FileNotes notes, ObjectRenaming renaming) {
                HostUses names = new HostUses(defaultNamespace, known, notes, found);
                TypedObjects.read(bytes, HostUses::isRead, renaming)
                        .forEach(one -> names.object(one.type(), one.object()));
            }

            @Override
            public void skipped(FileNotes notes) {
                // Manifests reports the file.
            }
        });
        for (ManifestInput input : all) {
            files.read(input);
        }
        return List.copyOf(found);
    }

    private static boolean isRead(ObjectType type) {
        return type.equals(CONFIG_MAP)
                || type.equals(SERVICE)
                || type.equals(FirstPod.POD)
                || TemplatePod.path(type).isPresent();
    }

    private void object(ObjectType type, Value.Mapping object) {
        Value metadata = object.get("metadata");
        String name = text(member(metadata, "name"));
        String namespace = text(member(metadata, "namespace"));
        ObjectRef ref = ObjectRef.of(
                type.kind(), namespace.isEmpty() ? defaultNamespace : namespace, name.isEmpty() ? "(no name)" : name);
        if (type.equals(CONFIG_MAP)) {
            configMap(ref, object.get("data"));
        } else if (type.equals(SERVICE)) {
            Value target = member(object.get("spec"), "externalName");
            text(ref, "spec.externalName", target, text(target), "host");
        } else {
            List<String> path = TemplatePod.path(type).orElse(List.of());
            Value parent = object;
            for (String key : path) {
                parent = member(parent, key);
            }
            Value spec = member(parent, "spec");
            String prefix = String.join(".", path) + (path.isEmpty() ? "" : ".") + "spec.";
            for (String list : List.of("initContainers", "containers")) {
                List<Value> containers = items(member(spec, list));
                for (int i = 0; i < containers.size(); i++) {
                    container(ref, prefix + list + "[" + i + "].", containers.get(i));
                }
            }
        }
    }

    private void configMap(ObjectRef ref, @Nullable Value data) {
        if (data instanceof Value.Mapping texts) {
            for (String key : texts.keys()) {
                Value value = texts.get(key);
                text(ref, "data[" + key + "]", value, text(value), key);
            }
        }
    }

    private void container(ObjectRef ref, String path, Value container) {
        Map<String, String> variables = new HashMap<>();
        for (Value variable : items(member(container, "env"))) {
            String name = text(member(variable, "name"));
            Value value = member(variable, "value");
            String replaced = replaced(text(value), variables);
            variables.put(name, isNamespace(variable) ? ref.namespace().orElseThrow() : replaced);
            text(ref, path + "env[" + name + "]", value, replaced, name);
        }
        for (String list : List.of("command", "args")) {
            List<Value> words = items(member(container, list));
            String before = "";
            for (int i = 0; i < words.size(); i++) {
                String word = replaced(text(words.get(i)), variables);
                // The value of an option, or the argument of a program.
                text(ref, path + list + "[" + i + "]", words.get(i), word, before);
                before = word.contains("=") ? "" : word;
            }
        }
    }

    /** Returns whether a variable holds the namespace of the Pod. */
    private static boolean isNamespace(Value variable) {
        Value field = member(member(variable, "valueFrom"), "fieldRef");
        return text(member(field, "fieldPath")).equals("metadata.namespace");
    }

    /** Replaces references as the kubelet does; one to an unknown variable stays as written. */
    private static String replaced(String text, Map<String, String> variables) {
        if (text.indexOf('$') < 0 || text.length() > MAX_LENGTH) {
            return text;
        }
        StringBuilder replaced = new StringBuilder();
        Matcher reference = VARIABLE.matcher(text);
        while (reference.find()) {
            // Two dollar signs are one, before which nothing is replaced.
            String value =
                    reference.group(1) == null ? "$" : variables.getOrDefault(reference.group(1), reference.group());
            if (replaced.length() + value.length() > MAX_LENGTH) {
                return text;
            }
            reference.appendReplacement(replaced, Matcher.quoteReplacement(value));
        }
        return reference.appendTail(replaced).toString();
    }

    private void text(ObjectRef ref, String field, @Nullable Value value, String text, String name) {
        if (value == null || text.isEmpty()) {
            return;
        }
        String namespace = ref.namespace().orElseThrow();
        for (String host : HostWords.in(text, name, word -> known.test(namespace, word))) {
            found.add(new Use(host, ref, field, notes.position(value.line())));
        }
    }

    private static List<Value> items(@Nullable Value list) {
        return list instanceof Value.Sequence sequence ? sequence.items() : List.of();
    }

    private static @Nullable Value member(@Nullable Value parent, String key) {
        return parent instanceof Value.Mapping mapping ? mapping.get(key) : null;
    }

    private static String text(@Nullable Value value) {
        return value instanceof Value.Scalar scalar && scalar.type() != ScalarType.NULL ? scalar.text() : "";
    }
}
