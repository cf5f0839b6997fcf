package io.k8sdns.search;

/**
 * The Services of a cluster as API objects. A Service without addresses, for example a headless one without endpoints, may
 * have no DNS name; the object exists.
 */
@FunctionalInterface
public interface KnownServices {
    /**
     * Returns whether the Service exists.
     *
     * @param namespace the namespace, in lower case
     * @param service the name of the Service, in lower case
     */
    boolean hasService(String namespace, String service);
}
