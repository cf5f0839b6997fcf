package io.k8sdns.cluster;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpNetwork;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The networks from which missing addresses are chosen: cluster IPs of Services and addresses of Pods that manifests do
 * not contain.
 *
 * <p>The hash of the object's namespace and name chooses an address; if another object has it, the next free one is
 * taken. The same manifests therefore get the same addresses, in any order of reading. A real cluster chooses other
 * addresses.
 *
 * @param serviceCidrs the networks of cluster IPs, one or two, at most one of each family; the first is the family of a
 *     Service that requests none
 * @param podCidrs the networks of Pod addresses, one or two, at most one of each family
 */
public record Addressing(List<IpNetwork> serviceCidrs, List<IpNetwork> podCidrs) {
    /** The defaults of kubeadm: 10.96.0.0/12 for Services, 10.244.0.0/16 for Pods. */
    public static final Addressing DEFAULTS =
            new Addressing(List.of(IpNetwork.parse("10.96.0.0/12")), List.of(IpNetwork.parse("10.244.0.0/16")));

    /** The smallest network: the first 16 addresses and the last one of a network are never chosen. */
    private static final int MIN_HOST_BITS = 5;

    /**
     * Copies and checks the lists.
     *
     * @throws IllegalArgumentException if a list is empty or holds two networks of one family, or a network has fewer
     *     than 32 addresses
     */
    public Addressing {
        serviceCidrs = Copies.list("serviceCidrs", serviceCidrs);
        podCidrs = Copies.list("podCidrs", podCidrs);
        check("service", serviceCidrs);
        check("pod", podCidrs);
    }

    private static void check(String what, List<IpNetwork> cidrs) {
        if (cidrs.isEmpty()) {
            throw new IllegalArgumentException("no " + what + " CIDR");
        }
        Set<IpFamily> families = EnumSet.noneOf(IpFamily.class);
        for (IpNetwork cidr : cidrs) {
            if (cidr.hostBits() < MIN_HOST_BITS) {
                throw new IllegalArgumentException(what + " CIDR " + cidr + " has fewer than 32 addresses");
            }
            if (!families.add(cidr.family())) {
                throw new IllegalArgumentException(
                        "two " + what + " CIDRs of family " + cidr.family() + ", at most one is used: " + cidrs);
            }
        }
    }
}
