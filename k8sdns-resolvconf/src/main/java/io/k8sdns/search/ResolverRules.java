package io.k8sdns.search;

import io.k8sdns.model.IpAddress;
import io.k8sdns.search.QueryTrace.Outcome;
import java.util.List;
import java.util.Map;

/** One kind of resolver: how it reads its file, for which names it asks, and how it asks. */
interface ResolverRules {
    /**
     * Reads a file.
     *
     * @param dialect whose settings they are
     * @param file the text; each character is an octet
     * @param environment the environment, its values likewise
     */
    ResolverSettings read(Dialect dialect, String file, Map<String, String> environment);

    /** Returns the names that are asked for, in order, while every answer is NXDOMAIN. */
    List<Candidate> candidates(ResolverSettings settings, LookupRequest request);

    /** Returns how firm the order of queries is. */
    QueryPlan.Firmness firmness(ResolverSettings settings);

    /** Follows the lookup; every query goes through the log. */
    Ending run(ResolverSettings settings, LookupRequest request, QueryLog log);

    /**
     * How a lookup ends.
     *
     * @param outcome what it comes to
     * @param addresses the addresses, if they were found
     */
    record Ending(Outcome outcome, List<IpAddress> addresses) {
        static Ending without(Outcome outcome) {
            return new Ending(outcome, List.of());
        }

        static Ending with(List<IpAddress> addresses) {
            return new Ending(Outcome.OK, addresses.stream().distinct().toList());
        }
    }
}
