package io.k8sdns.resolvconf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.IpAddress;
import io.k8sdns.resolvconf.InvalidPodException.FieldError;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests large input and input that is not text. A slow algorithm makes the build hang. */
class HostileInputTest {
    private static final int TEN_MEGABYTES = 10_000_000;

    static List<String> largeFiles() {
        return List.of(
                "search " + "a ".repeat(TEN_MEGABYTES / 2),
                IntStream.range(0, TEN_MEGABYTES / 8)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(" ", "search ", "")),
                "options "
                        + IntStream.range(0, TEN_MEGABYTES / 10)
                                .mapToObj(i -> "o" + i + ":1")
                                .collect(Collectors.joining(" ")),
                "nameserver 192.0.2.1\n".repeat(TEN_MEGABYTES / 22),
                "nameserver " + "9".repeat(TEN_MEGABYTES),
                "search " + "x".repeat(TEN_MEGABYTES),
                "search a\n".repeat(TEN_MEGABYTES / 9),
                "\n".repeat(TEN_MEGABYTES),
                "# " + "\t".repeat(TEN_MEGABYTES),
                "x".repeat(TEN_MEGABYTES));
    }

    @ParameterizedTest
    @MethodSource("largeFiles")
    void aFileOfTenMegabytesGivesAResultWithinTheLimits(String file) {
        NodeDns node = NodeDns.builder().hostResolvConf(file).build();
        PodDnsSpec pod = PodDnsSpec.builder("web").dnsConfig(DnsConfig.EMPTY).build();
        PodDns dns = KubeletDns.forPod(pod, node);

        assertThat(dns.resolvConf().searches()).hasSizeLessThanOrEqualTo(32);
        assertThat(dns.resolvConf().nameservers()).hasSizeLessThanOrEqualTo(3);
        assertThat(dns.notices()).allSatisfy(notice -> assertThat(notice.text()).hasSizeLessThan(8_000));
        assertThat(KubeletDns.checkNode(node, "f"))
                .allSatisfy(notice -> assertThat(notice.text()).hasSizeLessThan(200));
    }

    @Test
    void bytesThatAreNotTextAreReadAsAFile() {
        byte[] bytes = new byte[1_000_000];
        new Random(4).nextBytes(bytes);
        String file = new String(bytes, StandardCharsets.UTF_8) + "\nnameserver 192.0.2.1\n";

        assertThat(ResolvConf.parse(file).nameservers()).containsExactly("192.0.2.1");
    }

    @Test
    void aMillionSearchesOfAPodAreRejectedWithAShortMessage() {
        DnsConfig own = new DnsConfig(
                List.of(), IntStream.range(0, 1_000_000).mapToObj(i -> "A" + i).toList(), List.of());
        PodDnsSpec pod = PodDnsSpec.builder("web").dnsConfig(own).build();

        assertThatExceptionOfType(InvalidPodException.class)
                .isThrownBy(() -> KubeletDns.forPod(pod, NodeDns.builder().build()))
                .satisfies(refused -> assertThat(refused.getMessage()).hasSizeLessThan(100_000));
    }

    @Test
    void aPodWithOnlyLongInvalidFieldsIsRejectedWithAShortMessage() {
        String wrong = "_.".repeat(50_000);
        DnsConfig own = new DnsConfig(
                Collections.nCopies(200, wrong),
                Collections.nCopies(200, wrong),
                Collections.nCopies(200, DnsConfig.Option.of("", wrong)));
        PodDnsSpec pod = PodDnsSpec.builder(wrong)
                .namespace(wrong)
                .uid(wrong)
                .dnsPolicy(wrong)
                .dnsConfig(own)
                .hostname(wrong)
                .subdomain(wrong)
                .hostnameOverride(wrong)
                .build();

        List<FieldError> findings =
                PodDnsValidation.findings(pod, NodeDns.builder().build());
        assertThat(findings)
                .hasSizeLessThan(600)
                .allSatisfy(error -> assertThat(error.toString()).hasSizeLessThan(50_000));
    }

    @Test
    void theLongestNameIsAccepted() {
        String name = "a.".repeat(126) + "a";
        PodDns dns = KubeletDns.forPod(
                PodDnsSpec.builder(name).uid(name).build(), NodeDns.builder().build());

        assertThat(dns.hostname()).contains(name.substring(0, 63));
        assertThat(dns.notices()).allSatisfy(notice -> assertThat(notice.text()).hasSizeLessThan(2_000));
    }

    @Test
    void thousandsOfOptionsAreMerged() {
        DnsConfig own = new DnsConfig(
                List.of(),
                List.of(),
                IntStream.range(0, 200_000)
                        .mapToObj(i -> DnsConfig.Option.of("o" + i))
                        .toList());
        PodDns dns = KubeletDns.forPod(
                PodDnsSpec.builder("web").dnsConfig(own).build(),
                NodeDns.builder().clusterDns(IpAddress.parse("10.96.0.10")).build());

        assertThat(dns.resolvConf().options()).hasSize(200_001);
    }
}
