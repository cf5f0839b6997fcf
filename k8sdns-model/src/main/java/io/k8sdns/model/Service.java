package io.k8sdns.model;

import java.util.List;
import java.util.function.Function;

/**
 * A Service, sealed by the headings of the DNS specification: with a cluster IP (2.3), headless (2.4), external name
 * (2.5). A headless Service has no field for a cluster IP, and an external name no ports.
 */
public sealed interface Service extends NamespacedObject
        permits ClusterIpService, HeadlessService, ExternalNameService {
    /** The kind. */
    String KIND = "Service";

    /** Returns the ports in the object's order; none for an external name. */
    List<ServicePort> ports();

    /**
     * Returns whether endpoints are published before they are ready: {@code publishNotReadyAddresses}, or the
     * annotation {@code service.alpha.kubernetes.io/tolerate-unready-endpoints} (specification 2.1).
     */
    boolean publishNotReadyAddresses();

    /**
     * Returns whether an endpoint of this Service is published (specification 2.1, <i>ready</i>): it {@linkplain
     * Endpoint#isReady is ready}, or endpoints are published before they are ready. The conditions {@code serving} and
     * {@code terminating} are ignored (KEP-1672).
     */
    default boolean publishes(Endpoint endpoint) {
        return endpoint.isReady() || publishNotReadyAddresses();
    }

    /** Applies the function of this Service's type; the compiler checks that no type is missing. */
    default <T> T fold(
            Function<ClusterIpService, T> clusterIp,
            Function<HeadlessService, T> headless,
            Function<ExternalNameService, T> externalName) {
        if (this instanceof ClusterIpService service) {
            return clusterIp.apply(service);
        }
        if (this instanceof HeadlessService service) {
            return headless.apply(service);
        }
        if (this instanceof ExternalNameService service) {
            return externalName.apply(service);
        }
        throw new AssertionError(this);
    }

    @Override
    default ObjectRef ref() {
        return ObjectRef.of(KIND, namespace(), name());
    }
}
