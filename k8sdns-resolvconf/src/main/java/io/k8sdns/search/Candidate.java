package io.k8sdns.search;

import io.k8sdns.model.Internal;
import java.util.Objects;
import java.util.Optional;

/**
 * A name that a lookup may ask for, and what becomes of the lookup then.
 *
 * @param name the name: absolute, in presentation form
 * @param domain the entry of the search list that it was made with, as the file has it; empty for the name as it is
 * @param queries how many queries it costs when the answers are final at once (NXDOMAIN, for instance)
 * @param steps what follows each kind of answer
 */
public record Candidate(String name, Optional<String> domain, int queries, Steps steps) {
    /** What a lookup does next. */
    public enum Step {
        /** It ends with addresses. */
        FOUND,
        /** The next candidate is asked. */
        NEXT,
        /** The rest of the search list is left out; the name as it is comes next, unless it was asked before. */
        AS_IS,
        /** It ends without addresses. */
        STOP
    }

    /** What follows when a candidate has been asked for, retries and all servers included. */
    @FunctionalInterface
    public interface Steps {
        /**
         * Returns what follows an answer.
         *
         * @param answer what came back; {@link Reply.Kind#TRUNCATED} where the answer over TCP was not to be had
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

    /** Returns whether this is the name as the program gave it. */
    public boolean isAsIs() {
        return domain.isEmpty();
    }

    /** Returns whether the entry of the search list is the root, so that the name is asked for as it is. */
    public boolean isRoot() {
        return domain.filter(entry -> entry.isEmpty() || entry.equals(".")).isPresent();
    }

    /** Returns what follows this answer. */
    public Step after(Reply.Kind answer) {
        return steps.after(answer);
    }
}
