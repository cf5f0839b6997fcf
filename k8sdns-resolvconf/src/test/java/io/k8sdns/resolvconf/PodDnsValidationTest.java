package io.k8sdns.resolvconf;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.DnsConfig;
import io.k8sdns.resolvconf.InvalidPodException.FieldError;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PodDnsValidationTest {
    private static final NodeDns NODE = NodeDns.builder().build();
    private static final NodeDns LENIENT =
            NodeDns.builder().enhancementPolicies(true).build();

    @Test
    void aPodWithoutFieldsIsValid() {
        assertThat(PodDnsValidation.findings(PodDnsSpec.builder("web").build(), NODE))
                .isEmpty();
    }

    @Test
    void theNamespaceIsCheckedBecauseItIsAPartOfNames() {
        PodDnsSpec pod = PodDnsSpec.builder("web").namespace("a b").build();

        assertThat(PodDnsValidation.findings(pod, NODE))
                .singleElement()
                .satisfies(error -> assertThat(error.toString())
                        .startsWith(
                                "metadata.namespace: Invalid value: \"a b\": a lowercase RFC 1123 label must consist"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Web_", "web_0", "Web", "-web", "web.", ".", "a b", "\u00e9"})
    void theNameIsCheckedWithTheMessageOfTheApiServer(String name) {
        assertThat(PodDnsValidation.findings(PodDnsSpec.builder(name).build(), NODE))
                .singleElement()
                .hasToString(
                        "metadata.name: Invalid value: \"" + name + "\": a lowercase RFC 1123 subdomain must consist of"
                                + " lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric"
                                + " character (e.g. 'example.com', regex used for validation is"
                                + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
    }

    @Test
    void aNameOfMoreThan253CharactersIsTooLong() {
        assertThat(PodDnsValidation.findings(PodDnsSpec.builder("a".repeat(253)).build(), NODE))
                .isEmpty();
        assertThat(PodDnsValidation.findings(PodDnsSpec.builder("a".repeat(254)).build(), NODE))
                .singleElement()
                .hasToString("metadata.name: Invalid value: \"" + "a".repeat(254)
                        + "\": must be no more than 253 characters");
    }

    @Test
    void aMissingNameAndAMissingNamespaceAreRequired() {
        PodDnsSpec pod = PodsAndNodes.podNamed("", "");

        assertThat(PodDnsValidation.findings(pod, NODE))
                .extracting(FieldError::toString)
                .containsExactly(
                        "metadata.name: Required value: name or generateName is required",
                        "metadata.namespace: Required value");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Custom", "ClusterFirstWithAutopath", "clusterFirstWithAutopath"})
    void aPolicyOfAProposalIsRejectedWithTheNameOfTheFlag(String policy) {
        assertThat(findings(NODE, policy))
                .singleElement()
                .asString()
                .startsWith("spec.dnsPolicy: Unsupported value: \"" + policy + "\": supported values: ")
                .contains("--kep-policies");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Custom", "ClusterFirstWithAutopath", "clusterFirstWithAutopath"})
    void aPolicyOfAProposalIsAcceptedWithTheFlag(String policy) {
        assertThat(findings(LENIENT, policy)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"custom", "CUSTOM", "ClusterfirstWithAutopath", "Autopath"})
    void noOtherSpellingIsAccepted(String policy) {
        assertThat(findings(LENIENT, policy)).singleElement().asString().doesNotContain("--kep-policies");
    }

    @Test
    void atMostAHundredInvalidElementsAreReported() {
        DnsConfig own = new DnsConfig(List.of(), Collections.nCopies(1000, "A"), List.of());
        List<FieldError> findings = PodDnsValidation.findings(
                PodDnsSpec.builder("web").dnsConfig(own).build(), NODE);

        assertThat(findings).hasSize(1 + 100 + 1);
        assertThat(findings.get(0).problem()).endsWith(",\"A\",...]: must not have more than 32 search paths");
        assertThat(findings.get(101))
                .hasToString(
                        "spec.dnsConfig.searches: Too many errors: only the first 100 invalid elements are reported");
    }

    @Test
    void valuesAreQuotedAsInGoAndTruncated() {
        PodDnsSpec pod = PodDnsSpec.builder("web")
                .hostname("a\n\u0001\"\\\u00E9\u00A0\u200B" + "x".repeat(100_000))
                .build();
        String problem = PodDnsValidation.findings(pod, NODE).get(0).problem();

        assertThat(problem)
                .startsWith("Invalid value: \"a\\n\\x01\\\"\\\\\u00E9\\u00a0\\u200bxxx")
                .hasSizeLessThan(1200);
    }

    private static List<String> findings(NodeDns node, String policy) {
        DnsConfig own = new DnsConfig(List.of("192.0.2.1"), List.of(), List.of());
        return PodDnsValidation.findings(
                        PodDnsSpec.builder("web")
                                .dnsPolicy(policy)
                                .dnsConfig(own)
                                .build(),
                        node)
                .stream()
                .map(FieldError::toString)
                .toList();
    }
}
