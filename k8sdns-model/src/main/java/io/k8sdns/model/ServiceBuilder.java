package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Sets the ports and the endpoint selection of a Service; the common part of the builders of {@link ClusterIpService}
 * and {@link HeadlessService}. Not thread-safe.
 *
 * @param <B> the builder itself
 */
public abstract sealed class ServiceBuilder<B extends ServiceBuilder<B>> extends ObjectBuilder<B>
        permits ClusterIpService.Builder, HeadlessService.Builder {
    List<ServicePort> ports = List.of();
    EndpointSelection selection = EndpointSelection.NONE;
    boolean publishNotReadyAddresses;

    ServiceBuilder(Metadata metadata) {
        super(metadata);
    }

    /** Sets the ports, in place of those set or added before. */
    public final B ports(ServicePort... all) {
        return ports(Arrays.asList(Objects.requireNonNull(all, "ports")));
    }

    /**
     * Sets the ports, in place of those set or added before.
     *
     * @param all the ports; copied
     */
    public final B ports(List<ServicePort> all) {
        ports = Copies.list("ports", all);
        return self();
    }

    /** Adds a port. */
    public final B port(ServicePort port) {
        ports = Copies.added(ports, Objects.requireNonNull(port, "port"));
        return self();
    }

    /**
     * Sets the labels that the Service's Pods carry, {@code spec.selector}; without any the Service has no selector.
     */
    public final B selector(Labels labels) {
        selection = selection.withSelector(Objects.requireNonNull(labels, "selector"));
        return self();
    }

    /**
     * Sets the labels that the Service's Pods carry, {@code spec.selector}.
     *
     * @param labels keys and values joined by commas, for example {@code app=web,tier=front}
     * @throws InvalidFieldException if one of them is not a label
     */
    public final B selector(String labels) {
        return selector(Labels.parse(Objects.requireNonNull(labels, "selector")));
    }

    /**
     * Sets {@code spec.ipFamilies}, the families that the Service is to have, in order.
     *
     * @param families at most one of each
     * @throws InvalidFieldException if one family is given twice
     */
    public final B ipFamilies(IpFamily... families) {
        return ipFamilies(Arrays.asList(Objects.requireNonNull(families, "ipFamilies")));
    }

    /**
     * Sets {@code spec.ipFamilies}, the families that the Service is to have, in order.
     *
     * @param families at most one of each; copied
     * @throws InvalidFieldException if one family is given twice
     */
    public final B ipFamilies(List<IpFamily> families) {
        selection = selection.withIpFamilies(Copies.list("ipFamilies", families));
        return self();
    }

    /** Sets {@code spec.ipFamilyPolicy}. */
    public final B ipFamilyPolicy(IpFamilyPolicy policy) {
        selection = selection.withIpFamilyPolicy(Objects.requireNonNull(policy, "ipFamilyPolicy"));
        return self();
    }

    /** Sets selector, IP families and their policy at once, in place of those set before. */
    public final B selection(EndpointSelection value) {
        selection = Objects.requireNonNull(value, "selection");
        return self();
    }

    /** Sets whether endpoints are published before they are ready; by default they are not. */
    public final B publishNotReadyAddresses(boolean value) {
        publishNotReadyAddresses = value;
        return self();
    }
}
