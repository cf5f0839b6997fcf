package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Finds Pods that ask other name servers than those of the cluster.
 *
 * <p>A resolver asks the first name server of its resolv.conf; the others only if that one fails. With the policy {@code None} it is the
 * first one of {@code spec.dnsConfig}. If the objects have the Service of the cluster's DNS, only its addresses are those of the cluster,
 * and link-local ones, because node caches have these. Otherwise all private addresses may be.
 */
final class PodNameServers {
    /** The label of the Service and of the Pods of the cluster's DNS. */
    private static final String LABEL = "k8s-app";

    private static final ObjectRef USUAL = ObjectRef.of(Service.KIND, LiveCluster.KUBE_SYSTEM, LiveCluster.KUBE_DNS);

    private static final List<IpNetwork> LINK_LOCAL = networks("169.254.0.0/16", "fe80::/10");

    /** RFC 1918, RFC 4193, and RFC 6598, which some providers use for Services. */
    private static final List<IpNetwork> PRIVATE =
            networks("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7");

    /** Empty if they are unknown. */
    private final Set<IpAddress> ofCluster;

    private PodNameServers(Set<IpAddress> ofCluster) {
        this.ofCluster = ofCluster;
    }

    /**
     * Returns the finder for a cluster.
     *
     * @param invented the addresses that no object has: that of the cluster's DNS is another one
     */
    static PodNameServers of(ClusterSnapshot cluster, Set<IpAddress> invented) {
        return new PodNameServers(cluster.objects(ClusterIpService.class)
                .filter(service -> service.ref().equals(USUAL)
                        || service.labels().get(LABEL).equals(Optional.of(LiveCluster.KUBE_DNS)))
                .flatMap(service -> service.clusterIps().stream())
                .filter(address -> !invented.contains(address))
                .collect(Collectors.toSet()));
    }

    private static List<IpNetwork> networks(String... texts) {
        return List.of(texts).stream().map(IpNetwork::parse).toList();
    }

    /** Returns whether a Pod asks other name servers than those of the cluster, which then receive none of its queries. */
    boolean areOthers(Pod pod) {
        return hasConfigurationOfNode(pod)
                || firstOfNone(pod).filter(address -> !isOfCluster(address)).isPresent();
    }

    /**
     * Returns the reason why a Pod asks others, for a cause at its {@code dnsPolicy}.
     *
     * @param path returns the path of a field of the Pod in the object that a user edits
     */
    String reason(Pod pod, UnaryOperator<String> path) {
        String policy = pod.dnsPolicy().orElse("missing, which is ClusterFirst");
        if (hasConfigurationOfNode(pod)) {
            return policy + (pod.hostNetwork() ? ", and " + path.apply("spec.hostNetwork") + " is true" : "")
                    + ", so that the Pod has the resolv.conf of its node, and asks the node's name servers";
        }
        return policy + ", so that the Pod asks "
                + firstOfNone(pod).map(IpAddress::toString).orElse("other name servers") + ", the first of "
                + path.apply("spec.dnsConfig.nameservers") + ", which is not the DNS server of the cluster";
    }

    /** Returns whether a Pod has the resolv.conf of its node, and not the cluster's server and search list. */
    static boolean hasConfigurationOfNode(Pod pod) {
        String policy = pod.dnsPolicy().orElse(DnsPolicy.CLUSTER_FIRST.word());
        return policy.equals(DnsPolicy.DEFAULT.word())
                || pod.hostNetwork() && policy.equals(DnsPolicy.CLUSTER_FIRST.word());
    }

    /** Returns the first name server of a Pod with the policy {@code None}. */
    private static Optional<IpAddress> firstOfNone(Pod pod) {
        return pod.dnsPolicy().equals(Optional.of(DnsPolicy.NONE.word()))
                ? pod.dnsConfig()
                        .flatMap(config -> config.nameservers().stream().findFirst())
                        .flatMap(IpAddress::tryParse)
                : Optional.empty();
    }

    private boolean isOfCluster(IpAddress address) {
        return ofCluster.contains(address)
                || LINK_LOCAL.stream().anyMatch(network -> network.contains(address))
                || ofCluster.isEmpty() && PRIVATE.stream().anyMatch(network -> network.contains(address));
    }
}
