package io.k8sdns.emulators;

import io.k8sdns.model.IpAddress;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.Reply;
import java.util.List;

/**
 * The conclusion of a resolver from all replies for one candidate.
 *
 * @param kind the kind of reply that decides the next step
 * @param outcome the result of the lookup if it ends here
 * @param addresses the addresses, for {@link Reply.Kind#DATA}
 */
record CandidateResult(Reply.Kind kind, LookupOutcome outcome, List<IpAddress> addresses) {
    static CandidateResult found(List<IpAddress> addresses) {
        return new CandidateResult(Reply.Kind.DATA, LookupOutcome.OK, addresses);
    }

    static CandidateResult without(Reply.Kind kind, LookupOutcome outcome) {
        return new CandidateResult(kind, outcome, List.of());
    }
}
