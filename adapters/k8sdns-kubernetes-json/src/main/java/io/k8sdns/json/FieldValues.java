package io.k8sdns.json;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Labels;
import io.k8sdns.model.ObjectRef;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** Reads values that several kinds have: labels, addresses and names. A wrong value is reported and omitted. */
public final class FieldValues {
    private FieldValues() {}

    /** Reads labels; those that are invalid are reported and omitted. */
    public static Labels labels(Map<String, Field> given) {
        if (given.isEmpty()) {
            return Labels.NONE;
        }
        Map<String, String> labels = new TreeMap<>();
        for (Map.Entry<String, Field> label : given.entrySet()) {
            Optional<String> value = label(label.getKey(), label.getValue());
            if (value.isPresent()) {
                labels.put(label.getKey(), value.get());
            }
        }
        return new Labels(labels);
    }

    private static Optional<String> label(String key, Field field) {
        Optional<String> value = field.isAbsent() ? Optional.of("") : field.text();
        if (value.isPresent() && !KubernetesNames.isQualifiedName(key)) {
            field.warn("invalid-label", "not a label key: \"" + key + "\"");
            return Optional.empty();
        }
        if (value.isPresent() && !KubernetesNames.isLabelValue(value.get())) {
            field.warn("invalid-label", "not a label value: \"" + value.get() + "\"");
            return Optional.empty();
        }
        return value;
    }

    static Optional<IpAddress> address(Field field) {
        if (field.isAbsent()) {
            field.warn("invalid-address", "no address");
        }
        return parsed(field, IpAddress::tryParse, "invalid-address", "not an IP address");
    }

    public static Optional<String> hostname(Field field) {
        return name(field, KubernetesNames::isDnsLabel, "invalid-hostname", "not a DNS label");
    }

    public static Optional<String> nodeName(Field parent) {
        return name(
                parent.get("nodeName"), KubernetesNames::isDnsSubdomain, "invalid-node-name", "not a DNS subdomain");
    }

    static Optional<String> name(Field field, Predicate<String> rule, String code, String problem) {
        Optional<String> text = field.text().filter(name -> !name.isEmpty());
        if (text.isPresent() && !rule.test(text.get())) {
            field.warn(code, problem + ": \"" + text.get() + "\"");
            return Optional.empty();
        }
        return text;
    }

    static <T> Optional<T> parsed(Field field, Function<String, Optional<T>> parser, String code, String problem) {
        Optional<String> text = field.text();
        Optional<T> parsed = text.flatMap(parser);
        if (text.isPresent() && parsed.isEmpty()) {
            field.warn(code, problem + ": \"" + text.get() + "\"");
        }
        return parsed;
    }

    static Optional<ObjectRef> targetRef(Field parent, String namespace) {
        Field ref = parent.get("targetRef");
        Optional<String> kind = ref.get("kind").text();
        Optional<String> name = ref.get("name").text();
        return kind.isPresent() && name.isPresent()
                ? Optional.of(
                        ObjectRef.of(kind.get(), ref.get("namespace").text().orElse(namespace), name.get()))
                : Optional.empty();
    }

    /** Returns a number; an absent or invalid one is the default. */
    static int notNegative(Field field, int missing) {
        int number = field.number().orElse(missing);
        if (number < 0) {
            field.warn("invalid-number", "negative, so read as " + missing + ": " + number);
            return missing;
        }
        return number;
    }

    public static Optional<IpFamily> family(String text) {
        for (IpFamily family : IpFamily.values()) {
            if (family.toString().equals(text)) {
                return Optional.of(family);
            }
        }
        return Optional.empty();
    }
}
