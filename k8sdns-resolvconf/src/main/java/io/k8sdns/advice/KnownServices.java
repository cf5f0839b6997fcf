package io.k8sdns.advice;

/**
 * The namespaces and Services of a cluster as API objects. DNS does not show all of them: a Service without addresses, for
 * example a headless one without endpoints, may have no name, and a namespace may be hidden from DNS by a filter.
 */
public interface KnownServices {
    /**
     * Returns whether the namespace exists.
     *
     * @param namespace the namespace, in lower case
     */
    boolean hasNamespace(String namespace);

    /**
     * Returns whether the Service exists.
     *
     * @param namespace the namespace, in lower case
     * @param service the name of the Service, in lower case
     */
    boolean hasService(String namespace, String service);
}
