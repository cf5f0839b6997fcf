package io.k8sdns.json;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.model.Node;
import io.k8sdns.model.NodePlacement;
import io.k8sdns.model.NodePlacement.Term;
import io.k8sdns.model.NodePlacement.Toleration;
import io.k8sdns.model.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads which Nodes Pods may run on: the taints of Nodes, and the tolerations and the required Node affinity of Pods. */
final class PlacementReader {
    private static final String INVALID = "invalid-placement";

    private PlacementReader() {}

    static List<Node.Taint> taints(Field node) {
        List<Node.Taint> taints = new ArrayList<>();
        for (Field taint : node.get("spec").get("taints").items()) {
            taints.add(new Node.Taint(text(taint, "key"), text(taint, "value"), text(taint, "effect")));
        }
        return taints;
    }

    /**
     * Reads the placement of the Pods of a template.
     *
     * @param spec the spec of the Pods
     */
    static NodePlacement placement(Field spec) {
        List<Toleration> tolerations = new ArrayList<>();
        for (Field toleration : spec.get("tolerations").items()) {
            toleration(toleration).ifPresent(tolerations::add);
        }
        List<Term> affinity = new ArrayList<>();
        Field required = spec.get("affinity").get("nodeAffinity").get("requiredDuringSchedulingIgnoredDuringExecution");
        if (!required.isAbsent()) {
            required.get("nodeSelectorTerms").items().forEach(term -> affinity.add(term(term)));
            if (affinity.isEmpty()) {
                // A required affinity without terms matches no Node.
                affinity.add(Term.NONE);
            }
        }
        return new NodePlacement(tolerations, affinity);
    }

    private static Optional<Toleration> toleration(Field field) {
        String operator = text(field, "operator");
        boolean anyValue = operator.equals("Exists");
        if (!anyValue && !operator.isEmpty() && !operator.equals("Equal")) {
            field.get("operator").note(INVALID, "tolerates nothing: not Equal or Exists: \"" + operator + "\"");
            return Optional.empty();
        }
        return Optional.of(new Toleration(text(field, "key"), anyValue, text(field, "value"), text(field, "effect")));
    }

    /** Returns a term; one that matches no Node if a requirement is wrong, as for the scheduler. */
    private static Term term(Field term) {
        List<String> labels = new ArrayList<>();
        for (Field expression : term.get("matchExpressions").items()) {
            Optional<String> text = expression(expression);
            if (text.isEmpty()) {
                expression.note(INVALID, "matches no Node: not a requirement on a label");
                return Term.NONE;
            }
            labels.add(text.get());
        }
        List<String> names = new ArrayList<>();
        List<String> otherNames = new ArrayList<>();
        for (Field field : term.get("matchFields").items()) {
            List<String> values = values(field);
            boolean isIn = field.get("operator").hasText("In");
            if (!field.get("key").hasText("metadata.name")
                    || !isIn && !field.get("operator").hasText("NotIn")
                    || values.size() != 1) {
                field.note(INVALID, "matches no Node: not metadata.name with In or NotIn and one value");
                return Term.NONE;
            }
            (isIn ? names : otherNames).addAll(values);
        }
        return new Term(Selector.parse(String.join(",", labels)), names, otherNames);
    }

    /** Returns a requirement as the text of a selector; empty if it is wrong. */
    private static Optional<String> expression(Field field) {
        String key = text(field, "key");
        List<String> values = values(field);
        if (!KubernetesNames.isQualifiedName(key) || !values.stream().allMatch(KubernetesNames::isLabelValue)) {
            return Optional.empty();
        }
        return switch (text(field, "operator")) {
            case "In" -> set(key + " in ", values);
            case "NotIn" -> set(key + " notin ", values);
            case "Exists" -> values.isEmpty() ? Optional.of(key) : Optional.empty();
            case "DoesNotExist" -> values.isEmpty() ? Optional.of("!" + key) : Optional.empty();
            case "Gt" -> number(key + ">", values);
            case "Lt" -> number(key + "<", values);
            default -> Optional.empty();
        };
    }

    private static Optional<String> set(String start, List<String> values) {
        return values.isEmpty() ? Optional.empty() : Optional.of(start + "(" + String.join(",", values) + ")");
    }

    private static Optional<String> number(String start, List<String> values) {
        try {
            return values.size() == 1 ? Optional.of(start + Long.parseLong(values.get(0))) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static List<String> values(Field field) {
        List<String> values = new ArrayList<>();
        field.get("values").items().forEach(value -> values.add(value.text().orElse("")));
        return values;
    }

    private static String text(Field parent, String name) {
        return parent.get(name).text().orElse("");
    }
}
