package io.k8sdns.federation;

import io.k8sdns.arguments.Copies;
import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import java.util.Collection;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/** Selects the Services of a cluster that take part in a federation. Immutable. */
public final class FederatedServices {
    /** The label of a Service that names its federation. */
    public static final String LABEL = "federation.k8sdns.io/name";

    private final String text;
    private final Predicate<Service> includes;
    private final boolean includesExported;

    private FederatedServices(String text, Predicate<Service> includes) {
        this(text, includes, false);
    }

    private FederatedServices(String text, Predicate<Service> includes, boolean includesExported) {
        this.text = text;
        this.includes = includes;
        this.includesExported = includesExported;
    }

    /** Selects all Services. */
    public static FederatedServices all() {
        return new FederatedServices("every Service", service -> true);
    }

    /**
     * Selects the Services whose label {@link #LABEL} is the name of this federation.
     *
     * @throws IllegalArgumentException if the name is not a DNS-1123 label
     */
    public static FederatedServices labelledFor(String federation) {
        if (!KubernetesNames.isDnsLabel(Objects.requireNonNull(federation, "federation"))) {
            throw new IllegalArgumentException(
                    "not the name of a federation (a DNS-1123 label): \"" + federation + "\"");
        }
        return matching(Selector.parse(LABEL + "=" + federation));
    }

    /**
     * Selects the Services whose labels match.
     *
     * @throws IllegalArgumentException if the selector has no requirements
     */
    public static FederatedServices matching(Selector selector) {
        if (Objects.requireNonNull(selector, "selector").equals(Selector.EVERYTHING)) {
            throw new IllegalArgumentException("selector has no requirement: pass at least one");
        }
        return new FederatedServices("Services with " + selector, service -> selector.test(service.labels()));
    }

    /**
     * Selects Services by name.
     *
     * @param names each {@code NAMESPACE/NAME}
     * @throws IllegalArgumentException if there are no names, or one has another form
     */
    public static FederatedServices named(Collection<String> names) {
        Set<String> all = new HashSet<>(Copies.list("names", names));
        if (all.isEmpty()) {
            throw new IllegalArgumentException("names is empty: pass at least one Service (NAMESPACE/NAME)");
        }
        for (String name : all) {
            String[] parts = name.split("/", -1);
            if (parts.length != 2 || !KubernetesNames.isDnsLabel(parts[0]) || !KubernetesNames.isDnsLabel(parts[1])) {
                throw new IllegalArgumentException("not the name of a Service (NAMESPACE/NAME): \"" + name + "\"");
            }
        }
        return new FederatedServices(
                "the Services " + String.join(", ", all.stream().sorted().toList()),
                service -> all.contains(service.namespace() + "/" + service.name()));
    }

    /** Selects also all Services that have a {@link io.k8sdns.model.ServiceExport}. */
    public FederatedServices orExported() {
        return new FederatedServices(text + " or with a ServiceExport", includes, true);
    }

    /** Returns whether every Service with a ServiceExport takes part. */
    public boolean includesExported() {
        return includesExported;
    }

    /** Returns whether a Service without a ServiceExport takes part. */
    public boolean includes(Service service) {
        return includes.test(service);
    }

    /** Returns the rule for logs. */
    @Override
    public String toString() {
        return text;
    }
}
