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
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the host names that programs will look up: in the environment, the command and the arguments of the containers of Pods and
 * workloads, in ConfigMaps, and in ExternalName Services.
 *
 * <p>Found are hosts of URLs, words before a port ({@code cart:8080}), values of variables, flags and keys that end in a word such as
 * host, server or address, names with {@code svc}, and words that the caller knows. References to variables, {@code $(NAME)}, are
 * replaced by the container's earlier variables and those of {@code envFrom}; Secrets and values that exist only at run time are not read.
 * The keys of a ConfigMap have the names of the variables, too, that take their values.
 */
public final class HostUses {
    private static final ObjectType CONFIG_MAP = new ObjectType("v1", ConfigMap.KIND);
    private static final ObjectType SERVICE = new ObjectType("v1", Service.KIND);
    private static final Pattern VARIABLE = Pattern.compile("\\$\\$|\\$\\(([A-Za-z0-9_.-]++)\\)");

    /** The maximum length of a text in which variables are replaced. */
    private static final int MAX_LENGTH = 4096;

    private final String defaultNamespace;
    private final BiPredicate<String, String> known;
    private final List<Document> documents = new ArrayList<>();
    private final List<Use> found = new ArrayList<>();

    /** The ConfigMaps by their object. */
    private final Map<ObjectRef, Value> configMaps = new HashMap<>();

    /** The names of the variables that take the value of a key of a ConfigMap. */
    private final Map<Key, Set<String>> variablesOfKeys = new HashMap<>();

    /** The ConfigMaps whose variables are known. Many containers can have the same one. */
    private final Set<Prefixed> prefixes = new HashSet<>();

    /**
     * An object of a file.
     *
     * @param renaming the changes that its kustomizations make to names
     */
    private record Document(
            ObjectType type, ObjectRef ref, Value.Mapping object, FileNotes notes, ObjectRenaming renaming) {}

    /** A ConfigMap whose keys are variables, after a prefix. */
    private record Prefixed(ObjectRef configMap, String prefix) {}

    /** A key of a ConfigMap. */
    private record Key(ObjectRef configMap, String name) {}

    /**
     * A host name that a manifest holds.
     *
     * @param host the name as it is written, for example {@code db.shop} or {@code www.example.com.}; the target of an alias is absolute,
     *     with a dot at the end
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

    private HostUses(String defaultNamespace, BiPredicate<String, String> known) {
        this.defaultNamespace = defaultNamespace;
        this.known = known;
    }

    /**
     * Returns the host names in manifests.
     *
     * @param inputs the manifests; documents that cannot be read are skipped ({@link Manifests} reports them)
     * @param defaultNamespace the namespace of objects that name none
     * @param known whether a word, the second argument, is a name in a namespace, the first one; asked about words that have a dot,
     *     are a whole text, or are before a number that may be a port
     * @return in the order of the input, without repetitions in one text
     * @throws IOException if an input is missing or cannot be read; the message names it
     */
    public static List<Use> in(List<ManifestInput> inputs, String defaultNamespace, BiPredicate<String, String> known)
            throws IOException {
        List<ManifestInput> all = Copies.list("inputs", inputs);
        Objects.requireNonNull(defaultNamespace, "defaultNamespace");
        Objects.requireNonNull(known, "known");
        HostUses names = new HostUses(defaultNamespace, known);
        ManifestFiles files = new ManifestFiles(Manifests.LARGEST_FILE, new ManifestFiles.FileReceiver() {
            @Override
            public void file(byte[] bytes, FileNotes notes, ObjectRenaming renaming) {
                TypedObjects.read(bytes, HostUses::isRead, renaming)
                        .forEach(one -> names.add(one.type(), one.object(), notes, renaming));
            }

            @Override
            public void skipped(FileNotes notes) {
                // Manifests reports the file.
            }
        });
        for (ManifestInput input : all) {
            files.read(input);
        }
        return names.uses();
    }

