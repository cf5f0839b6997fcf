package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How Kubernetes finds the endpoints of a Service: what its controllers read and DNS itself never does.
 *
 * @param selector the labels that the Service's Pods carry; empty for a Service whose slices somebody else makes; a
 *     selector without any label is none
 * @param ipFamilies {@code spec.ipFamilies} in order; empty when the object does not say
 * @param ipFamilyPolicy {@code spec.ipFamilyPolicy}; empty when the object does not say
 */
public record EndpointSelection(
        Optional<Labels> selector, List<IpFamily> ipFamilies, Optional<IpFamilyPolicy> ipFamilyPolicy) {
    /** Nothing said. */
    public static final EndpointSelection NONE = new EndpointSelection(Optional.empty(), List.of(), Optional.empty());

    /**
     * Copies the list.
     *
     * @throws InvalidFieldException if the families are more than two or one twice
     */
    @Internal
    public EndpointSelection {
        Objects.requireNonNull(selector, "selector");
        selector = selector.filter(labels -> !labels.values().isEmpty());
        ipFamilies = Copies.list("ipFamilies", ipFamilies);
        if (ipFamilies.size() > 2 || ipFamilies.size() == 2 && ipFamilies.get(0) == ipFamilies.get(1)) {
            throw new InvalidFieldException("spec.ipFamilies", "not at most one of each family: " + ipFamilies);
        }
        Objects.requireNonNull(ipFamilyPolicy, "ipFamilyPolicy");
    }

    /** Returns the same selection with this selector; one without any label is none. */
    public EndpointSelection withSelector(Labels newSelector) {
        Objects.requireNonNull(newSelector, "newSelector");
        return new EndpointSelection(Optional.of(newSelector), ipFamilies, ipFamilyPolicy);
    }

    /**
     * Returns the same selection with these families.
     *
     * @param newIpFamilies at most one of each, in order; copied
     * @throws InvalidFieldException if one family is given twice
     */
    public EndpointSelection withIpFamilies(List<IpFamily> newIpFamilies) {
        return new EndpointSelection(selector, Copies.list("newIpFamilies", newIpFamilies), ipFamilyPolicy);
    }

    /** Returns the same selection with this policy. */
    public EndpointSelection withIpFamilyPolicy(IpFamilyPolicy newIpFamilyPolicy) {
        Objects.requireNonNull(newIpFamilyPolicy, "newIpFamilyPolicy");
        return new EndpointSelection(selector, ipFamilies, Optional.of(newIpFamilyPolicy));
    }
}
