package io.k8sdns.search;

import io.k8sdns.model.IpAddress;
import io.k8sdns.search.QueryTrace.Outcome;
import java.util.List;
import java.util.Map;

/** The rules of one resolver: how it reads its file, which names it tries, and which queries it sends. */
interface ResolverRules {
    /**
     * Reads a file.
     *
     * @param dialect the dialect of the settings
     * @param file the text; each character is one byte
     * @param environment the environment; its values have the same form
     */
    ResolverSettings read(Dialect dialect, String file, Map<String, String> environment);

    /** Returns the names that are tried if every answer is NXDOMAIN, in order. */
    List<Candidate> candidates(ResolverSettings settings, LookupRequest request);

    /** Returns how far the order of the queries is fixed. */
    QueryPlan.Firmness firmness(ResolverSettings settings);

    /** Simulates the lookup; it sends every query through the log. */
    Ending run(ResolverSettings settings, LookupRequest request, QueryLog log);

    /**
     * The end of a lookup.
     *
     * @param outcome the result
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
