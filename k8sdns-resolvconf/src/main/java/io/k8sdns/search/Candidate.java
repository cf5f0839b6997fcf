package io.k8sdns.search;

import io.k8sdns.model.Internal;
import java.util.Objects;
import java.util.Optional;

/**
 * A name that a lookup may query, and the next step for each kind of answer.
 *
 * @param name the name: absolute, in presentation form
 * @param domain the entry of the search list that was appended, as written in the file; empty for the unchanged name
 * @param queries the number of queries if the first answers are final (for example NXDOMAIN)
 * @param steps the next step for each kind of answer
 */
public record Candidate(String name, Optional<String> domain, int queries, Steps steps) {
    /** The next step of a lookup. */
    public enum Step {
        /** The lookup ends with addresses. */
        FOUND,
        /** The lookup tries the next candidate. */
        NEXT,
        /** The lookup skips the rest of the search list and tries the unchanged name, unless that was tried before. */
        AS_IS,
        /** The lookup ends without addresses. */
        STOP
    }

    /** Decides the next step after the queries for a candidate, retries and all servers included. */
    @FunctionalInterface
    public interface Steps {
        /**
         * Returns the next step after an answer.
         *
         * @param answer the kind of the answer; {@link Reply.Kind#TRUNCATED} if the query over TCP failed
         */
        Step after(Reply.Kind answer);
    }

    /** Checks that nothing is null. */
    @Internal
    public Candidate {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(domain, "domain");
        Objects.requireNonNull(steps, "steps");
    }

    /** Returns whether this is the unchanged name of the request. */
    public boolean isAsIs() {
        return domain.isEmpty();
    }

    /** Returns whether the entry of the search list is the root, so that this is the unchanged name. */
    public boolean isRoot() {
        return domain.filter(entry -> entry.isEmpty() || entry.equals(".")).isPresent();
    }

    /** Returns the next step after this answer. */
    public Step after(Reply.Kind answer) {
        return steps.after(answer);
    }
}
