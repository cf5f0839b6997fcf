package io.k8sdns.search;

import io.k8sdns.search.QueryTrace.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The walk along the candidates: each candidate says what follows its answer. */
final class SearchWalk {
    /**
     * The names in order, up to one of which no query can be made.
     *
     * @param candidates the names before it, or all of them
     * @param deadEnd how the lookup ends there; empty if there is no such name, or if it is passed over
     */
    record Way(List<Candidate> candidates, Optional<Outcome> deadEnd) {}

    /** A candidate that was asked for, and what came of it. */
    record Visit(Candidate candidate, Verdict verdict) {}

    private SearchWalk() {}

    /**
     * Walks.
     *
     * @param candidates the names in order; the name as it is comes twice where it depends on the way when it is asked
     * @param rootIsAsIs whether the name as it is was asked for, when the search list has the root
     * @param ask asks for one candidate
     * @return what was asked for, in order
     */
    static List<Visit> along(List<Candidate> candidates, boolean rootIsAsIs, Function<Candidate, Verdict> ask) {
        List<Visit> visits = new ArrayList<>();
        boolean leaving = false;
        boolean askedAsIs = false;
        for (Candidate candidate : candidates) {
            if (leaving && !candidate.isAsIs() || candidate.isAsIs() && askedAsIs) {
                continue;
            }
            askedAsIs |= candidate.isAsIs() || rootIsAsIs && candidate.isRoot();
            Verdict verdict = ask.apply(candidate);
            visits.add(new Visit(candidate, verdict));
            switch (candidate.after(verdict.kind())) {
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
