package io.k8sdns.resolvconf;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.IpAddress;
import io.k8sdns.resolvconf.InvalidPodException.FieldError;
import io.k8sdns.resolvconf.KubeletDialect.SearchLimits;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubeletDialectTest {
    @ParameterizedTest
    @CsvSource({"1.22, LEGACY", "1.25, LEGACY", "1.26.0, EXPANDED", "1.35, EXPANDED"})
    void version126RaisesTheSearchLimits(String version, SearchLimits limits) {
        assertThat(of(version).limits()).isEqualTo(limits);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "1.16,   'a. . b..', a.|.|b..",
                "1.17,   'a. . b..', a||b.",
                "1.24,   'a. . b..', a||b.",
                "1.25.0, 'a. . b..', a|.|b.",
                "1.25.1, 'a. . b..', a|b.",
                "1.25,   'a. . b..', a|b.",
                "1.34,   'a. . b..', a|b."
            })
    void theRootDomainOfTheHostIsReadInFourWaysByVersion(String version, String searches, String expected) {
        assertThat(String.join(
                        "|", ResolvConf.parse("search " + searches, of(version)).searches()))
                .isEqualTo(expected);
    }

    @Test
    void oldKubeletsWriteTheRootDomainAsAnEmptyWord() {
        assertThat(ResolvConf.parse("search .\n", of("1.24")).render()).isEqualTo("search \n");
    }

    @Test
    void before126OnlyTheLastOptionsLineIsUsed() {
        String file = "options timeout:1 edns0 edns0\noptions attempts:3 attempts:4\n";

        assertThat(ResolvConf.parse(file, of("1.25")).options()).containsExactly("attempts:3", "attempts:4");
        assertThat(ResolvConf.parse(file, of("1.26")).options()).containsExactly("timeout:1", "edns0", "attempts:4");
    }

    @Test
    void version133AcceptsUnderscoresAndTheRootDomainInAPod() {
        DnsConfig own = new DnsConfig(List.of(), List.of("_sip.a_b.example", "."), List.of());
        PodDnsSpec pod = PodDnsSpec.builder("web").dnsConfig(own).build();

        assertThat(PodDnsValidation.findings(pod, node("1.33"))).isEmpty();
        assertThat(PodDnsValidation.findings(pod, node("1.32")))
                .extracting(FieldError::toString)
                .satisfiesExactly(
                        first -> assertThat(first)
                                .startsWith("spec.dnsConfig.searches[0]: Invalid value: \"_sip.a_b.example\": ")
                                .contains("lower case alphanumeric characters, '-' or '.', and"),
                        second -> assertThat(second).startsWith("spec.dnsConfig.searches[1]: Invalid value: \"\": "));
    }

    @Test
    void aServerWithoutHostnameOverrideDropsIt() {
        PodDnsSpec pod = PodDnsSpec.builder("web")
                .hostnameOverride("Not_valid")
                .setHostnameAsFqdn(true)
                .build();

        assertThat(PodDnsValidation.findings(pod, node("1.35"))).hasSize(2);
        PodDns dns = KubeletDns.forPod(pod, node("1.34"));
        assertThat(dns.hostname()).contains("web");
        assertThat(dns.advice()).contains("this version of Kubernetes does not know hostnameOverride, and drops it");
    }

    @Test
    void theLatestDialectIsThatOfTheLatestVersion() {
        assertThat(of("1.99")).isEqualTo(KubeletDialect.LATEST);
    }

    @Test
    void expandedLimitsChangeNothingElse() {
        assertThat(KubeletDialect.LATEST.withLimits(SearchLimits.EXPANDED)).isEqualTo(KubeletDialect.LATEST);
        assertThat(of("1.25").withLimits(SearchLimits.EXPANDED).relaxedSearches())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({"., ''", "_x.y, _x.y", "a_b, a_b", "a., -", "a-b.c, -"})
    void legacyLimitsAreThoseOfServersThatRejectUnderscoresAndTheRoot(String search, String refused) {
        PodDnsSpec pod = PodDnsSpec.builder("web")
                .dnsConfig(new DnsConfig(List.of(), List.of(search), List.of()))
                .build();
        NodeDns legacy = NodeDns.builder()
                .dialect(KubeletDialect.LATEST.withLimits(SearchLimits.LEGACY))
                .build();

        assertThat(PodDnsValidation.findings(pod, legacy)).isEqualTo(PodDnsValidation.findings(pod, node("1.25")));
        if (refused.equals("-")) {
            assertThat(PodDnsValidation.findings(pod, legacy)).isEmpty();
        } else {
            assertThat(PodDnsValidation.findings(pod, legacy))
                    .singleElement()
                    .asString()
                    .startsWith("spec.dnsConfig.searches[0]: Invalid value: \"" + refused
                            + "\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters,"
                            + " '-' or '.', and must");
        }
    }

    private static KubeletDialect of(String version) {
        return KubeletDialect.of(KubeletVersion.parse(version));
    }

    private static NodeDns node(String version) {
        return NodeDns.builder()
                .clusterDns(IpAddress.parse("10.96.0.10"))
                .dialect(of(version))
                .build();
    }
}
