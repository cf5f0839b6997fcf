package io.k8sdns.resolvconf;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.IpAddress;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests advice that the conformance cases do not cover: old kubelets, and the fields of notes. */
class AdviceTest {
    private static final IpAddress DNS = IpAddress.parse("10.96.0.10");

    @Test
    void theEmptyWordThatOldKubeletsWriteForTheRootIsReported() {
        NodeDns node = NodeDns.builder()
                .clusterDns(DNS)
                .hostResolvConf("search .")
                .dialect(KubeletDialect.of(KubeletVersion.parse("1.24")))
                .build();

        assertThat(KubeletDns.forPod(PodDnsSpec.builder("web").build(), node).advice())
                .containsExactly(
                        "a search domain is the empty text, made of the node's \".\"; some resolvers fail on it");
    }

    @Test
    void anOptionsLineThatMuslCannotReadIsReported() {
        List<DnsConfig.Option> options = IntStream.range(0, 50)
                .mapToObj(i -> DnsConfig.Option.of("option-" + i))
                .toList();
        PodDnsSpec pod = PodDnsSpec.builder("web")
                .dnsConfig(new DnsConfig(List.of(), List.of(), options))
                .build();

        assertThat(KubeletDns.forPod(pod, NodeDns.builder().clusterDns(DNS).build())
                        .advice())
                .containsExactly(
                        "the options line has 505 characters, and musl (Alpine) ignores a line of more than 254 as a"
                                + " whole: all options are ignored, and ndots is 1");
    }

    @Test
    void adviceAboutAFieldHasItsPath() {
        PodDnsSpec pod = PodDnsSpec.builder("web")
                .dnsConfig(new DnsConfig(List.of(), List.of("a.example", "cluster.local"), List.of()))
                .build();

        assertThat(KubeletDns.forPod(pod, NodeDns.builder().clusterDns(DNS).build())
                        .notices())
                .singleElement()
                .satisfies(note -> {
                    assertThat(note.severity()).isEqualTo(Diagnostic.Severity.NOTE);
                    assertThat(note.code()).isEqualTo("repeated-search");
                    assertThat(note.field()).contains("spec.dnsConfig.searches[1]");
                });
    }

    @Test
    void anFqdnThatEndsInADotIsReported() {
        PodDnsSpec pod = PodDnsSpec.builder("web").subdomain("db").build();
        PodDns dns = KubeletDns.forPod(
                pod, NodeDns.builder().clusterDns(DNS).clusterDomain("").build());

        assertThat(dns.fqdn()).contains("web.db.default.svc.");
        assertThat(dns.advice())
                .containsExactly(
                        "the FQDN ends in a dot, because the node has no cluster domain; set it (--cluster-domain)");
    }

    @Test
    void threeLinesThatOldKubeletsIgnoreAreReportedAndTheOthersCounted() {
        assertThat(ignored("1.25", "options a\noptions b\nnonsense\n"))
                .containsExactly(
                        "ignored lines of the node's resolv.conf: line 1: of several options lines only the last one is"
                                + " used by this kubelet; line 3: \"nonsense\" is not a keyword of the kubelet");
        assertThat(ignored("1.25", "options a\n".repeat(4)))
                .singleElement()
                .asString()
                .contains("line 1: ", "line 2: ", "line 3: ")
                .endsWith("by this kubelet");
        assertThat(ignored("1.25", "options a\n".repeat(5)))
                .singleElement()
                .asString()
                .contains("line 3: ")
                .doesNotContain("line 4: ")
                .endsWith("; and 1 more");
        assertThat(ignored("1.25", "options a\n".repeat(6)))
                .singleElement()
                .asString()
                .contains("line 3: ")
                .doesNotContain("line 4: ")
                .endsWith("; and 2 more");
        assertThat(ignored("1.26", "options a\n".repeat(6))).isEmpty();
    }

    private static List<String> ignored(String version, String hostFile) {
        NodeDns node = NodeDns.builder()
                .clusterDns(DNS)
                .hostResolvConf(hostFile)
                .dialect(KubeletDialect.of(KubeletVersion.parse(version)))
                .build();
        return KubeletDns.forPod(PodDnsSpec.builder("web").build(), node).advice();
    }
}
