package io.k8sdns.search;

import io.k8sdns.model.IpAddress;
import io.k8sdns.search.QueryTrace.Outcome;
import java.util.List;

/**
 * The conclusion of a resolver from all replies for one candidate.
 *
 * @param kind the kind of reply that decides the next step
 * @param outcome the result of the lookup if it ends here
 * @param addresses the addresses, for {@link Reply.Kind#DATA}
 */
record Verdict(Reply.Kind kind, Outcome outcome, List<IpAddress> addresses) {
    static Verdict found(List<IpAddress> addresses) {
        return new Verdict(Reply.Kind.DATA, Outcome.OK, addresses);
    }

    static Verdict without(Reply.Kind kind, Outcome outcome) {
        return new Verdict(kind, outcome, List.of());
    }
}
