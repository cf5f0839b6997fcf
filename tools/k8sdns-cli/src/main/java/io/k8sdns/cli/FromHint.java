package io.k8sdns.cli;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explainer;
import io.k8sdns.explain.Explanation;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.NameSchema;
import java.util.List;
import java.util.Optional;

/**
 * The hint at {@code explain --from} for a name that does not resolve without it. Users of kubectl expect that {@code -n} chooses the
 * namespace of the Pod, and that a name is looked up as in a Pod.
 *
 * @param published the namespaces of {@code --namespace}
 */
record FromHint(Explainer explainer, ClusterSnapshot cluster, DnsLabels zone, List<String> published) {
    /**
     * Returns the hint for a name that a Pod would look up with its search list, as the text of a cause; empty if the name has the namespace of
     * a Service, or one that is probably misspelt.
     *
     * @param name the name as it was written
     * @param explained why it does not resolve
     */
    Optional<String> cause(String name, Explanation explained) {
        DnsLabels labels = DnsLabels.parse(name);
        if (labels.equals(DnsNames.labels(explained.name())) || NameSchema.endsInServicesOrPods(labels)) {
            return Optional.empty();
        }
        String readAs = "read as " + explained.name() + "; ";
        List<String> namespaces = namespacesOfService(labels.foldedLabel(labels.count() - 1));
        Optional<String> resolving = namespaces.stream()
                .filter(namespace -> resolves(labels, namespace, explained))
                .findFirst();
        if (resolving.isPresent()) {
            return Optional.of(readAs + "--from " + resolving.get()
                    + " looks the name up as a Pod of this namespace does, and it resolves");
        }
        String last = labels.foldedLabel(labels.count() - 1);
        if (isNamespaceHidden(explained) || isLikeNamespace(last) || isNamespaceOfCause(last, explained)) {
            return Optional.empty();
        }
        return Optional.of(readAs
                + namespaces.stream()
                        .findFirst()
                        .map(namespace -> "--from " + namespace + " looks the name up as a Pod of this namespace does")
                        .orElseGet(() -> from() + " looks the name up as a Pod does, also outside the cluster"));
    }

    /** Returns the note for a name whose namespace is not published; empty if it is, or if there is a {@link #cause}. */
    Optional<String> note(String name, Explanation explained) {
        return isNamespaceHidden(explained) && cause(name, explained).isEmpty()
                ? Optional.of("note: --namespace limits what is published; " + from()
                        + " instead looks the name up as a Pod of that namespace does")
                : Optional.empty();
    }

    private String from() {
        return "--from " + (published.size() == 1 ? published.get(0) : "NAMESPACE");
    }

    /** Returns the namespaces that have a Service of this name, sorted. */
    private List<String> namespacesOfService(String name) {
        return cluster.objects(Service.class)
                .filter(one -> one.name().equals(name))
                .map(Service::namespace)
                .sorted()
                .toList();
    }

    private boolean resolves(DnsLabels labels, String namespace, Explanation explained) {
        DnsLabels searched = NameSchema.services(namespace).append(zone);
        return labels.fitsBelow(searched)
                && explainer
                        .explain(DnsNames.absolute(labels, searched), explained.type())
                        .resolves();
    }

    private boolean isNamespaceHidden(Explanation explained) {
        return !published.isEmpty()
                && explained.causes().stream()
                        .flatMap(cause -> cause.object().stream())
                        .anyMatch(object -> object.kind().equals(Namespace.KIND) && !published.contains(object.name()));
    }

    /** Returns whether the explanation has an object of a namespace as a cause: one that was skipped, so that the namespace is not known. */
    private static boolean isNamespaceOfCause(String namespace, Explanation explained) {
        return explained.causes().stream()
                .flatMap(cause -> cause.object().stream())
                .anyMatch(object -> object.namespace().equals(Optional.of(namespace)));
    }

    private boolean isLikeNamespace(String label) {
        return cluster.objects(Namespace.class)
                .map(Namespace::name)
                .anyMatch(namespace -> namespace.equals(label) || EditDistance.isSimilar(label, namespace));
    }
}
