package io.k8sdns.json;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The objects of an OpenShift Template, with the default values of its parameters: {@code ${NAME}} in a text is replaced by the
 * value, and a text that is {@code ${{NAME}}} by the value as a number, boolean or text.
 */
public final class OpenShiftTemplate {
    private static final String KIND = "Template";
    private static final Pattern PARAMETER = Pattern.compile("\\$\\{([A-Za-z0-9_]+)\\}");
    private static final Pattern WHOLE = Pattern.compile("\\$\\{\\{([A-Za-z0-9_]+)\\}\\}");

    private static final Pattern ANY_PARAMETER = Pattern.compile("\\$\\{\\{?([A-Za-z0-9_]+)\\}");

    /** The paths of the fields that decide which object has which records. */
    private static final List<List<String>> DECIDING = List.of(
            List.of("metadata", "name"),
            List.of("metadata", "namespace"),
            List.of("metadata", "labels"),
            List.of("spec", "selector"),
            List.of("spec", "serviceName"),
            List.of("spec", "replicas"),
            List.of("spec", "template", "metadata", "labels"));

    /** The maximum length of a value, and of a text in which values are replaced. */
    private static final int MAX_LENGTH = 4096;

    /** The maximum length of all replaced texts: a short template must not fill the memory. */
    private static final int MAX_TOTAL = 16 << 20;

    private int total;
    private final Map<String, Value.Scalar> defaults = new HashMap<>();

    private OpenShiftTemplate() {}

    /** Returns whether a type is that of templates, in OpenShift 3 or later. */
    public static boolean is(ObjectType type) {
        return type.kind().equals(KIND)
                && (type.apiVersion().equals("template.openshift.io/v1")
                        || type.apiVersion().equals("v1"));
    }

    /** Returns the objects with the default values; a parameter without a default, and one in a text over 4096 characters, stays as written. */
    public static List<Value> objects(Value.Mapping template) {
        OpenShiftTemplate values = new OpenShiftTemplate();
        for (Value parameter : entries(template, "parameters")) {
            if (parameter instanceof Value.Mapping mapping
                    && mapping.get("name") instanceof Value.Scalar name
                    && mapping.get("value") instanceof Value.Scalar value
                    && value.text().length() <= MAX_LENGTH) {
                values.defaults.put(name.text(), value);
            }
        }
        return entries(template, "objects").stream().map(values::filled).toList();
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
                    value = value instanceof Value.Mapping mapping ? mapping.get(key) : null;
                }
                addParameters(value, left);
            }
        }
        return entries(template, "parameters").stream()
                .map(parameter -> parameter instanceof Value.Mapping mapping ? mapping.get("name") : null)
                .flatMap(name -> name instanceof Value.Scalar scalar ? Stream.of(scalar.text()) : Stream.empty())
                .filter(left::contains)
                .toList();
    }

    private static void addParameters(@Nullable Value value, Set<String> names) {
        if (value instanceof Value.Scalar scalar) {
            ANY_PARAMETER.matcher(scalar.text()).results().forEach(found -> names.add(found.group(1)));
        } else if (value instanceof Value.Mapping mapping) {
            mapping.keys().forEach(key -> addParameters(mapping.get(key), names));
        }
    }

    private static List<Value> entries(Value.Mapping template, String key) {
        return template.get(key) instanceof Value.Sequence list ? list.items() : List.of();
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
        Map<String, Value> replaced = new LinkedHashMap<>();
        for (String key : mapping.keys()) {
            Value child = mapping.get(key);
            if (child != null) {
                replaced.put(key, filled(child));
            }
        }
        return mapping.with(replaced);
    }

    private Value filled(Value.Scalar scalar) {
        if (scalar.text().indexOf('$') < 0 || scalar.text().length() > MAX_LENGTH || total > MAX_TOTAL) {
            return scalar;
        }
        Matcher whole = WHOLE.matcher(scalar.text());
        if (whole.matches() && defaults.containsKey(whole.group(1))) {
            String text = defaults.get(whole.group(1)).text();
            return new Value.Scalar(text, ScalarType.ofPlain(text), scalar.line());
        }
        String text = PARAMETER
                .matcher(scalar.text())
                .replaceAll(found -> Matcher.quoteReplacement(
                        defaults.containsKey(found.group(1))
                                ? defaults.get(found.group(1)).text()
                                : found.group()));
        total += text.length();
        return new Value.Scalar(text, scalar.type(), scalar.line());
    }
}
