package io.k8sdns.cli;

import io.k8sdns.advice.HostAdvice;
import io.k8sdns.advice.NdotsChoice;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.search.Candidate;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.Reply;
import io.k8sdns.search.ResolverSettings.IgnoredLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Returns plans and advice as objects of the output. */
final class PlanJson {
    private PlanJson() {}

    /** Returns a plan with its candidates and its run; with {@code "invented": true} if an address of the result is invented. */
    static OutputObject of(AnsweredPlan answered) {
        QueryTrace trace = answered.trace();
        QueryPlan plan = trace.plan();
        List<OutputObject> queries = new ArrayList<>();
        for (int i = 0; i < trace.queries().size(); i++) {
            PlannedQuery query = trace.queries().get(i);
            queries.add(query(query)
                    .put("group", query.group())
                    .put("reason", word(query.reason()))
                    .put("answer", answered.replies().get(i).kind().word()));
        }
        OutputObject object = new OutputObject()
                .put("name", plan.request().name())
                .put("dialect", plan.settings().dialect().word())
                .put("ndots", plan.settings().ndots())
                .put(
                        "unread_lines",
                        plan.settings().ignoredLines().stream()
                                .map(IgnoredLine::number)
                                .toList())
                .put("order", word(plan.queryOrder()))
                .put(
                        "candidates",
                        plan.candidates().stream().map(PlanJson::candidate).toList())
                .put("queries", queries)
                .putAll(result(trace));
        return trace.addresses().stream().anyMatch(answered.invented()::holds) ? object.put("invented", true) : object;
    }

    /** Returns only the members of a run, the format of a batch. */
    static OutputObject members(QueryTrace trace) {
        return new OutputObject()
                .put("queries", trace.queries().stream().map(PlanJson::query).toList())
                .putAll(result(trace));
    }

    /**
     * Returns advice about a name.
     *
     * @param answered whether answers were given that define which names exist
     */
    static OutputObject of(HostAdvice advice, boolean answered) {
        return new OutputObject()
                .put("host", advice.host())
                .put("answers_given", answered)
                .put("assumed", advice.assumed().orElse(null))
                .put("costs", costs(advice.traces()))
                .put(
                        "suggestions",
                        advice.suggestions().stream()
                                .map(one -> new OutputObject()
                                        .put("kind", word(one.kind()))
                                        .put("write", one.text())
                                        .put("costs", costs(one.traces()))
                                        .put("caveats", one.caveats()))
                                .toList())
                .put("caveats", advice.caveats());
    }

    /**
     * Returns the costs of all names with one value of {@code ndots}.
     *
     * @param answered whether answers were given that define which names exist
     */
    static OutputObject of(NdotsChoice choice, boolean answered) {
        List<OutputObject> costs = choice.queries().entrySet().stream()
                .map(entry -> new OutputObject()
                        .put("dialect", entry.getKey().word())
                        .put("queries", entry.getValue())
                        .put("lost", choice.lost().getOrDefault(entry.getKey(), List.of())))
                .toList();
        return new OutputObject()
                .put("ndots", choice.ndots())
                .put("answers_given", answered)
                .put("costs", costs);
    }

    private static List<OutputObject> costs(Map<Dialect, QueryTrace> traces) {
        return traces.entrySet().stream()
                .map(entry -> new OutputObject()
                        .put("dialect", entry.getKey().word())
                        .put("queries", entry.getValue().queries().size())
                        .put("result", entry.getValue().outcome().word()))
                .toList();
    }

    private static OutputObject query(PlannedQuery query) {
        return new OutputObject()
                .put("name", query.name())
                .put("type", query.type().name())
                .put("server", query.server())
                .put("proto", query.transport().word())
                .put("at_ms", query.atMillis());
    }

    private static OutputObject result(QueryTrace trace) {
        return new OutputObject()
                .put("result", trace.outcome().word())
                .put(
                        "addresses",
                        trace.addresses().stream().map(Object::toString).toList());
    }

    private static OutputObject candidate(Candidate candidate) {
        OutputObject after = new OutputObject();
        for (Reply.Kind kind : Reply.Kind.values()) {
            after.put(kind.word(), word(candidate.after(kind)));
        }
        return new OutputObject()
                .put("name", candidate.name())
                .put("domain", candidate.domain().orElse(null))
                .put("queries", candidate.queries())
                .put("after", after);
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
