package io.k8sdns.search;

import io.k8sdns.model.IpAddress;
import io.k8sdns.search.QueryTrace.Outcome;
import java.util.List;

/**
 * What a resolver makes of all that came back for one candidate.
 *
 * @param kind what decides how the lookup goes on
 * @param outcome what the lookup comes to if it ends here
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
