package io.k8sdns.plan;

import io.k8sdns.arguments.Copies;
import io.k8sdns.emulators.Emulator;
import io.k8sdns.emulators.QueryLog;
import io.k8sdns.resolvconf.ResolvConf;
import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.Candidate;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.LookupRequest;
import io.k8sdns.search.QueryOrder;
import io.k8sdns.search.ResolverSettings;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The queries of a lookup: the candidate names in order and, for given answers, the exact sequence of queries and the
 * result.
 *
 * <p>A plan is a value: it sends no query, does not wait and reads no clock. Times are computed as if answers took no
 * time.
 *
 * <p>For example, to find out why a lookup is slow:
 *
 * <pre>{@code
 * AnswerSource answers = AnswerScript.of(Map.of("api.payments.example", "A"));
 * QueryPlan plan = QueryPlan.of(dns.resolvConf(), "api.payments.example", Dialect.GLIBC);
 * QueryTrace lookup = plan.run(answers);
 * // 10 queries: A and AAAA in each of four search domains, and then of the name itself
 * int queries = lookup.queries().size();
 * }</pre>
 */
public final class QueryPlan {
    /**
     * The maximum number of queries that {@link #run} simulates. A search list of a kubelet with three servers cannot
     * reach it.
     */
    public static final int MAX_QUERIES = QueryLog.MAX_QUERIES;

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
        return of(SettingsReader.read(dialect, resolvConf), request);
    }

    /**
     * Runs one lookup in several dialects, side by side.
     *
     * @param resolvConf the text of the file
     * @param environment the environment of the program, as for {@link SettingsReader#read}
     * @param request the request
     * @param dialects the dialects
     * @param answers the answers of the servers
     * @return a trace for each dialect, in their order
     */
    public static List<QueryTrace> compare(
            String resolvConf,
            Map<String, String> environment,
            LookupRequest request,
            Collection<Dialect> dialects,
            AnswerSource answers) {
        Objects.requireNonNull(resolvConf, "resolvConf");
        Objects.requireNonNull(environment, "environment");
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(answers, "answers");
        return Copies.list("dialects", dialects).stream()
                .map(dialect -> of(SettingsReader.read(dialect, resolvConf, environment), request)
                        .run(answers))
                .toList();
    }

    /** Returns the settings, with the dialect whose rules the plan follows. */
    public ResolverSettings settings() {
        return settings;
    }

    /** Returns the request. */
    public LookupRequest request() {
        return request;
    }

    /**
     * Returns the names that the lookup may query, in order; {@link Candidate#after} decides where it ends. Empty if
     * the name needs no query, or if no query can be made for it.
     */
    public List<Candidate> candidates() {
        return List.copyOf(emulator().candidates(settings, request));
    }

    /** Returns the name and the candidates, for logs. */
    @Override
    public String toString() {
        return request + " " + candidates();
    }

    /** Returns how far the order of the queries is fixed. */
    public QueryOrder queryOrder() {
        return emulator().queryOrder(settings);
    }

    /** Returns the number of queries if every answer is NXDOMAIN, at most {@link #MAX_QUERIES}. */
    public int cost() {
        return run(AnswerScript.nothing()).queries().size();
    }

    /**
     * Simulates the lookup with these answers.
     *
     * @param answers the answers of the servers
     * @return the queries and the result; {@link LookupOutcome#UNFINISHED} beyond {@link #MAX_QUERIES} queries
     */
    public QueryTrace run(AnswerSource answers) {
        QueryLog log = new QueryLog(answers);
        Emulator.Ending ending;
        try {
            ending = emulator().run(settings, request, log);
        } catch (QueryLog.TooManyQueries tooMany) {
            ending = Emulator.Ending.without(LookupOutcome.UNFINISHED);
        }
        return new QueryTrace(this, log.queries(), ending.outcome(), ending.addresses());
    }

    private Emulator emulator() {
        return Emulator.of(settings.dialect());
    }
}