    private static boolean isRead(ObjectType type) {
        return type.equals(CONFIG_MAP)
                || type.equals(SERVICE)
                || type.equals(FirstPod.POD)
                || TemplatePod.path(type).isPresent();
    }

    private void add(ObjectType type, Value.Mapping object, FileNotes notes, ObjectRenaming renaming) {
        Value metadata = object.get("metadata");
        String name = text(member(metadata, "name"));
        String namespace = text(member(metadata, "namespace"));
        ObjectRef ref = ObjectRef.of(
                type.kind(), namespace.isEmpty() ? defaultNamespace : namespace, name.isEmpty() ? "(no name)" : name);
        documents.add(new Document(type, ref, object, notes, renaming));
        if (type.equals(CONFIG_MAP)) {
            Value data = object.get("data");
            if (data != null) {
                configMaps.put(ref, data);
            }
        }
    }

    private List<Use> uses() {
        for (Document document : documents) {
            containers(document, (path, container) -> addVariablesOfKeys(document, container));
        }
        documents.forEach(this::findUses);
        return List.copyOf(found);
    }

    private void findUses(Document document) {
        if (document.type.equals(CONFIG_MAP)) {
            configMap(document);
        } else if (document.type.equals(SERVICE)) {
            Value spec = document.object.get("spec");
            Value target = member(spec, "externalName");
            if (text(member(spec, "type")).equals("ExternalName")) {
                // The target of an alias is absolute: no resolver applies its search list to it.
                String host = text(target);
                text(document, "spec.externalName", target, host.endsWith(".") ? host : host + ".", Set.of("host"));
            }
        } else {
            containers(document, (path, container) -> container(document, path, container));
        }
    }

    /** Visits the containers of a Pod or workload, each with the path of its fields; those of other objects have none. */
    private static void containers(Document document, BiConsumer<String, Value> visitor) {
        List<String> path = TemplatePod.path(document.type).orElse(List.of());
        Value parent = document.object;
        for (String key : path) {
            parent = member(parent, key);
        }
        Value spec = member(parent, "spec");
        String prefix = String.join(".", path) + (path.isEmpty() ? "" : ".") + "spec.";
        for (String list : List.of("initContainers", "containers")) {
            List<Value> containers = items(member(spec, list));
            for (int i = 0; i < containers.size(); i++) {
                visitor.accept(prefix + list + "[" + i + "].", containers.get(i));
            }
        }
    }

    private void configMap(Document document) {
        if (document.object.get("data") instanceof Value.Mapping texts) {
            for (String key : texts.keys()) {
                Set<String> names = new LinkedHashSet<>(Set.of(key));
                names.addAll(variablesOfKeys.getOrDefault(new Key(document.ref, key), Set.of()));
                Value value = texts.get(key);
                text(document, "data[" + key + "]", value, text(value), names);
            }
        }
    }

    private void addVariablesOfKeys(Document document, Value container) {
        for (Prefixed prefixed : prefixed(document, container)) {
            if (prefixes.add(prefixed) && configMaps.get(prefixed.configMap) instanceof Value.Mapping data) {
                data.keys().forEach(key -> addVariableOfKey(new Key(prefixed.configMap, key), prefixed.prefix + key));
            }
        }
        for (Value variable : items(member(container, "env"))) {
            key(document, variable).ifPresent(key -> addVariableOfKey(key, text(member(variable, "name"))));
        }
    }

    private void addVariableOfKey(Key key, String variable) {
        variablesOfKeys.computeIfAbsent(key, any -> new LinkedHashSet<>()).add(variable);
    }

    /** Returns the ConfigMaps whose keys are variables of a container. */
    private List<Prefixed> prefixed(Document document, Value container) {
        List<Prefixed> all = new ArrayList<>();
        for (Value source : items(member(container, "envFrom"))) {
            all.add(new Prefixed(configMap(document, member(source, "configMapRef")), text(member(source, "prefix"))));
        }
        return all;
    }

