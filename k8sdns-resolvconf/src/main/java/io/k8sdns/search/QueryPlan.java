package io.k8sdns.search;

import io.k8sdns.arguments.Copies;
import io.k8sdns.resolvconf.ResolvConf;
import io.k8sdns.search.QueryTrace.Outcome;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Which queries a lookup sends: the candidates in their order, and, with answers handed in, the exact sequence and what it
 * comes to.
 *
 * <p>A plan is a value: it sends nothing, waits for nothing and knows no clock. Times are computed as if answers took none.
 *
 * <p>Why a lookup is slow, for instance:
 *
 * <pre>{@code
 * Answers answers = AnswerScript.of(Map.of("api.payments.example", "A"));
 * QueryPlan plan = QueryPlan.of(dns.resolvConf(), "api.payments.example", Dialect.GLIBC);
 * QueryTrace lookup = plan.run(answers);
 * // 10 queries: A and AAAA in each of four search domains, and then of the name itself
 * int queries = lookup.queries().size();
 * }</pre>
 */
public final class QueryPlan {
    /** The most queries of one lookup that {@link #run} follows. A list of a kubelet and three servers cannot reach it. */
    public static final int MAX_QUERIES = 100_000;

    /** How far the order of queries is settled. */
    public enum Firmness {
        /** Every lookup sends this sequence. */
        EXACT,
        /** The names come in this order; A and AAAA of one name come in either. */
        PAIRS,
        /** Only the names come in this order; which server is asked, and whose answer counts, may vary. */
        NAMES
    }

    private final ResolverSettings settings;
    private final LookupRequest request;

    private QueryPlan(ResolverSettings settings, LookupRequest request) {
        this.settings = settings;
        this.request = request;
    }

    /** Returns the plan of a lookup. */
    public static QueryPlan of(ResolverSettings settings, LookupRequest request) {
        return new QueryPlan(Objects.requireNonNull(settings, "settings"), Objects.requireNonNull(request, "request"));
    }

    /** Returns the plan of a lookup of all addresses in a Pod with this file. */
    public static QueryPlan of(ResolvConf resolvConf, String name, Dialect dialect) {
        LookupRequest request = LookupRequest.of(Objects.requireNonNull(name, "name"));
        return of(ResolverSettings.read(dialect, resolvConf), request);
    }

    /**
     * Runs one lookup in several dialects, side by side.
     *
     * @param resolvConf the text of the file
     * @param environment the environment of the program, as for {@link ResolverSettings#read}
     * @param request what is looked up
     * @param dialects whose rules
     * @param answers what the servers say
     * @return a trace for each dialect, in their order
     */
    public static List<QueryTrace> compare(
            String resolvConf,
            Map<String, String> environment,
            LookupRequest request,
            Collection<Dialect> dialects,
            Answers answers) {
        Objects.requireNonNull(resolvConf, "resolvConf");
        Objects.requireNonNull(environment, "environment");
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(answers, "answers");
        return Copies.list("dialects", dialects).stream()
                .map(dialect -> of(ResolverSettings.read(dialect, resolvConf, environment), request)
                        .run(answers))
                .toList();
    }

    /** Returns whose rules the plan follows, and with which settings. */
    public ResolverSettings settings() {
        return settings;
    }

    /** Returns what is looked up. */
    public LookupRequest request() {
        return request;
    }

    /**
     * Returns the names that may be asked for, in order; the lookup ends where {@link Candidate#after} says so. None if
     * the name needs no query, or if no query can be made of it.
     */
    public List<Candidate> candidates() {
        return List.copyOf(rules().candidates(settings, request));
    }

    /** Returns the name and the candidates, for logs. */
    @Override
    public String toString() {
        return request + " " + candidates();
    }

    /** Returns how firm the order of queries is. */
    public Firmness firmness() {
        return rules().firmness(settings);
    }

    /** Returns how many queries the lookup costs when every answer is NXDOMAIN, counted up to {@link #MAX_QUERIES}. */
    public int cost() {
        return run(AnswerScript.nothing()).queries().size();
    }

    /**
     * Runs the plan against answers.
     *
     * @param answers what the servers say
     * @return what was asked, and what it came to; {@link Outcome#UNFINISHED} beyond {@link #MAX_QUERIES} queries
     */
    public QueryTrace run(Answers answers) {
        QueryLog log = new QueryLog(answers);
        ResolverRules.Ending ending;
        try {
            ending = rules().run(settings, request, log);
        } catch (QueryLog.TooManyQueries tooMany) {
            ending = ResolverRules.Ending.without(Outcome.UNFINISHED);
        }
        return new QueryTrace(this, log.queries(), ending.outcome(), ending.addresses());
    }

    private ResolverRules rules() {
        return settings.dialect().rules();
    }
}
