package io.k8sdns.emulators;

import io.k8sdns.search.Candidate;
import io.k8sdns.search.LookupOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Tries the candidates in order; each candidate decides the next step after its answer. */
final class SearchWalk {
    /**
     * The candidates in order, up to a name for which no query can be made.
     *
     * @param candidates the candidates before that name, or all of them
     * @param deadEnd the result of the lookup at that name; empty if there is none, or if it is skipped
     */
    record CandidateList(List<Candidate> candidates, Optional<LookupOutcome> deadEnd) {}

    /** A candidate that was tried, and its result. */
    record Visit(Candidate candidate, CandidateResult result) {}

    private SearchWalk() {}

    /**
     * Tries the candidates.
     *
     * @param candidates the names in order; the unchanged name may be in the list twice, because earlier answers decide
     *     when it is tried
     * @param rootIsAsIs whether a query for the root domain of the search list counts as a query for the unchanged name
     * @param ask sends the queries for one candidate
     * @return the candidates that were tried, in order
     */
    static List<Visit> tryInOrder(
            List<Candidate> candidates, boolean rootIsAsIs, Function<Candidate, CandidateResult> ask) {
        List<Visit> visits = new ArrayList<>();
        boolean leaving = false;
        boolean askedAsIs = false;
        for (Candidate candidate : candidates) {
            if (leaving && !candidate.isAsIs() || candidate.isAsIs() && askedAsIs) {
                continue;
            }
            askedAsIs |= candidate.isAsIs() || rootIsAsIs && candidate.isRoot();
            CandidateResult result = ask.apply(candidate);
            visits.add(new Visit(candidate, result));
            switch (candidate.after(result.kind())) {
                case FOUND, STOP -> {
                    return visits;
                }
                case NEXT -> {}
                case AS_IS -> leaving = true;
            }
        }
        return visits;
    }
}
