package io.k8sdns.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.k8sdns.advice.HostAdvice.Kind;
import io.k8sdns.advice.HostAdvice.Suggestion;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.Reply;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NdotsAdvisorTest {
    private static final String POD = """
            nameserver 10.96.0.10
            search shop.svc.cluster.local svc.cluster.local cluster.local
            options ndots:5
            """;

    private static final AnswerScript ANSWERS = AnswerScript.of(Map.of(
            "www.example.com.", "A",
            "cart.shop.svc.cluster.local.", "A",
            "data.prod.svc.cluster.local.", "A"));

    /** A cluster with the namespace shop and a Service in it. */
    private static final AnswerScript IN_SHOP =
            AnswerScript.of(Map.of("shop.svc.cluster.local", "NODATA", "cart.shop.svc.cluster.local", "A"));

    private final NdotsAdvisor advisor = new NdotsAdvisor(POD, Map.of(), List.of(Dialect.GLIBC, Dialect.MUSL_1_2_5));

    @Test
    void anExternalNameCostsLessWithADotOrALowerNdots() {
        HostAdvice advice = advisor.advise("www.example.com", ANSWERS);

        assertThat(cost(advice.traces())).isEqualTo(Map.of(Dialect.GLIBC, 8, Dialect.MUSL_1_2_5, 8));
        assertThat(advice.suggestions())
                .extracting(Suggestion::kind, Suggestion::text, one -> cost(one.traces()))
                .containsExactly(
                        tuple(Kind.NDOTS, "ndots:2", Map.of(Dialect.GLIBC, 2, Dialect.MUSL_1_2_5, 2)),
                        tuple(Kind.TRAILING_DOT, "www.example.com.", Map.of(Dialect.GLIBC, 2, Dialect.MUSL_1_2_5, 2)));
        assertThat(advice.caveats()).isEmpty();
    }

    @Test
    void trailingDotIsSuggestedWithItsCaveats() {
        assertThat(advisor.advise("www.example.com", ANSWERS).suggestions())
                .filteredOn(one -> one.text().endsWith("."))
                .singleElement()
                .satisfies(one -> assertThat(one.caveats())
                        .hasSize(3)
                        .anyMatch(caveat -> caveat.startsWith("TLS: "))
                        .anyMatch(caveat -> caveat.startsWith("Certificates: "))
                        .anyMatch(caveat -> caveat.startsWith("HTTP: ")));
    }

    @Test
    void aServiceOfAnotherNamespaceIsWrittenInFull() {
        HostAdvice advice = advisor.advise("data.prod.svc", ANSWERS);

        assertThat(cost(advice.traces())).isEqualTo(Map.of(Dialect.GLIBC, 6, Dialect.MUSL_1_2_5, 6));
        assertThat(advice.suggestions())
                .extracting(Suggestion::kind, Suggestion::text)
                .containsExactly(tuple(Kind.FULL_NAME, "data.prod.svc.cluster.local."));
    }

    @Test
    void nothingIsSuggestedForAServiceOfThePodsNamespace() {
        assertThat(advisor.advise("cart", ANSWERS).suggestions()).isEmpty();
    }

    @Test
    void differencesBetweenDialectsAreReported() {
        NdotsAdvisor lowered = new NdotsAdvisor(
                POD.replace("ndots:5", "ndots:2"), Map.of(), List.of(Dialect.GLIBC, Dialect.MUSL_1_2_5));

        assertThat(lowered.advise("data.prod.svc", ANSWERS).caveats())
                .containsExactly("It is found with glibc, but not with musl-1.2.5.");
    }

    @Test
    void anAddressNeedsNoAdvice() {
        HostAdvice advice = advisor.advise("192.0.2.1", ANSWERS);

        assertThat(advice.suggestions()).isEmpty();
        assertThat(advice.caveats()).containsExactly("No query is sent for it.");
    }

    @Test
    void aNameThatIsNotFoundIsReported() {
        HostAdvice advice = advisor.advise("gone.example.com", ANSWERS);

        assertThat(advice.caveats()).containsExactly("Not found with the given answers, on which this advice depends.");
        assertThat(advice.suggestions()).extracting(Suggestion::text).contains("gone.example.com.");
    }

    @Test
    void aShortNameOfAServiceThatIsNotFoundIsNotMadeAbsolute() {
        assertThat(advisor.advise("db", ANSWERS).suggestions()).isEmpty();
        assertThat(advisor.advise("gone.prod.svc", ANSWERS).suggestions()).isEmpty();
    }

    @Test
    void queriesAndUnresolvedNamesAreCountedForEachNdots() {
        List<NdotsChoice> choices = advisor.choices(List.of("www.example.com", "cart", "data.prod.svc"), ANSWERS);

        assertThat(choices).extracting(NdotsChoice::ndots).containsExactly(1, 2, 3, 4, 5);
        assertThat(choices.get(4).queries()).isEqualTo(Map.of(Dialect.GLIBC, 16, Dialect.MUSL_1_2_5, 16));
        assertThat(choices.get(1).queries()).isEqualTo(Map.of(Dialect.GLIBC, 12, Dialect.MUSL_1_2_5, 6));
        assertThat(choices.get(1).lost())
                .isEqualTo(Map.of(Dialect.GLIBC, List.of(), Dialect.MUSL_1_2_5, List.of("data.prod.svc")));
        assertThat(choices.get(2).lost()).isEqualTo(Map.of(Dialect.GLIBC, List.of(), Dialect.MUSL_1_2_5, List.of()));
    }

    @Test
    void withoutAnswersANameWithDotsIsAssumedToExistOutsideTheCluster() {
        HostAdvice advice = advisor.advise("www.example.com");

        assertThat(advice.assumed()).contains("www.example.com.");
        assertThat(advice)
                .usingRecursiveComparison()
                .ignoringFields("assumed", "traces", "suggestions.traces")
                .isEqualTo(advisor.advise("www.example.com", ANSWERS));
        assertThat(cost(advice.traces())).isEqualTo(Map.of(Dialect.GLIBC, 8, Dialect.MUSL_1_2_5, 8));
    }

    @Test
    void withoutAnswersANameWithoutDotsIsAssumedToBeAServiceOfThePodsNamespace() {
        HostAdvice advice = advisor.advise("cart");

        assertThat(advice.assumed()).contains("cart.shop.svc.cluster.local.");
        assertThat(cost(advice.traces())).isEqualTo(Map.of(Dialect.GLIBC, 2, Dialect.MUSL_1_2_5, 2));
        assertThat(advice.suggestions()).isEmpty();
    }

    @Test
    void withoutAnswersANameBelowSvcIsAssumedToBeInTheCluster() {
        HostAdvice advice = advisor.advise("db-0.db.prod.SVC");

        assertThat(advice.assumed()).contains("db-0.db.prod.SVC.cluster.local.");
        assertThat(advice.suggestions())
                .extracting(Suggestion::kind, Suggestion::text)
                .containsExactly(
                        tuple(Kind.FULL_NAME, "db-0.db.prod.SVC.cluster.local"),
                        tuple(Kind.FULL_NAME, "db-0.db.prod.SVC.cluster.local."));
    }

    @Test
    void aServiceThatTheSearchListDoesNotReachIsNotFound() {
        String file = POD.replace(" cluster.local\n", "\n");
        HostAdvice advice =
                new NdotsAdvisor(file, Map.of(), List.of(Dialect.GLIBC, Dialect.GO)).advise("data.prod.svc");

        assertThat(advice.assumed()).contains("data.prod.svc.cluster.local.");
        assertThat(advice.traces().values())
                .extracting(QueryTrace::outcome)
                .containsOnly(LookupOutcome.EAI_NONAME, LookupOutcome.NOT_FOUND);
        assertThat(advice.suggestions()).isEmpty();
    }

    @Test
    void withoutAnswersAFullNameIsAssumedToExist() {
        HostAdvice advice = advisor.advise("cart.shop.svc.cluster.local");

        assertThat(advice.assumed()).contains("cart.shop.svc.cluster.local.");
        assertThat(advice.suggestions())
                .extracting(Suggestion::text)
                .containsExactly("ndots:4", "cart.shop.svc.cluster.local.");
        assertThat(advisor.advise("www.example.com.").assumed()).contains("www.example.com.");
    }

    @Test
    void withoutAnswersANameWithOneDotMayBeAService() {
        assertThat(advisor.advise("db.prod").caveats())
                .containsExactly(
                        "A name with one dot may mean a Service and its namespace. With a final dot, or with ndots:1 on musl,"
                                + " the Service is not found. For the Service write SERVICE.NAMESPACE.svc.cluster.local.");
        assertThat(new NdotsAdvisor("search corp.example\noptions ndots:5", Map.of(), List.of(Dialect.GLIBC))
                        .advise("db.prod")
                        .caveats())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a..b", "", ".a", "192.0.2.1", "2001:db8::1", "localhost"})
    void withoutAnswersANameThatNeedsNoQueryIsNotAssumedToExist(String host) {
        HostAdvice advice = advisor.advise(host);

        assertThat(advice.assumed()).isEmpty();
        assertThat(advice.suggestions()).isEmpty();
        assertThat(advice.caveats()).contains("No query is sent for it.");
    }

    @Test
    void withoutAnswersTheCostsOfEachNdotsAreThoseOfTheAssumedAnswers() {
        List<NdotsChoice> choices = advisor.choices(List.of("www.example.com", "cart", "data.prod.svc"));

        assertThat(choices).isEqualTo(advisor.choices(List.of("www.example.com", "cart", "data.prod.svc"), ANSWERS));
    }

    @Test
    void theEnvironmentMayOverrideAnotherNdots() {
        NdotsAdvisor bound = new NdotsAdvisor(POD, Map.of("RES_OPTIONS", "ndots:5"), List.of(Dialect.GLIBC));

        assertThat(bound.advise("www.example.com", ANSWERS).suggestions())
                .extracting(Suggestion::kind)
                .containsExactly(Kind.TRAILING_DOT);
    }

    @Test
    void aFileWithoutOptionsGetsALine() {
        NdotsAdvisor plain =
                new NdotsAdvisor("nameserver 10.96.0.10\nsearch a.example", Map.of(), List.of(Dialect.GLIBC));

        assertThat(plain.choices(List.of("x.y"), ANSWERS))
                .extracting(NdotsChoice::ndots)
                .containsExactly(1);
    }

    @Test
    void adviceWithoutDialectsIsRejected() {
        assertThatThrownBy(() -> new NdotsAdvisor(POD, Map.of(), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "crat.shop",
                "CRAT.Shop",
                "crat.shop.svc",
                "crat.shop.svc.cluster.local",
                "crat.shop.svc.cluster",
                "Crat.shop.svc.CLUSTER",
                "db-9.crat.shop.svc.cluster",
                "_http._tcp.crat.shop.svc",
                "db-9.crat.shop.svc",
                "db-9.crat.shop.svc.cluster.local"
            })
    void anUnknownNameInAKnownNamespaceIsMissing(String host) {
        AnswerSource completed = completed(IN_SHOP, host);
        HostAdvice advice = advisor.advise(host, completed);

        assertThat(advice.traces().values()).extracting(QueryTrace::outcome).containsOnly(LookupOutcome.EAI_NONAME);
        assertThat(advice.suggestions()).isEmpty();
        assertThat(advice.caveats()).singleElement().asString().startsWith("Missing: the cluster has the namespace");
        assertThat(sent(advisor.advise(host, IN_SHOP))).isEqualTo(sent(advice));
    }

    @ParameterizedTest
    @CsvSource({
        "crat.shop, true",
        "db-9.cart.shop, true",
        "crat.shop.svc, false",
        "crat.shop.svc.cluster.local, false",
        "crat.shop.svc.cluster.local., false",
        "db-9.cart.shop.svc.cluster.local., false"
    })
    void aDotIsSuggestedOnlyForANameThatMayBeOutsideTheCluster(String host, boolean isSuggested) {
        assertThat(advisor.advise(host, completed(IN_SHOP, host)).caveats())
                .first()
                .asString()
                .contains("nothing is suggested")
                .matches(caveat -> caveat.contains("end it with a dot") == isSuggested);
    }

    @ParameterizedTest
    @ValueSource(strings = {"db-0.crat.shop", "www.crat.shop", "WWW.Crat.SHOP"})
    void aNameBelowAnUnknownServiceOfAKnownNamespaceIsNeitherAssumedToExistNorMissing(String host) {
        HostAdvice advice = advisor.advise(host, completed(IN_SHOP, host));

        assertThat(advice.traces().values()).extracting(QueryTrace::outcome).containsOnly(LookupOutcome.EAI_NONAME);
        assertThat(advice.suggestions()).isEmpty();
        assertThat(advice.caveats())
                .singleElement()
                .asString()
                .startsWith("Unknown: the cluster has the namespace")
                .endsWith("If a name outside the cluster is meant, end it with a dot.");
    }

    @Test
    void aNameBelowAnUnknownServiceIsFoundOutsideTheClusterIfTheAnswersHaveIt() {
        AnswerScript answered = AnswerScript.of(Map.of("shop.svc.cluster.local", "NODATA", "www.crat.shop", "A"));
        HostAdvice advice = advisor.advise("www.crat.shop", answered);

        assertThat(advice.suggestions()).extracting(Suggestion::text).containsExactly("ndots:2", "www.crat.shop.");
        assertThat(advice.caveats()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"shop.svc", "Shop.SVC", "shop.svc.cluster", "shop.svc.cluster.local", "shop.svc.cluster.local."})
    void aNamespaceIsNotAServiceAndHasNoAddress(String host) {
        HostAdvice advice = advisor.advise(host, completed(IN_SHOP, host));

        assertThat(advice.traces().values())
                .extracting(QueryTrace::outcome)
                .isNotEmpty()
                .doesNotContain(LookupOutcome.OK);
        assertThat(advice.suggestions()).isEmpty();
        assertThat(advice.caveats())
                .first()
                .isEqualTo(
                        "Not found: this is a namespace, which has no address; nothing is suggested. Put the name of a"
                                + " Service and a dot in front of it.");
    }

    @Test
    void aNamespaceThatExistsAsAnObjectHasNoAddress() {
        HostAdvice advice = advisor.withServices(new OneService("stage", "web")).advise("stage.svc", IN_SHOP);

        assertThat(advice.suggestions()).isEmpty();
        assertThat(advice.caveats()).singleElement().asString().startsWith("Not found: this is a namespace");
    }

    @ParameterizedTest
    @ValueSource(strings = {"db-9.cart.shop", "db-9.cart.shop.svc", "db-9.cart.shop.svc.cluster.local"})
    void anUnknownNameBelowAKnownServiceIsNotFoundAndNotAssumedToExist(String host) {
        HostAdvice advice = advisor.advise(host, completed(IN_SHOP, host));

        assertThat(advice.traces().values()).extracting(QueryTrace::outcome).containsOnly(LookupOutcome.EAI_NONAME);
        assertThat(advice.suggestions()).isEmpty();
        assertThat(advice.caveats()).singleElement().asString().startsWith("Not found: the cluster has the Service");
    }

    @ParameterizedTest
    @ValueSource(strings = {"crat.shop", "crat.shop.svc", "CRAT.Shop"})
    void anExistingServiceWithoutAnAnswerIsNotReportedAsMissing(String host) {
        HostAdvice advice = advisor.withServices(new OneService("shop", "crat")).advise(host, IN_SHOP);

        assertThat(advice.suggestions()).isEmpty();
        assertThat(advice.caveats()).singleElement().asString().startsWith("Not found: the Service exists");
    }

    @ParameterizedTest
    @CsvSource({
        "web.stage, Not found: the Service exists",
        "web.stage.svc, Not found: the Service exists",
        "wbe.stage, Missing",
        "wbe.stage.svc, Missing",
        "wbe.stage.svc.cluster.local, Missing"
    })
    void aNamespaceThatExistsAsAnObjectIsKnownWithoutAName(String host, String caveat) {
        NdotsAdvisor stage = advisor.withServices(new OneService("stage", "web"));
        AnswerSource completed = query -> IN_SHOP.answer(query).kind() == Reply.Kind.NXDOMAIN
                ? stage.assume(List.of(host), IN_SHOP).answer(query)
                : IN_SHOP.answer(query);
        HostAdvice advice = stage.advise(host, completed);

        assertThat(advice.traces().values()).extracting(QueryTrace::outcome).containsOnly(LookupOutcome.EAI_NONAME);
        assertThat(advice.suggestions()).isEmpty();
        assertThat(advice.caveats()).singleElement().asString().startsWith(caveat);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cart.shop.svc.cluster", "CART.shop.svc.Cluster"})
    void aNameThatEndsWithinTheClusterDomainIsNotFoundThoughItsServiceExists(String host) {
        HostAdvice advice = advisor.advise(host, completed(IN_SHOP, host));

        assertThat(advice.traces().values()).extracting(QueryTrace::outcome).containsOnly(LookupOutcome.EAI_NONAME);
        assertThat(advice.suggestions()).isEmpty();
        assertThat(advice.caveats()).singleElement().asString().contains("the name ends within the cluster domain");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "crat.prod",
                "db-0.crat.prod",
                "prod.svc",
                "crat.prod.svc.cluster",
                "crat.shop.svc.clusters",
                "crat.shop.svc.cluster.",
                "crat.shop.svc.local",
                "crat.shop.cluster",
                "www.crat.shop.",
                "www.eu.crat.shop",
                "_http._tcp.crat.shop",
                "www.example.com",
                "www.shop.com",
                "shop.example",
                "crat.shop.",
                "crat.shop.example.com",
                "xshop",
                "cart.xshop"
            })
    void aNameThatEndsInNoKnownNamespaceIsAssumedToExist(String host) {
        HostAdvice advice = advisor.advise(host, completed(IN_SHOP, host));

        HostAdvice outside = advisor.advise(host, advisor.assume(List.of(host), AnswerScript.nothing()));
        assertThat(sent(advice)).isEqualTo(sent(outside));
        assertThat(advice.suggestions())
                .extracting(Suggestion::text)
                .isEqualTo(outside.suggestions().stream().map(Suggestion::text).toList());
        assertThat(advice.caveats()).noneMatch(caveat -> caveat.startsWith("Missing"));
    }

    @Test
    void aNamespaceNamedAsATopLevelDomainDecidesForTheClusterUnlessADotEndsTheName() {
        AnswerScript known = AnswerScript.of(Map.of("dev.svc.cluster.local", "NODATA"));
        assertThat(advisor.advise("example.dev", completed(known, "example.dev"))
                        .suggestions())
                .isEmpty();
        AnswerScript answered = AnswerScript.of(Map.of("dev.svc.cluster.local", "NODATA", "example.dev", "A"));
        assertThat(advisor.advise("example.dev", answered))
                .usingRecursiveComparison()
                .isEqualTo(advisor.advise("example.dev", known));
        assertThat(advisor.choices(List.of("example.dev"), answered))
                .isEqualTo(advisor.choices(List.of("example.dev"), known));
        assertThat(advisor.advise("example.dev.", completed(known, "example.dev."))
                        .traces()
                        .values())
                .extracting(QueryTrace::outcome)
                .containsOnly(LookupOutcome.OK);
    }

    @Test
    void aServiceThatNoResolverReachesIsNeitherMissingNorAnotherName() {
        NdotsAdvisor musl = new NdotsAdvisor(POD.replace("ndots:5", "ndots:1"), Map.of(), List.of(Dialect.MUSL_1_2_5));
        HostAdvice advice = musl.advise(
                "cart.shop",
                query -> IN_SHOP.answer(query).kind() == Reply.Kind.NXDOMAIN
                        ? musl.assume(List.of("cart.shop"), IN_SHOP).answer(query)
                        : IN_SHOP.answer(query));

        assertThat(advice.traces().get(Dialect.MUSL_1_2_5))
                .extracting(QueryTrace::outcome)
                .isEqualTo(LookupOutcome.EAI_NONAME);
        assertThat(advice.suggestions()).isEmpty();
        assertThat(advice.caveats()).containsExactly("Not found with the given answers, on which this advice depends.");
    }

    @Test
    void noSearchDomainIsTriedIfTheScriptAnswersEveryName() {
        HostAdvice advice = new NdotsAdvisor(POD.replace("ndots:5", "ndots:1"), Map.of(), List.of(Dialect.GLIBC))
                .advise("example.com", AnswerScript.of(Map.of("*", "A")));

        assertThat(advice.traces().values())
                .flatExtracting(QueryTrace::queries)
                .extracting(PlannedQuery::name)
                .containsOnly("example.com.");
    }

    /** Returns the queries and the result of a lookup. */
    private static List<Object> sent(HostAdvice advice) {
        return advice.traces().values().stream()
                .<Object>map(trace -> List.of(trace.queries(), trace.outcome()))
                .toList();
    }

    /** Returns the answers of a cluster, with assumed answers for other names. */
    private AnswerSource completed(AnswerSource known, String host) {
        AnswerSource assumed = advisor.assume(List.of(host), known);
        return query -> known.answer(query).kind() == Reply.Kind.NXDOMAIN ? assumed.answer(query) : known.answer(query);
    }

    private static Map<Dialect, Integer> cost(Map<Dialect, QueryTrace> traces) {
        return traces.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().queries().size()));
    }

    /** A cluster with one Service that DNS does not show. */
    private record OneService(String namespace, String service) implements KnownServices {
        @Override
        public boolean hasNamespace(String name) {
            return name.equals(namespace);
        }

        @Override
        public boolean hasService(String namespaceName, String name) {
            return namespaceName.equals(namespace) && name.equals(service);
        }
    }
}