    /** Returns the key of a ConfigMap whose value a variable takes. */
    private Optional<Key> key(Document document, Value variable) {
        Value reference = member(member(variable, "valueFrom"), "configMapKeyRef");
        return Optional.ofNullable(reference)
                .map(any -> new Key(configMap(document, reference), text(member(reference, "key"))));
    }

    /**
     * Returns the ConfigMap in the namespace of an object to which a reference leads. If the kustomizations of the object rename it,
     * they change the reference, too.
     */
    private ObjectRef configMap(Document document, @Nullable Value reference) {
        ObjectRef written = configMap(document, text(member(reference, "name")));
        if (reference == null) {
            return written;
        }
        Value.Mapping named = Value.Mapping.of(reference.line(), Map.of("metadata", reference));
        Value renamed = document.renaming.renamed(named, CONFIG_MAP).get("metadata");
        ObjectRef now = configMap(document, text(member(renamed, "name")));
        return configMaps.containsKey(now) ? now : written;
    }

    private static ObjectRef configMap(Document document, String name) {
        return ObjectRef.of(
                ConfigMap.KIND, document.ref.namespace().orElseThrow(), name.isEmpty() ? "(no name)" : name);
    }

    private String valueOf(Key key) {
        return text(member(configMaps.get(key.configMap), key.name));
    }

    /** Returns the value of a variable that a container has from its {@code envFrom}; the last source counts. */
    private Optional<String> valueOf(String variable, List<Prefixed> sources) {
        return sources.stream()
                .filter(source -> variable.startsWith(source.prefix))
                .map(source -> valueOf(new Key(source.configMap, variable.substring(source.prefix.length()))))
                .filter(value -> !value.isEmpty())
                .reduce((first, last) -> last);
    }

    private void container(Document document, String path, Value container) {
        ObjectRef ref = document.ref;
        List<Prefixed> sources = prefixed(document, container);
        Map<String, String> own = new HashMap<>();
        Function<String, Optional<String>> variables =
                name -> Optional.ofNullable(own.get(name)).or(() -> valueOf(name, sources));
        for (Value variable : items(member(container, "env"))) {
            String name = text(member(variable, "name"));
            Value value = member(variable, "value");
            String replaced = replaced(text(value), variables);
            own.put(
                    name,
                    isNamespace(variable)
                            ? ref.namespace().orElseThrow()
                            : key(document, variable).map(this::valueOf).orElse(replaced));
            text(document, path + "env[" + name + "]", value, replaced, Set.of(name));
        }
        for (String list : List.of("command", "args")) {
            List<Value> words = items(member(container, list));
            String before = "";
            for (int i = 0; i < words.size(); i++) {
                String word = replaced(text(words.get(i)), variables);
                // The value of an option, or the argument of a program.
                text(document, path + list + "[" + i + "]", words.get(i), word, Set.of(before));
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
    private static String replaced(String text, Function<String, Optional<String>> variables) {
        if (text.indexOf('$') < 0 || text.length() > MAX_LENGTH) {
            return text;
        }
        StringBuilder replaced = new StringBuilder();
        Matcher reference = VARIABLE.matcher(text);
        while (reference.find()) {
            // Two dollar signs are one, before which nothing is replaced.
            String value = reference.group(1) == null
                    ? "$"
                    : variables.apply(reference.group(1)).orElse(reference.group());
            if (replaced.length() + value.length() > MAX_LENGTH) {
                return text;
            }
            reference.appendReplacement(replaced, Matcher.quoteReplacement(value));
        }
        return reference.appendTail(replaced).toString();
    }

    /**
     * Adds the host names in a text.
     *
     * @param names the names of its value; a word is a host name if it is one by any of them
     */
    private void text(Document document, String field, @Nullable Value value, String text, Set<String> names) {
        if (value == null || text.isEmpty()) {
            return;
        }
        String namespace = document.ref.namespace().orElseThrow();
        Position position = document.notes.position(value.line());
        names.stream()
                .flatMap(name -> HostWords.in(text, name, word -> known.test(namespace, word)).stream())
                .distinct()
                .forEach(host -> found.add(new Use(host, document.ref, field, position)));
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
