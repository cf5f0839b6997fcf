package io.k8sdns.cli;

import io.k8sdns.explain.Explanation;
import io.k8sdns.model.IpAddress;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The names that a lookup tries, each with its explanation and its queries.
 *
 * @param name the name as a program passes it to its resolver
 * @param from the Pod or the namespace; empty for an absolute name
 * @param steps the names in order; the last one is the first one that resolves, if any does. Empty for a name in {@code /etc/hosts}
 * @param mostUseful the step to explain: the one that resolves, otherwise the nearest one
 * @param hidden the most useful step of DNS for a name in {@code /etc/hosts} of the Pod; otherwise empty
 * @param isOfNode whether the Pod has the resolv.conf of its node, whose name servers and search list are unknown
 */
record LookupWalk(
        String name,
        Optional<String> from,
        List<Step> steps,
        Step mostUseful,
        Optional<Step> hidden,
        boolean isOfNode) {
    /** The status of a name that is in {@code /etc/hosts}, as a word. */
    private static final String HOSTS_FILE = "HOSTS_FILE";

    /** The status of a name that another server is asked for, as a word. */
    private static final String OTHER_SERVER = "OTHER_SERVER";

    private static final String OTHER_SERVER_TEXT = "another server is asked";
    private static final String UNUSABLE_TEXT = "NOERROR, but its records cannot be used";

    private static final IpAddress ANY_IPV4 = IpAddress.parse("192.0.2.1");
    private static final IpAddress ANY_IPV6 = IpAddress.parse("2001:db8::1");

    /**
     * A name.
     *
     * @param explanation its explanation
     * @param queries its queries in the model of the Pod's resolver; empty if there is no model
     */
    record Step(Explanation explanation, List<PlannedQuery> queries) {
        /** Returns whether another server answers the name: it is in no zone of the cluster, or the Pod asks other name servers. */
        boolean isOutside() {
            return explanation.answer().status() == AnswerStatus.REFUSED;
        }

        /** Returns the status of the answer as a word; that of another server is unknown. */
        String status() {
            return isOutside() ? OTHER_SERVER : explanation.answer().status().toString();
        }

        /** Returns the status for a person. */
        String statusText() {
            if (explanation.hasUnusableRecords()) {
                return UNUSABLE_TEXT;
            }
            return isOutside() ? OTHER_SERVER_TEXT : status();
        }

        /** Returns in words that the name does not resolve. */
        String failure() {
            return "does not resolve" + (isOutside() ? " in the cluster: " : ": ") + statusText();
        }
    }

    /** Returns the walk of an absolute name. */
    static LookupWalk of(String name, Explanation explanation) {
        Step only = new Step(explanation, List.of());
        return new LookupWalk(name, Optional.empty(), List.of(only), only, Optional.empty(), false);
    }

    /**
     * Returns the walk of a name that is in {@code /etc/hosts} of a Pod, so that no query is sent.
     *
     * @param dns the walk of the name with DNS alone; empty if the resolver sends no query for it
     */
    static LookupWalk ofHostsFile(String name, String from, Explanation explained, Optional<LookupWalk> dns) {
        return new LookupWalk(
                name,
                Optional.of(from),
                List.of(),
                new Step(explained, List.of()),
                dns.map(LookupWalk::mostUseful),
                false);
    }

    /** Returns this walk as that of a Pod with the resolv.conf of its node. */
    LookupWalk ofNode() {
        return new LookupWalk(name, from, steps, mostUseful, hidden, true);
    }

    /** Returns the walk with another explanation of each name. */
    LookupWalk withExplanations(UnaryOperator<Explanation> changed) {
        UnaryOperator<Step> step = one -> new Step(changed.apply(one.explanation), one.queries);
        return new LookupWalk(
                name, from, steps.stream().map(step).toList(), step.apply(mostUseful), hidden.map(step), isOfNode);
    }

    /** Returns whether the name is in {@code /etc/hosts} of the Pod. */
    boolean isOfHostsFile() {
        return steps.isEmpty();
    }

    /** Returns the status of the most useful step as a word. */
    String status() {
        return isOfHostsFile() ? HOSTS_FILE : mostUseful.status();
    }

    /**
     * Returns the walk of a name in a Pod.
     *
     * @param model how the resolver of the Pod looks up the addresses of this type; empty if a program looks up the records without it
     */
    static LookupWalk of(
            String name, String from, List<Explanation> explanations, Optional<QueryPlan> model, NearestStep nearest) {
        Map<String, Explanation> byName = new HashMap<>();
        explanations.forEach(one -> byName.put(key(one.name().toString()), one));
        List<PlannedQuery> queries = model.map(plan -> plan.run(
                                query -> reply(Optional.ofNullable(byName.get(key(query.name()))), query))
                        .queries())
                .orElse(List.of());
        List<Step> steps = explanations.stream()
                .map(one -> new Step(
                        one,
                        queries.stream()
                                .filter(query ->
                                        key(query.name()).equals(key(one.name().toString())))
                                .toList()))
                .toList();
        return new LookupWalk(name, Optional.of(from), steps, nearest.of(name, steps), Optional.empty(), false);
    }

    private static String key(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    /** Returns the reply that an explanation stands for. A name that another server answers is assumed not to exist. */
    private static Reply reply(Optional<Explanation> explanation, PlannedQuery query) {
        if (explanation.isPresent() && explanation.get().resolves()) {
            return Reply.of(List.of(query.type() == QueryType.A ? ANY_IPV4 : ANY_IPV6));
        }
        return Reply.of(
                explanation.isPresent() && explanation.get().answer().status() == AnswerStatus.NODATA
                        ? Reply.Kind.NODATA
                        : Reply.Kind.NXDOMAIN);
    }
}
