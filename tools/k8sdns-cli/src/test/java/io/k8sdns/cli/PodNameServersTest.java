package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Pod;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodNameServersTest {
    private static final ClusterSnapshot KUBE_DNS =
            ClusterSnapshot.of(List.of(ClusterIpService.of("kube-system", "kube-dns", "10.96.0.10")));

    private static final ClusterSnapshot LABELLED =
            ClusterSnapshot.of(List.of(ClusterIpService.of("dns", "coredns", "10.96.0.10").toBuilder()
                    .labels("k8s-app=kube-dns")
                    .build()));

    private static boolean areOthers(ClusterSnapshot cluster, Set<IpAddress> invented, String... servers) {
        Pod pod = Pod.builder("shop", "tool")
                .dnsPolicy(DnsPolicy.NONE)
                .dnsConfig(new DnsConfig(List.of(servers), List.of(), List.of()))
                .build();
        return PodNameServers.of(cluster, invented).areOthers(pod);
    }

    @ParameterizedTest
    @CsvSource({
        "10.96.0.10, false, false",
        "10.0.0.53, false, true",
        "172.20.0.10, false, true",
        "100.64.0.10, false, true",
        "fd00::10, false, true",
        "169.254.20.10, false, false",
        "198.51.100.8, true, true",
        "2001:db8::8, true, true",
    })
    void aPrivateAddressMayBeThatOfTheClusterUnlessItsServiceIsKnown(
            String server, boolean withoutService, boolean withService) {
        assertThat(areOthers(ClusterSnapshot.of(List.of()), Set.of(), server)).isEqualTo(withoutService);
        assertThat(areOthers(KUBE_DNS, Set.of(), server)).isEqualTo(withService);
        assertThat(areOthers(LABELLED, Set.of(), server)).isEqualTo(withService);
    }

    @Test
    void anInventedAddressOfTheServiceIsUnknown() {
        assertThat(areOthers(KUBE_DNS, Set.of(IpAddress.parse("10.96.0.10")), "10.0.0.53"))
                .isFalse();
    }

    @Test
    void onlyTheFirstServerIsAsked() {
        assertThat(areOthers(KUBE_DNS, Set.of(), "198.51.100.8", "10.96.0.10")).isTrue();
        assertThat(areOthers(KUBE_DNS, Set.of(), "10.96.0.10", "198.51.100.8")).isFalse();
    }

    @Test
    void withAnotherPolicyTheServersOfThePodFollowThoseOfTheCluster() {
        Pod pod = Pod.builder("shop", "tool")
                .dnsConfig(new DnsConfig(List.of("198.51.100.8"), List.of(), List.of()))
                .build();
        assertThat(PodNameServers.of(KUBE_DNS, Set.of()).areOthers(pod)).isFalse();
    }
}
