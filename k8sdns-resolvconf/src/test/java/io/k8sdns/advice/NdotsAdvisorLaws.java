package io.k8sdns.advice;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.PlannedQuery.Transport;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Properties of advice for any host string, with any Services and namespaces of the cluster. */
class NdotsAdvisorLaws {
    private static final String POD = """
            nameserver 10.96.0.10
            search a.svc.cluster.local svc.cluster.local cluster.local
            options ndots:5
            """;

    private static final List<String> DOMAINS = List.of("a.svc.cluster.local", "svc.cluster.local", "cluster.local");

    private final NdotsAdvisor advisor =
            new NdotsAdvisor(POD, Map.of(), List.of(Dialect.GLIBC, Dialect.MUSL_1_2_5, Dialect.GO));

    /**
     * A cluster.
     *
     * @param names the names below {@code svc.cluster.local} that have addresses, the namespace last
     */
    private record Cluster(List<List<String>> names) {
        AnswerScript answers() {
            Map<String, String> words = new HashMap<>();
            for (List<String> name : names) {
                for (int from = 1; from < name.size(); from++) {
                    words.putIfAbsent(absolute(name.subList(from, name.size())), "NODATA");
                }
                words.put(absolute(name), "A");
            }
            return AnswerScript.of(words);
        }

        boolean hasNamespace(String label) {
            return names.stream().anyMatch(name -> name.get(name.size() - 1).equals(label));
        }

        /** A name without addresses exists if there are names below it. */
        boolean hasNameAtOrBelow(List<String> labels) {
            return names.stream()
                    .anyMatch(name -> name.size() >= labels.size()
                            && name.subList(name.size() - labels.size(), name.size())
                                    .equals(labels));
        }

        private static String absolute(List<String> labels) {
            return String.join(".", labels) + ".svc.cluster.local.";
        }
    }

    @Property
    void aNameInANamespaceOfTheClusterIsFoundOnlyInTheCluster(
            @ForAll("clusters") Cluster cluster,
            @ForAll("labels") List<String> labels,
            @ForAll("endings") String ending) {
        String host = String.join(".", labels) + ending;
        AnswerScript known = cluster.answers();
        boolean foundInTheCluster =
                DOMAINS.stream().anyMatch(domain -> has(known, host + "." + domain)) || has(known, host);
        AnswerSource assumed = advisor.assume(List.of(host), known);
        HostAdvice advice = advisor.advise(
                host,
                query -> known.answer(query).kind() == Reply.Kind.NXDOMAIN
                        ? assumed.answer(query)
                        : known.answer(query));
        boolean inNamespace = labels.size() > 1 && cluster.hasNamespace(labels.get(labels.size() - 1));
        boolean hasService = inNamespace && cluster.hasNameAtOrBelow(labels.subList(labels.size() - 2, labels.size()));
        boolean isNamespace = labels.size() == 1 && !ending.isEmpty() && cluster.hasNamespace(labels.get(0));
        boolean ofCluster = isNamespace || inNamespace && (labels.size() <= 3 || !ending.isEmpty() || hasService);
        boolean mayBeOutside = ending.isEmpty() && labels.size() == 3;

        if (ofCluster && !foundInTheCluster) {
            assertThat(advice.traces().values()).noneMatch(trace -> trace.outcome() == LookupOutcome.OK);
            assertThat(advice.suggestions()).isEmpty();
        } else if (foundInTheCluster || ending.isEmpty() && labels.size() > 1) {
            assertThat(advice.traces().values()).allMatch(trace -> trace.outcome() == LookupOutcome.OK);
        }
        assertThat(advice.caveats().stream().anyMatch(caveat -> caveat.startsWith("Missing")))
                .isEqualTo(ofCluster && !foundInTheCluster && !hasService && !isNamespace && !mayBeOutside);
    }

    private static boolean has(AnswerScript known, String name) {
        return known.answer(new PlannedQuery(
                                name, QueryType.A, "10.96.0.10", Transport.UDP, 0, 0, PlannedQuery.Reason.FIRST))
                        .kind()
                == Reply.Kind.DATA;
    }

    @Provide
    Arbitrary<Cluster> clusters() {
        return names(2, 3).list().ofMinSize(1).ofMaxSize(4).map(Cluster::new);
    }

    @Provide
    Arbitrary<List<String>> labels() {
        return names(1, 4);
    }

    @Provide
    Arbitrary<String> endings() {
        return Arbitraries.of("", "", ".svc", ".svc.cluster.local");
    }

    private static Arbitrary<List<String>> names(int least, int most) {
        return Arbitraries.of("a", "b", "com", "_tcp").list().ofMinSize(least).ofMaxSize(most);
    }
}
