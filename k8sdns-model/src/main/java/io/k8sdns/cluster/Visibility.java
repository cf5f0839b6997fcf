package io.k8sdns.cluster;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.Selector;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The objects that are published. A hidden object has no name, no address, no PTR and no additional record.
 *
 * <p>Publishing everything is always explicit: {@link #ALL}. An empty choice publishes nothing: an empty set of
 * namespaces, and a {@link Selector} without requirements, although such a selector matches every object in other
 * places. A tenant whose grants are missing therefore sees nothing.
 *
 * <pre>{@code
 * Visibility.ALL
 * Visibility.ofNamespaces(Set.of("shop", "shared"))
 * Visibility.ofNamespacesWith(Selector.parse("tenant=shop")).onlyWith(Selector.parse("internal!=true"))
 * }</pre>
 *
 * <p>The factories take selectors and no other predicates: an empty selector within a lambda, or combined by {@link
 * Predicate#and} and {@link Predicate#or}, cannot be recognized. The constructor takes any predicate and publishes what it
 * matches.
 *
 * <p>EndpointSlices follow their Service. Nodes are never published by themselves, so nothing hides them. Two values of
 * the factories are equal if their sets of namespaces and their selectors are equal, in any order of the calls of
 * {@link #onlyWith}.
 *
 * @param namespaces the namespaces that are published
 * @param labels the labels of the published Services and Pods, provided that their namespace is published; a {@code
 *     Selector} without requirements publishes nothing
 */
public record Visibility(Predicate<Namespace> namespaces, Predicate<Labels> labels) {
    /** A selector that no labels satisfy. */
    private static final Selector NO_LABELS = Selector.parse("none,!none");

    /** Publishes everything. */
    public static final Visibility ALL = new Visibility(any -> true, new AllOf(Set.of()));

    /** Publishes only the records of the zone itself, such as its SOA record. */
    public static final Visibility NOTHING = ofNamespaces(Set.of());

    /** Checks that nothing is null. */
    public Visibility {
        Objects.requireNonNull(namespaces, "namespaces");
        labels = explicit(Objects.requireNonNull(labels, "labels"));
    }

    /**
     * Returns the visibility of all objects in some namespaces.
     *
     * @param names the names of the namespaces; empty publishes nothing
     * @throws io.k8sdns.model.InvalidFieldException if one is not a name of a namespace, for example because it has upper-case letters
     */
    public static Visibility ofNamespaces(Set<String> names) {
        return new Visibility(new Named(names), ALL.labels());
    }

    /**
     * Returns the visibility of all objects in the namespaces with some labels.
     *
     * @param labels selects the published namespaces; a selector without requirements publishes nothing
     */
    public static Visibility ofNamespacesWith(Selector labels) {
        return new Visibility(new Labelled(explicit(Objects.requireNonNull(labels, "labels"))), ALL.labels());
    }

    /**
     * Returns this visibility, limited to the Services and Pods with some labels. Limits add up: an object must satisfy
     * all of them.
     *
     * @param limit selects the published Services and Pods; a selector without requirements publishes nothing
     */
    public Visibility onlyWith(Selector limit) {
        Objects.requireNonNull(limit, "limit");
        Set<Predicate<Labels>> limits = new HashSet<>(labels instanceof AllOf all ? all.limits : Set.of(labels));
        limits.add(explicit(limit));
        return new Visibility(namespaces, new AllOf(limits));
    }

    /** Returns the visibility of the objects that both this and another one publish. */
    public Visibility and(Visibility other) {
        Objects.requireNonNull(other, "other");
        return new Visibility(namespaces.and(other.namespaces), labels.and(other.labels));
    }

    /**
     * Returns the names of the namespaces if this was made by {@link #ofNamespaces} and nothing else limits it,
     * otherwise empty.
     */
    public Optional<Set<String>> onlyNamespaces() {
        return namespaces instanceof Named named && labels.equals(ALL.labels)
                ? Optional.of(named.names)
                : Optional.empty();
    }

    /** Returns whether a namespace is published. */
    public boolean shows(Namespace namespace) {
        return namespaces.test(namespace);
    }

    /** Returns whether a Service or Pod is published, provided that its namespace is. */
    public boolean shows(NamespacedObject object) {
        return labels.test(object.labels());
    }

    private static Predicate<Labels> explicit(Predicate<Labels> labels) {
        return labels.equals(Selector.EVERYTHING) ? NO_LABELS : labels;
    }

    /** Matches labels that satisfy every limit; without a limit, all labels. */
    private record AllOf(Set<Predicate<Labels>> limits) implements Predicate<Labels> {
        AllOf {
            limits = Set.copyOf(limits);
        }

        @Override
        public boolean test(Labels labels) {
            for (Predicate<Labels> limit : limits) {
                if (!limit.test(labels)) {
                    return false;
                }
            }
            return true;
        }
    }

    private record Named(Set<String> names) implements Predicate<Namespace> {
        Named {
            names = Copies.set("names", names);
            for (String name : names) {
                Namespace unused = Namespace.of(name);
            }
        }

        @Override
        public boolean test(Namespace namespace) {
            return names.contains(namespace.name());
        }
    }

    private record Labelled(Predicate<Labels> labels) implements Predicate<Namespace> {
        @Override
        public boolean test(Namespace namespace) {
            return labels.test(namespace.labels());
        }
    }
}
