package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The fields by which Kubernetes' controllers choose the endpoints of a Service. DNS servers do not read them.
 *
 * @param selector the labels that the Service's Pods carry; empty for a Service whose slices its owner makes. A
 *     selector without labels counts as absent
 * @param ipFamilies {@code spec.ipFamilies} in order; empty if the object has none
 * @param ipFamilyPolicy {@code spec.ipFamilyPolicy}; empty if the object has none
 */
public record EndpointSelection(
        Optional<Labels> selector, List<IpFamily> ipFamilies, Optional<IpFamilyPolicy> ipFamilyPolicy) {
    /** No selector, no families and no policy. */
    public static final EndpointSelection NONE = new EndpointSelection(Optional.empty(), List.of(), Optional.empty());

    /**
     * Copies the list.
     *
     * @throws InvalidFieldException if there are more than two families, or one occurs twice
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

    /** Returns the same selection with this selector; one without labels counts as absent. */
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
