package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import io.k8sdns.arguments.KubernetesNames;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The addresses and host names at which the load balancer of a Service accepts traffic from outside the cluster:
 * {@code status.loadBalancer.ingress}.
 *
 * @param addresses its addresses, in the object's order
 * @param hostNames its host names, in the object's order, in lower case and without a trailing dot; some providers have these instead
 *     of addresses
 */
public record LoadBalancerIngress(List<IpAddress> addresses, List<String> hostNames) {
    /** No load balancer, or one that has no address yet. */
    public static final LoadBalancerIngress NONE = new LoadBalancerIngress(List.of(), List.of());

    /**
     * Copies the lists; host names are folded to lower case.
     *
     * @throws InvalidFieldException if a host name is not a DNS-1123 subdomain
     */
    @Internal
    public LoadBalancerIngress {
        addresses = Copies.list("addresses", addresses);
        hostNames = Copies.list("hostNames", hostNames).stream()
                .map(LoadBalancerIngress::hostName)
                .toList();
    }

    /**
     * Returns the ingress of a load balancer with these addresses.
     *
     * @param addresses IP addresses
     * @throws IllegalArgumentException if one is not an IP address
     */
    public static LoadBalancerIngress of(String... addresses) {
        return new LoadBalancerIngress(IpAddress.parseAll("addresses", addresses), List.of());
    }

    private static String hostName(String given) {
        String name = given.toLowerCase(Locale.ROOT);
        name = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        if (!KubernetesNames.isDnsSubdomain(name)) {
            throw new InvalidFieldException("status.loadBalancer.ingress", "not a host name: \"" + given + "\"");
        }
        return name;
    }

    /**
     * Returns the same addresses with these host names.
     *
     * @throws InvalidFieldException if one is not a DNS-1123 subdomain
     */
    public LoadBalancerIngress withHostNames(String... names) {
        return new LoadBalancerIngress(addresses, Arrays.asList(Objects.requireNonNull(names, "names")));
    }
}
