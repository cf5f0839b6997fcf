package io.k8sdns.resolvconf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.resolvconf.InvalidPodException.FieldError;
import io.k8sdns.resolvconf.KubeletDialect.SearchLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubeletDnsTest {
    private static final IpAddress DNS = IpAddress.parse("10.96.0.10");
    private static final PodDnsSpec WEB =
            PodDnsSpec.builder("web").namespace("test").build();

    @Test
    void theExampleInTheDocumentationRuns() throws IOException {
        // region
        NodeDns node = NodeDns.builder()
                .clusterDns(IpAddress.parse("10.96.0.10"))
                .hostResolvConf("nameserver 192.0.2.1\nsearch corp.example\n")
                .build();
        PodDnsSpec pod = PodDnsSpec.builder("web-0").namespace("shop").build();
        PodDns dns = KubeletDns.forPod(pod, node);
        // endregion

        assertThat(dns.resolvConf().render()).isEqualTo("""
                        nameserver 10.96.0.10
                        search shop.svc.cluster.local svc.cluster.local cluster.local corp.example
                        options ndots:5
                        """);
        assertThat(block("src/main/java/io/k8sdns/resolvconf/KubeletDns.java", "<pre>\\{@code\n(.*?)}</pre>"))
                .isPresent()
                .isEqualTo(block(
                        "src/test/java/io/k8sdns/resolvconf/KubeletDnsTest.java", "// region\n(.*?) *// endregion"));
    }

    @Test
    void aWarningHasThePodAndACode() {
        PodDns dns = KubeletDns.forPod(WEB, NodeDns.builder().build());

        assertThat(dns.notices().get(0)).satisfies(notice -> {
            assertThat(notice.severity()).isEqualTo(Diagnostic.Severity.WARNING);
            assertThat(notice.code()).isEqualTo("missing-cluster-dns");
            assertThat(notice.object()).contains(ObjectRef.of("Pod", "test", "web"));
        });
    }

    @Test
    void adviceIsNotAWarning() {
        PodDnsSpec pod = PodDnsSpec.builder("web")
                .dnsConfig(new DnsConfig(List.of(), List.of(), List.of(DnsConfig.Option.of("ndots", "1"))))
                .build();
        PodDns dns = KubeletDns.forPod(pod, NodeDns.builder().clusterDns(DNS).build());

        assertThat(dns.warnings()).isEmpty();
        assertThat(dns.advice()).singleElement().asString().startsWith("ndots is 1: musl (Alpine)");
    }

    @Test
    void aPodOnTheNetworkOfItsNodeHasNoNameOfItsOwn() {
        PodDns dns = KubeletDns.forPod(
                PodDnsSpec.builder("web").hostNetwork(true).build(),
                NodeDns.builder().build());

        assertThat(dns.hostname()).isEmpty();
        assertThat(dns.fqdn()).isEmpty();
    }

    @Test
    void anAutopathPodCanBeWrittenForEveryApiServer() {
        NodeDns node =
                NodeDns.builder().clusterDns(DNS).enhancementPolicies(true).build();
        PodDns dns = KubeletDns.forPod(
                PodDnsSpec.builder("web")
                        .namespace("test")
                        .dnsPolicy("clusterFirstWithAutopath")
                        .build(),
                node);

        assertThat(dns.asDnsConfig())
                .isEqualTo(new DnsConfig(
                        List.of("10.96.0.10"),
                        List.of("search.test.cluster.local.ap.k8s.io"),
                        List.of(DnsConfig.Option.of("ndots", "5"))));
    }

    @Test
    void aNameThatIsTooLongForAKernelIsReportedWithTheKubeletsMessage() {
        PodDnsSpec pod = PodDnsSpec.builder("h")
                .subdomain("s".repeat(63))
                .setHostnameAsFqdn(true)
                .build();
        assertThatExceptionOfType(FqdnTooLongException.class)
                .isThrownBy(() -> KubeletDns.forPod(pod, NodeDns.builder().build()))
                .withMessage("failed to construct FQDN from pod hostname and cluster domain, FQDN h." + "s".repeat(63)
                        + ".default.svc.cluster.local is too long (64 characters is the max, 91 characters requested)");
    }

    @Test
    void anInvalidPodIsReportedWithAllItsErrors() {
        PodDnsSpec pod =
                PodDnsSpec.builder("web").dnsPolicy("None").hostname("-").build();

        assertThatExceptionOfType(InvalidPodException.class)
                .isThrownBy(() -> KubeletDns.forPod(pod, NodeDns.builder().build()))
                .withMessageStartingWith(
                        "Pod \"web\" is invalid: spec.dnsConfig: Required value: must provide `dnsConfig`"
                                + " when `dnsPolicy` is None; spec.hostname: Invalid value: \"-\": ")
                .satisfies(invalid -> assertThat(invalid.errors())
                        .extracting(FieldError::field)
                        .containsExactly("spec.dnsConfig", "spec.hostname"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"cluster local", "cluster.local/x", "cluster_local", "-a", ".", "a..b", "a\\.b", "caf\u00e9"})
    void aClusterDomainThatIsNotAHostNameIsEmpty(String domain) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NodeDns.builder().clusterDomain(domain).build())
                .withMessageStartingWith("not a cluster domain: ")
                .withMessageContaining(domain);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster.local", "K8s-1.Example", "cluster.local."})
    void aClusterDomainThatIsAHostNameIsUnchanged(String domain) {
        assertThat(NodeDns.builder().clusterDomain(domain).build().clusterDomain())
                .contains(domain);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Web_", ""})
    void aPodWithoutAValidNameIsRejected(String name) {
        assertThatExceptionOfType(InvalidPodException.class)
                .isThrownBy(() -> KubeletDns.forPod(
                        PodDnsSpec.builder(name).build(), NodeDns.builder().build()))
                .satisfies(invalid -> assertThat(invalid.errors())
                        .extracting(FieldError::field)
                        .containsExactly("metadata.name"));
    }

    @Test
    void tooManyDomainsOfTheNodeAreReported() {
        assertThat(nodeCheck(NodeDns.builder(), "search " + domains(30)))
                .containsExactly(
                        "Resolv.conf file '/etc/resolv.conf' contains search line consisting of more than 29 domains!");
        assertThat(nodeCheck(NodeDns.builder(), "search " + domains(29))).isEmpty();
    }

    @Test
    void withoutAClusterDomainTheNodeMayHaveThreeMoreDomains() {
        assertThat(nodeCheck(NodeDns.builder().clusterDomain(""), "search " + domains(32)))
                .isEmpty();
        assertThat(nodeCheck(NodeDns.builder().clusterDomain(""), "search " + domains(33)))
                .containsExactly(
                        "Resolv.conf file '/etc/resolv.conf' contains search line consisting of more than 32 domains!");
    }

    @Test
    void legacyLimitsApplyToTheFileOfTheNode() {
        NodeDns.Builder legacy = NodeDns.builder().dialect(KubeletDialect.LATEST.withLimits(SearchLimits.LEGACY));

        assertThat(nodeCheck(legacy, "search " + domains(4)))
                .containsExactly(
                        "Resolv.conf file '/etc/resolv.conf' contains search line consisting of more than 3 domains!");
        assertThat(nodeCheck(legacy, "search " + "x".repeat(200) + " " + "y".repeat(56)))
                .containsExactly(
                        "Resolv.conf file '/etc/resolv.conf' contains search line which length is more than allowed"
                                + " 256 chars!");
    }

    @Test
    void aDomainOfTheNodeThatIsTooLongIsReported() {
        assertThat(nodeCheck(NodeDns.builder(), "search " + "x".repeat(254)))
                .containsExactly(
                        "Resolv.conf file \"/etc/resolv.conf\" contains a search path which length is more than"
                                + " allowed 253 chars!");
    }

    @Test
    void aLineOfTheNodeThatIsTooLongIsReported() {
        String domains = IntStream.range(0, 20).mapToObj(i -> "x".repeat(102)).collect(Collectors.joining(" "));

        assertThat(nodeCheck(NodeDns.builder(), "search " + domains))
                .containsExactly(
                        "Resolv.conf file '/etc/resolv.conf' contains search line which length is more than allowed"
                                + " 2048 chars!");
    }

    @Test
    void anUnreadableFileOfTheNodeIsReported() {
        assertThat(nodeCheck(NodeDns.builder(), "nameserver")).containsExactly("nameserver list is empty ");
    }

    @Test
    void nothingIsReportedForANodeWithoutAFile() {
        assertThat(KubeletDns.checkNode(NodeDns.builder().build(), "")).isEmpty();
    }

    private static List<String> nodeCheck(NodeDns.Builder node, String file) {
        return KubeletDns.checkNode(node.hostResolvConf(file).build(), "/etc/resolv.conf").stream()
                .map(Diagnostic::text)
                .toList();
    }

    private static String domains(int count) {
        return IntStream.range(0, count).mapToObj(i -> "d" + i).collect(Collectors.joining(" "));
    }

    /** The first group of a pattern in a file of this module, without indentation and the asterisks of comments. */
    private static Optional<String> block(String file, String pattern) throws IOException {
        return Pattern.compile(pattern, Pattern.DOTALL)
                .matcher(Files.readString(Path.of(System.getProperty("k8sdns.root", ".."), "k8sdns-resolvconf", file)))
                .results()
                .map(match -> match.group(1).replaceAll("(?m)^ *\\*? *", "").strip())
                .findFirst();
    }
}
