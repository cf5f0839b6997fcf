package io.k8sdns.json;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The objects of an OpenShift Template, as {@code oc process} makes them with the default values of its parameters: {@code ${NAME}} in a
 * text or a key is replaced by the value, and a text that is {@code ${{NAME}}} by the value as JSON. The objects have the labels of the
 * Template. A namespace without a reference to a parameter is removed.
 *
 * <p>Source: {@code pkg/template/templateprocessing} in github.com/openshift/library-go. Unlike there, a generated value is not drawn, and a
 * required parameter without a value does not make the Template invalid.
 */
public final class OpenShiftTemplate {
    private static final String KIND = "Template";
    private static final Pattern PARAMETER = Pattern.compile("\\$\\{([A-Za-z0-9_]+)\\}");
    private static final Pattern WHOLE = Pattern.compile("\\$\\{\\{([A-Za-z0-9_]+)\\}\\}");

    private static final Pattern JSON_NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?");
    private static final String METADATA = "metadata";
    private static final String NAMESPACE = "namespace";
    private static final String LABELS = "labels";

    private static final Pattern ANY_PARAMETER = Pattern.compile("\\$\\{\\{?([A-Za-z0-9_]+)\\}");

    /** The paths of the fields that decide which object has which records. */
    private static final List<List<String>> DECIDING = List.of(
            List.of(METADATA, "name"),
            List.of(METADATA, NAMESPACE),
            List.of(METADATA, LABELS),
            List.of("spec", "selector"),
            List.of("spec", "serviceName"),
            List.of("spec", "replicas"),
            List.of("spec", "template", METADATA, LABELS));

    /** The maximum length of a value, and of a text in which values are replaced. */
    private static final int MAX_LENGTH = 4096;

    /** The maximum length of all replaced texts: a short template must not fill the memory. */
    private static final int MAX_TOTAL = 16 << 20;

    private int total;
    private final Map<String, String> defaults = new HashMap<>();

    private OpenShiftTemplate() {}

    /** Returns whether a type is that of templates, in OpenShift 3 or later. */
    public static boolean is(ObjectType type) {
        return type.kind().equals(KIND)
                && (type.apiVersion().equals("template.openshift.io/v1")
                        || type.apiVersion().equals("v1"));
    }

    /**
     * Returns the objects with the default values. A parameter without a value is empty; one that is required or generated, and one in a text
     * over 4096 characters, stays as written.
     */
    public static List<Value> objects(Value.Mapping template) {
        OpenShiftTemplate values = new OpenShiftTemplate();
        for (Value parameter : entries(template, "parameters")) {
            if (parameter instanceof Value.Mapping mapping && mapping.get("name") instanceof Value.Scalar name) {
                String value = text(mapping.get("value"));
                boolean isMissing = value.isEmpty()
                        && (isTrue(mapping.get("required"))
                                || !text(mapping.get("generate")).isEmpty());
                if (!isMissing && value.length() <= MAX_LENGTH) {
                    values.defaults.put(name.text(), value);
                }
            }
        }
        Value labels =
                values.filled(Objects.requireNonNullElse(template.get(LABELS), new Value.Mapping(template.line())));
        return entries(template, "objects").stream()
                .map(OpenShiftTemplate::withoutLiteralNamespace)
                .map(values::filled)
                .map(object -> labelled(object, labels))
                .toList();
    }

    /** Returns the namespaces that are removed from the objects, each once. */
    static List<String> removedNamespaces(Value.Mapping template) {
        return entries(template, "objects").stream()
                .map(OpenShiftTemplate::literalNamespace)
                .filter(namespace -> !namespace.isEmpty())
                .distinct()
                .toList();
    }

    /** Returns the namespace of an object if it is without a reference to a parameter, otherwise an empty text. */
    private static String literalNamespace(Value object) {
        String namespace = text(member(member(object, METADATA), NAMESPACE));
        return PARAMETER.matcher(namespace).find() ? "" : namespace;
    }

    private static Value withoutLiteralNamespace(Value object) {
        return literalNamespace(object).isEmpty()
                ? object
                : withMetadata(object, NAMESPACE, new Value.Scalar("", ScalarType.NULL, object.line()));
    }

    private static Value labelled(Value object, Value labels) {
        if (labels.isEmpty() || !(labels instanceof Value.Mapping added)) {
            return object;
        }
        Value.Mapping all = member(member(object, METADATA), LABELS) instanceof Value.Mapping own
                ? own.with(Map.of())
                : new Value.Mapping(object.line());
        all.putAll(added);
        return withMetadata(object, LABELS, all);
    }

