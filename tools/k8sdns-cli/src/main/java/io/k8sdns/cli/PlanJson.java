package io.k8sdns.cli;

import io.k8sdns.advice.HostAdvice;
import io.k8sdns.advice.NdotsChoice;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.search.Candidate;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Formats plans and advice as JSON objects, one per line. */
final class PlanJson {
    private PlanJson() {}

    /** Returns a plan with its candidates and its run. */
    static String of(AnsweredPlan answered) {
        QueryTrace trace = answered.trace();
        QueryPlan plan = trace.plan();
        List<String> queries = new ArrayList<>();
        for (int i = 0; i < trace.queries().size(); i++) {
            PlannedQuery query = trace.queries().get(i);
            queries.add("{" + query(query) + ", \"group\": " + query.group() + ", \"reason\": "
                    + JsonText.string(word(query.reason())) + ", \"answer\": "
                    + JsonText.string(answered.replies().get(i).kind().word()) + "}");
        }
        return "{\"name\": " + JsonText.string(plan.request().name())
                + ", \"dialect\": " + JsonText.string(plan.settings().dialect().word())
                + ", \"ndots\": " + plan.settings().ndots()
                + ", \"unread_lines\": "
                + JsonText.array(plan.settings().unreadLines().stream()
                        .map(line -> Integer.toString(line.number()))
                        .toList())
                + ", \"order\": " + JsonText.string(word(plan.firmness()))
                + ", \"candidates\": "
                + JsonText.array(
                        plan.candidates().stream().map(PlanJson::candidate).toList())
                + ", \"queries\": " + JsonText.array(queries)
                + ", " + result(trace) + "}";
    }

    /** Returns only the members of a run, the format of a batch. */
    static String members(QueryTrace trace) {
        return "\"queries\": "
                + JsonText.array(trace.queries().stream()
                        .map(query -> "{" + query(query) + "}")
                        .toList())
                + ", " + result(trace);
    }

    /**
     * Returns advice about a name.
     *
     * @param answered whether answers were given that define which names exist
     */
    static String of(HostAdvice advice, boolean answered) {
        return "{\"host\": " + JsonText.string(advice.host())
                + ", \"answers_given\": " + answered
                + ", \"assumed\": " + advice.assumed().map(JsonText::string).orElse("null")
                + ", \"costs\": " + costs(advice.traces())
                + ", \"suggestions\": "
                + JsonText.array(advice.suggestions().stream()
                        .map(one -> "{\"kind\": " + JsonText.string(word(one.kind())) + ", \"write\": "
                                + JsonText.string(one.text()) + ", \"costs\": " + costs(one.traces())
                                + ", \"caveats\": " + JsonText.strings(one.caveats()) + "}")
                        .toList())
                + ", \"caveats\": " + JsonText.strings(advice.caveats()) + "}";
    }

    /**
     * Returns the costs of all names with one value of {@code ndots}.
     *
     * @param answered whether answers were given that define which names exist
     */
    static String of(NdotsChoice choice, boolean answered) {
        return "{\"ndots\": " + choice.ndots() + ", \"answers_given\": " + answered + ", \"costs\": "
                + JsonText.array(choice.queries().entrySet().stream()
                        .map(entry -> "{\"dialect\": "
                                + JsonText.string(entry.getKey().word()) + ", \"queries\": " + entry.getValue()
                                + ", \"lost\": "
                                + JsonText.strings(choice.lost().getOrDefault(entry.getKey(), List.of())) + "}")
                        .toList())
                + "}";
    }

    private static String costs(Map<Dialect, QueryTrace> traces) {
        return JsonText.array(traces.entrySet().stream()
                .map(entry -> "{\"dialect\": " + JsonText.string(entry.getKey().word()) + ", \"queries\": "
                        + entry.getValue().queries().size() + ", \"result\": "
                        + JsonText.string(entry.getValue().outcome().word()) + "}")
                .toList());
    }

    private static String query(PlannedQuery query) {
        return "\"name\": " + JsonText.string(query.name())
                + ", \"type\": " + JsonText.string(query.type().name())
                + ", \"server\": " + JsonText.string(query.server())
                + ", \"proto\": " + JsonText.string(query.transport().word())
                + ", \"at_ms\": " + query.atMillis();
    }

    private static String result(QueryTrace trace) {
        return "\"result\": " + JsonText.string(trace.outcome().word()) + ", \"addresses\": "
                + JsonText.strings(
                        trace.addresses().stream().map(Object::toString).toList());
    }

    private static String candidate(Candidate candidate) {
        return "{\"name\": " + JsonText.string(candidate.name())
                + ", \"domain\": " + candidate.domain().map(JsonText::string).orElse("null")
                + ", \"queries\": " + candidate.queries()
                + ", \"after\": {"
                + String.join(
                        ", ",
                        Arrays.stream(Reply.Kind.values())
                                .map(kind -> JsonText.string(kind.word()) + ": "
                                        + JsonText.string(word(candidate.after(kind))))
                                .toList())
                + "}}";
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
