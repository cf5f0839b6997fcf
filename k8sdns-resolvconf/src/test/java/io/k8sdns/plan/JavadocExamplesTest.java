package io.k8sdns.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.advice.HostAdvice;
import io.k8sdns.advice.NdotsAdvisor;
import io.k8sdns.model.IpAddress;
import io.k8sdns.resolvconf.KubeletDns;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.PodDns;
import io.k8sdns.resolvconf.PodDnsSpec;
import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.Dialect;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Runs the examples of the Javadoc: each is a region of this class. */
class JavadocExamplesTest {
    private static final Path MODULE = Path.of(System.getProperty("k8sdns.root"), "k8sdns-resolvconf");
    private static final Pattern EXAMPLE = Pattern.compile("<pre>\\{@code\\n(.*?) \\* \\}</pre>", Pattern.DOTALL);
    private static final Pattern REGION = Pattern.compile("// region\\n(.*?) *// endregion", Pattern.DOTALL);

    @Test
    void examplesAreRegionsOfThisClass() throws IOException {
        String here = Files.readString(MODULE.resolve("src/test/java/io/k8sdns/plan/JavadocExamplesTest.java"));
        List<String> regions = REGION.matcher(here)
                .results()
                .map(match -> match.group(1).stripTrailing().stripIndent())
                .toList();
        try (Stream<Path> sources = Files.walk(MODULE.resolve("src/main/java"))) {
            List<String> examples = sources.filter(path -> path.toString().endsWith(".java"))
                    // Run by the architecture tests, with those of all packages.
                    .filter(path -> !path.endsWith("package-info.java"))
                    .flatMap(path -> EXAMPLE.matcher(read(path)).results())
                    .map(match -> match.group(1).replaceAll("(?m)^ \\* ?", "").strip())
                    .toList();
            assertThat(examples).containsExactlyInAnyOrderElementsOf(regions);
        }
    }

    private static String read(Path source) {
        try {
            return Files.readString(source);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void resolvConfOfAPod() {
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
    }

    @Test
    void queriesOfALookup() {
        PodDns dns = inShop();
        // region
        AnswerSource answers = AnswerScript.of(Map.of("api.payments.example", "A"));
        QueryPlan plan = QueryPlan.of(dns.resolvConf(), "api.payments.example", Dialect.GLIBC);
        QueryTrace lookup = plan.run(answers);
        // 10 queries: A and AAAA in each of four search domains, and then of the name itself
        int queries = lookup.queries().size();
        // endregion
        assertThat(queries).isEqualTo(10);
        assertThat(lookup.queries().get(9).name()).isEqualTo("api.payments.example.");
    }

    @Test
    void adviceForAName() {
        PodDns dns = inShop();
        AnswerSource answers = AnswerScript.of(Map.of("api.payments.example", "A"));
        // region
        NdotsAdvisor advisor =
                new NdotsAdvisor(dns.resolvConf().render(), Map.of(), List.of(Dialect.GLIBC, Dialect.MUSL_1_2_5));
        HostAdvice advice = advisor.advise("api.payments.example", answers);
        // "ndots:2" and "api.payments.example.", each with its cost and its risks
        List<HostAdvice.Suggestion> suggestions = advice.suggestions();
        // endregion
        assertThat(suggestions.stream().map(HostAdvice.Suggestion::text))
                .containsExactly("ndots:2", "api.payments.example.");
    }

    private static PodDns inShop() {
        return KubeletDns.forPod(
                PodDnsSpec.builder("web-0").namespace("shop").build(),
                NodeDns.builder()
                        .clusterDns(IpAddress.parse("10.96.0.10"))
                        .hostResolvConf("nameserver 192.0.2.1\nsearch corp.example\n")
                        .build());
    }
}
