package io.k8sdns.cluster;

import io.k8sdns.model.IpNetwork;
import java.util.List;

/**
 * The networks that addresses are taken from where manifests leave them out.
 *
 * @param serviceCidrs the networks of cluster IPs, at most one of each family, the first being the cluster's first
 *     family
 * @param podCidrs the networks of Pod addresses, at most one of each family
 */
public record Addressing(List<IpNetwork> serviceCidrs, List<IpNetwork> podCidrs) {
    /** {@code 10.96.0.0/12} for Services and {@code 10.244.0.0/16} for Pods. */
    public static final Addressing DEFAULTS =
            new Addressing(List.of(IpNetwork.parse("10.96.0.0/12")), List.of(IpNetwork.parse("10.244.0.0/16")));

    /** Copies the lists. */
    public Addressing {
        serviceCidrs = List.copyOf(serviceCidrs);
        podCidrs = List.copyOf(podCidrs);
    }
}
