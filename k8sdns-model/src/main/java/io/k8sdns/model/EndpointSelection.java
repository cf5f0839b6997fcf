package io.k8sdns.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How Kubernetes finds the endpoints of a Service: what its controllers read and DNS itself never does.
 *
 * @param selector the labels that the Service's Pods carry; empty for a Service whose slices somebody else makes
 * @param ipFamilies {@code spec.ipFamilies} in order; empty when the object does not say
 * @param ipFamilyPolicy {@code spec.ipFamilyPolicy}; empty when the object does not say
 */
public record EndpointSelection(
        Optional<Labels> selector, List<IpFamily> ipFamilies, Optional<IpFamilyPolicy> ipFamilyPolicy) {
    /** Nothing said. */
    public static final EndpointSelection NONE = new EndpointSelection(Optional.empty(), List.of(), Optional.empty());

    /** Copies the list. */
    public EndpointSelection {
        Objects.requireNonNull(selector, "selector");
        ipFamilies = List.copyOf(ipFamilies);
        Objects.requireNonNull(ipFamilyPolicy, "ipFamilyPolicy");
    }
}
