package io.k8sdns.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ClusterSearchesTest {
    @Test
    void domainsAreThoseOfTheKubelet() {
        ClusterSearches searches = new ClusterSearches("shop", "cluster.local");

        assertThat(searches.domains()).containsExactly("shop.svc.cluster.local", "svc.cluster.local", "cluster.local");
        assertThat(searches.labels())
                .containsExactly(
                        DnsLabels.parse("shop.svc.cluster.local"),
                        DnsLabels.parse("svc.cluster.local"),
                        DnsLabels.parse("cluster.local"));
    }

    @Test
    void autopathDomainEndsInTheSuffix() {
        ClusterSearches searches = new ClusterSearches("shop", "cluster.local");

        assertThat(searches.autopathDomain()).isEqualTo("search.shop.cluster.local.ap.k8s.io");
        assertThat(searches.autopathDomain("ap.test")).isEqualTo("search.shop.cluster.local.ap.test");
    }

    @Test
    void clusterDomainKeepsItsSpelling() {
        assertThat(new ClusterSearches("shop", "Cluster.Local.").domains())
                .containsExactly("shop.svc.Cluster.Local.", "svc.Cluster.Local.", "Cluster.Local.");
    }

    @Test
    void domainsThatAreTooLongForNamesHaveNoLabels() {
        String zone = ("x".repeat(63) + ".").repeat(3) + "y".repeat(55);

        assertThat(new ClusterSearches("shop", zone).labels())
                .containsExactly(DnsLabels.parse("svc." + zone), DnsLabels.parse(zone));
    }

    @Test
    void namespaceIsADnsLabel() {
        assertThatThrownBy(() -> new ClusterSearches("a.b", "cluster.local"))
                .isInstanceOf(InvalidNameException.class)
                .hasMessage("not a namespace: a.b");
    }
}