    /** Returns an object with a field of its metadata replaced; unchanged without metadata. */
    private static Value withMetadata(Value object, String key, Value value) {
        return object instanceof Value.Mapping mapping && mapping.get(METADATA) instanceof Value.Mapping metadata
                ? mapping.with(Map.of(METADATA, metadata.with(Map.of(key, value))))
                : object;
    }

    /**
     * Returns the parameters without a value that are still in names, labels, selectors or numbers of replicas.
     *
     * @param objects what {@link #objects} returns
     */
    static List<String> missing(Value.Mapping template, List<Value> objects) {
        Set<String> left = new HashSet<>();
        for (Value object : objects) {
            for (List<String> path : DECIDING) {
                Value value = object;
                for (String key : path) {
                    value = member(value, key);
                }
                addParameters(value, left);
            }
        }
        return entries(template, "parameters").stream()
                .map(parameter -> text(member(parameter, "name")))
                .filter(left::contains)
                .toList();
    }

    private static void addParameters(@Nullable Value value, Set<String> names) {
        if (value instanceof Value.Scalar scalar) {
            addParameters(scalar.text(), names);
        } else if (value instanceof Value.Mapping mapping) {
            mapping.keys().forEach(key -> {
                addParameters(key, names);
                addParameters(mapping.get(key), names);
            });
        }
    }

    private static void addParameters(String text, Set<String> names) {
        ANY_PARAMETER.matcher(text).results().forEach(found -> names.add(found.group(1)));
    }

    /** Returns the parameters without which {@code oc process} fails: required ones that have no value and are not generated. */
    static List<String> required(Value.Mapping template) {
        return entries(template, "parameters").stream()
                .filter(parameter -> isTrue(member(parameter, "required"))
                        && text(member(parameter, "value")).isEmpty()
                        && text(member(parameter, "generate")).isEmpty())
                .map(parameter -> text(member(parameter, "name")))
                .filter(name -> !name.isEmpty())
                .toList();
    }

    private static List<Value> entries(Value.Mapping template, String key) {
        return template.get(key) instanceof Value.Sequence list ? list.items() : List.of();
    }

    private static @Nullable Value member(@Nullable Value parent, String key) {
        return parent instanceof Value.Mapping mapping ? mapping.get(key) : null;
    }

    private static String text(@Nullable Value value) {
        return value instanceof Value.Scalar scalar && scalar.type() != ScalarType.NULL ? scalar.text() : "";
    }

    private static boolean isTrue(@Nullable Value value) {
        return value instanceof Value.Scalar scalar
                && scalar.type() == ScalarType.BOOLEAN
                && ScalarType.truth(scalar.text());
    }

    private Value filled(Value value) {
        if (value instanceof Value.Scalar scalar) {
            return filled(scalar);
        }
        if (value instanceof Value.Sequence list) {
            List<Value> items = new ArrayList<>();
            list.items().forEach(item -> items.add(filled(item)));
            return new Value.Sequence(items, list.line());
        }
        Value.Mapping mapping = (Value.Mapping) value;
        Value.Mapping replaced = new Value.Mapping(mapping.line());
        for (String key : mapping.keys()) {
            Value child = mapping.get(key);
            if (child != null) {
                replaced.put(filled(key), filled(child));
            }
        }
        mapping.duplicates().forEach(key -> replaced.addDuplicate(filled(key)));
        return replaced;
    }

    private Value filled(Value.Scalar scalar) {
        Matcher whole = WHOLE.matcher(scalar.text());
        if (whole.matches() && defaults.containsKey(whole.group(1))) {
            String text = defaults.get(whole.group(1));
            return new Value.Scalar(text, typeInJson(text), scalar.line());
        }
        return new Value.Scalar(filled(scalar.text()), scalar.type(), scalar.line());
    }

    private String filled(String text) {
        if (text.indexOf('$') < 0 || text.length() > MAX_LENGTH || total > MAX_TOTAL) {
            return text;
        }
        String replaced = PARAMETER
                .matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(defaults.getOrDefault(found.group(1), found.group())));
        total += replaced.length();
        return replaced;
    }

    /** Returns the type of a value as JSON; what is no number, boolean or null is text. */
    private static ScalarType typeInJson(String value) {
        return switch (value) {
            case "true", "false" -> ScalarType.BOOLEAN;
            case "null" -> ScalarType.NULL;
            default ->
                ScalarType.ofPlain(value) == ScalarType.NUMBER
                                && JSON_NUMBER.matcher(value).matches()
                        ? ScalarType.NUMBER
                        : ScalarType.TEXT;
        };
    }
}
