package io.k8sdns.resolvconf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.k8sdns.model.DnsConfig;
import io.k8sdns.resolvconf.InvalidPodException.FieldError;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class PodDnsValidationLaws {
    private static final Pattern STRICT =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern RELAXED =
            Pattern.compile("_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*");

    @Property
    void aDomainIsAcceptedIfTheExpressionOfTheMessageMatches(@ForAll("names") String name, @ForAll boolean relaxed) {
        assertThat(NameSyntax.subdomain(name, relaxed).isEmpty())
                .isEqualTo((relaxed ? RELAXED : STRICT).matcher(name).matches());
    }

    @Property
    void aLabelIsAcceptedIfTheExpressionOfTheMessageMatches(@ForAll("names") String name) {
        assertThat(NameSyntax.label(name).isEmpty()).isEqualTo(name.matches("[a-z0-9]([-a-z0-9]*[a-z0-9])?"));
    }

    @Property
    void aPodIsAcceptedIfItsNameAndItsNamespaceAreValid(
            @ForAll("names") String name, @ForAll("names") String namespace) {
        PodDnsSpec pod = PodsAndNodes.podNamed(name, namespace);
        List<String> wrong = new ArrayList<>();
        if (!STRICT.matcher(name).matches()) {
            wrong.add("metadata.name");
        }
        if (!namespace.matches("[a-z0-9]([-a-z0-9]*[a-z0-9])?")) {
            wrong.add("metadata.namespace");
        }
        assertThat(PodDnsValidation.findings(pod, NodeDns.builder().build()))
                .extracting(FieldError::field)
                .isEqualTo(wrong);
    }

    @Property
    void aPodOfAnyTextsIsRejectedWithAllFindingsOrAccepted(@ForAll("anyPods") PodDnsSpec pod) {
        NodeDns node = NodeDns.builder().build();
        List<FieldError> findings = PodDnsValidation.findings(pod, node);

        if (findings.isEmpty()) {
            assertThat(KubeletDns.forPod(pod, node).resolvConf().nameservers()).isNotEmpty();
        } else {
            assertThatExceptionOfType(InvalidPodException.class)
                    .isThrownBy(() -> KubeletDns.forPod(pod, node))
                    .satisfies(refused -> assertThat(refused.errors()).isEqualTo(findings));
        }
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.strings().withChars("a0-_.A").ofMaxLength(7);
    }

    @Provide
    Arbitrary<PodDnsSpec> anyPods() {
        Arbitrary<String> texts = Arbitraries.oneOf(
                Arbitraries.of("", "a", "a.example", "192.0.2.1", "ndots", "None", "Custom", "Default", "a\nb", "\""),
                Arbitraries.strings().ofMaxLength(5));
        Arbitrary<DnsConfig> configs = Combinators.combine(
                        texts.list().ofMaxSize(5),
                        texts.list().ofMaxSize(40),
                        Combinators.combine(texts, texts.optional())
                                .as(DnsConfig.Option::new)
                                .list()
                                .ofMaxSize(3))
                .as(DnsConfig::new);
        return Combinators.combine(
                        Arbitraries.oneOf(Arbitraries.of("web", "web-0.a"), texts)
                                .list()
                                .ofSize(2),
                        Arbitraries.of("test", "test", "Test", ""),
                        texts.optional().list().ofSize(4),
                        configs.optional(),
                        Arbitraries.of(true, false),
                        Arbitraries.of(true, false))
                .as((name, namespace, fields, config, hostNetwork, asFqdn) -> new PodDnsSpec(
                        name.get(0),
                        namespace,
                        Optional.of(name.get(1)),
                        hostNetwork,
                        fields.get(0),
                        fields.get(1),
                        asFqdn,
                        fields.get(2),
                        fields.get(3),
                        config));
    }
}
