package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The fields of a Pod that allow or forbid Nodes, besides {@code nodeSelector} and {@code nodeName}.
 *
 * @param tolerations the taints that the Pod tolerates
 * @param affinity the terms of the required Node affinity, of which one must match; empty without a required affinity
 */
public record NodePlacement(List<Toleration> tolerations, List<Term> affinity) {
    /** A placement that allows every Node without taints. */
    public static final NodePlacement ANY = new NodePlacement(List.of(), List.of());

    /**
     * A toleration of taints.
     *
     * @param key the key of the taints; empty for every key
     * @param anyValue whether the value of the taint does not matter: the operator {@code Exists}
     * @param value otherwise the value of the taints
     * @param effect the effect of the taints; empty for every effect
     */
    public record Toleration(String key, boolean anyValue, String value, String effect) {
        /** Checks that nothing is null. */
        @Internal
        public Toleration {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(value, "value");
            Objects.requireNonNull(effect, "effect");
        }

        /** Returns whether a Pod with this toleration tolerates a taint. */
        public boolean tolerates(Node.Taint taint) {
            Objects.requireNonNull(taint, "taint");
            return (effect.isEmpty() || effect.equals(taint.effect()))
                    && (key.isEmpty() || key.equals(taint.key()))
                    && (anyValue || value.equals(taint.value()));
        }
    }

    /**
     * A term of a Node affinity, all of whose requirements must hold. A term without a requirement matches no Node.
     *
     * @param labels {@code matchExpressions}: the requirements on the labels of the Node
     * @param names {@code matchFields} with {@code In}: the name of the Node is each of these
     * @param otherNames {@code matchFields} with {@code NotIn}: the name of the Node is none of these
     */
    public record Term(Selector labels, List<String> names, List<String> otherNames) {
        /** A term that matches no Node. */
        public static final Term NONE = new Term(Selector.EVERYTHING, List.of(), List.of());

        /** Copies the lists. */
        @Internal
        public Term {
            Objects.requireNonNull(labels, "labels");
            names = Copies.list("names", names);
            otherNames = Copies.list("otherNames", otherNames);
        }

        private boolean matches(Node node) {
            return !equals(NONE)
                    && labels.test(node.labels())
                    && names.stream().allMatch(node.name()::equals)
                    && !otherNames.contains(node.name());
        }
    }

    /** Copies the lists. */
    @Internal
    public NodePlacement {
        tolerations = Copies.list("tolerations", tolerations);
        affinity = Copies.list("affinity", affinity);
    }

    /** Returns whether the required affinity allows a Node; its taints do not matter. */
    public boolean hasAffinityTo(Node node) {
        Objects.requireNonNull(node, "node");
        return affinity.isEmpty() || affinity.stream().anyMatch(term -> term.matches(node));
    }

    /** Returns the first taint that keeps the Pod from a Node; empty if all are tolerated. */
    public Optional<Node.Taint> untolerated(Node node) {
        Objects.requireNonNull(node, "node");
        return node.taints().stream()
                .filter(taint ->
                        taint.repels() && tolerations.stream().noneMatch(toleration -> toleration.tolerates(taint)))
                .findFirst();
    }
}
