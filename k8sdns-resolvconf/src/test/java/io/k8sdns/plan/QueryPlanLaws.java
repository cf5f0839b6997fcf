package io.k8sdns.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.hosts.NameText;
import io.k8sdns.search.AddressFamily;
import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.Candidate;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.LookupRequest;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.Reply;
import io.k8sdns.search.ResolverSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class QueryPlanLaws {
    /** A query and its reply. */
    private record RecordedQuery(PlannedQuery query, Reply reply) {}

    /** Records queries and their replies. */
    private static final class Recorder implements AnswerSource {
        private final AnswerSource script;
        private final List<RecordedQuery> all = new ArrayList<>();

        private Recorder(AnswerSource script) {
            this.script = script;
        }

        @Override
        public Reply answer(PlannedQuery query) {
            Reply reply = script.answer(query);
            all.add(new RecordedQuery(query, reply));
            return reply;
        }
    }

    @Property
    void everyPlanTerminates(@ForAll("cases") QueryCase one, @ForAll("dialects") Dialect dialect) {
        QueryTrace trace = one.run(dialect);

        assertThat(trace.outcome()).isNotEqualTo(LookupOutcome.UNFINISHED);
        assertThat(trace.addresses().isEmpty()).isEqualTo(trace.outcome() != LookupOutcome.OK);
    }

    @Property
    void everyRepeatedQueryHasAReason(@ForAll("cases") QueryCase one, @ForAll("dialects") Dialect dialect) {
        ResolverSettings settings = SettingsReader.read(dialect, one.resolvConf(), one.environment());
        Recorder recorder = new Recorder(one.script());
        QueryPlan.of(settings, one.request()).run(recorder);
        Map<String, List<RecordedQuery>> before = new HashMap<>();
        for (RecordedQuery recorded : recorder.all) {
            PlannedQuery query = recorded.query();
            List<RecordedQuery> same =
                    before.computeIfAbsent(query.name().toLowerCase(Locale.ROOT), name -> new ArrayList<>());
            boolean again = same.stream().anyMatch(earlier -> earlier.query().type() == query.type());
            switch (query.reason()) {
                case FIRST -> assertThat(again).as("first: %s", query).isFalse();
                case RETRY ->
                    assertThat(same).as("retried without a failure: %s", query).anyMatch(QueryPlanLaws::isNoAnswer);
                case TRUNCATED ->
                    assertThat(same)
                            .as("over TCP without a truncated reply: %s", query)
                            .anyMatch(earlier -> earlier.reply().kind() == Reply.Kind.TRUNCATED);
                case OTHER_SERVER ->
                    assertThat(same)
                            .as("not another server: %s", query)
                            .anyMatch(earlier -> earlier.query().type() == query.type()
                                    && !earlier.query().server().equals(query.server()));
                case REPEATED_DOMAIN ->
                    assertThat(hasRepetition(settings.searches()))
                            .as("twice in the search list: %s", query)
                            .isTrue();
            }
            same.add(recorded);
        }
    }

    private static boolean isNoAnswer(RecordedQuery recorded) {
        return switch (recorded.reply().kind()) {
            case SERVFAIL, REFUSED, NOTIMP, FORMERR, NOTHING -> true;
            case DATA, NODATA, NXDOMAIN, TRUNCATED -> false;
        };
    }

    /** Returns whether the list makes one name twice: with equal domains, or with the root. */
    private static boolean hasRepetition(List<String> searches) {
        Set<String> known = new HashSet<>(Set.of(""));
        return searches.stream()
                .map(domain -> domain.startsWith(".") ? domain.substring(1) : domain)
                .map(domain -> NameText.withoutDot(domain).toLowerCase(Locale.ROOT))
                .anyMatch(domain -> !known.add(domain));
    }

    @Property
    void candidatesAreTheSameForAAndAaaa(@ForAll("cases") QueryCase one, @ForAll("dialects") Dialect dialect) {
        // The hosts file and numeric addresses may have different results by family.
        if (one.request().name().matches("localhost|[0-9.]+")) {
            return;
        }
        assertThat(names(one, dialect, AddressFamily.IPV4)).isEqualTo(names(one, dialect, AddressFamily.IPV6));
        assertThat(names(one, dialect, AddressFamily.IPV4)).isEqualTo(names(one, dialect, AddressFamily.UNSPEC));
    }

    private static List<String> names(QueryCase one, Dialect dialect, AddressFamily family) {
        LookupRequest request = new LookupRequest(one.request().name(), family);
        return QueryPlan.of(SettingsReader.read(dialect, one.resolvConf(), one.environment()), request)
                .candidates()
                .stream()
                .map(Candidate::name)
                .toList();
    }

    @Property
    void candidatesAreTheNamesOfQueriesIfNoNameExists(
            @ForAll("cases") QueryCase one, @ForAll("dialects") Dialect dialect) {
        QueryPlan plan = QueryPlan.of(SettingsReader.read(dialect, one.resolvConf(), one.environment()), one.request());
        List<PlannedQuery> queries = plan.run(AnswerScript.nothing()).queries();

        Set<String> queried = new LinkedHashSet<>();
        queries.forEach(query -> queried.add(query.name()));
        Set<String> candidates = new LinkedHashSet<>();
        plan.candidates().forEach(candidate -> candidates.add(candidate.name()));
        assertThat(queried).containsExactlyElementsOf(candidates);
        assertThat(plan.cost()).isEqualTo(queries.size());
    }

    @Property
    void theCostIsTheSumOfTheCandidates(@ForAll("cases") QueryCase one, @ForAll("dialects") Dialect dialect) {
        QueryPlan plan = QueryPlan.of(SettingsReader.read(dialect, one.resolvConf(), one.environment()), one.request());
        assertThat(plan.cost())
                .isEqualTo(
                        plan.candidates().stream().mapToInt(Candidate::queries).sum());
    }

    @Property
    void timesNeverDecrease(@ForAll("cases") QueryCase one, @ForAll("dialects") Dialect dialect) {
        assertThat(one.run(dialect).queries().stream().map(PlannedQuery::atMillis))
                .isSorted();
    }

    @Property
    void queriesOfOneGroupHaveOneTime(@ForAll("cases") QueryCase one, @ForAll("dialects") Dialect dialect) {
        Map<Integer, Long> moments = new HashMap<>();
        for (PlannedQuery query : one.run(dialect).queries()) {
            assertThat(moments.putIfAbsent(query.group(), query.atMillis())).isIn(null, query.atMillis());
        }
    }

    @Property
    void dataEndsTheLookup(@ForAll("cases") QueryCase one, @ForAll("dialects") Dialect dialect) {
        QueryPlan plan = QueryPlan.of(SettingsReader.read(dialect, one.resolvConf(), one.environment()), one.request());

        assertThat(plan.candidates())
                .allSatisfy(candidate ->
                        assertThat(candidate.after(Reply.Kind.DATA)).isEqualTo(Candidate.Step.FOUND));
    }

    @Property
    void aCommentChangesNothing(@ForAll("cases") QueryCase one, @ForAll("dialects") Dialect dialect) {
        ResolverSettings plain = SettingsReader.read(dialect, one.resolvConf(), one.environment());

        assertThat(SettingsReader.read(dialect, one.resolvConf() + "# search no.example\n", one.environment()))
                .isEqualTo(plain);
    }

    @Property
    void anyTextIsReadAsAFile(@ForAll String text, @ForAll("dialects") Dialect dialect) {
        ResolverSettings settings =
                SettingsReader.read(dialect, text, Map.of("LOCALDOMAIN", text, "RES_OPTIONS", text));

        assertThat(settings.nameservers()).isNotEmpty();
    }

    @Property
    void aLookupOfAnyTextTerminates(@ForAll String name, @ForAll("dialects") Dialect dialect) {
        String file = "nameserver 192.0.2.1\nsearch a.example b.example\noptions ndots:2\n";

        assertThat(QueryPlan.of(SettingsReader.read(dialect, file, Map.of()), LookupRequest.of(name))
                        .run(AnswerScript.nothing())
                        .outcome())
                .isNotEqualTo(LookupOutcome.UNFINISHED);
    }

    @Provide
    Arbitrary<QueryCase> cases() {
        return Arbitraries.randomValue(random -> new RandomCases(random.nextLong()).next(0));
    }

    @Provide
    Arbitrary<Dialect> dialects() {
        return Arbitraries.of(Dialect.all());
    }
}
