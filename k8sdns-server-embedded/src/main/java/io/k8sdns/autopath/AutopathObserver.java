package io.k8sdns.autopath;

import io.k8sdns.resolver.AnswerStatus;

/**
 * Receives the result of each expansion, for metrics. An extension point: {@link AutopathResolver.Builder#observer} takes one.
 *
 * <p>Called once for each question that was expanded, before its response is sent, on the thread that answers, which waits for
 * the call: implementations return soon, do not block and do not throw.
 */
@FunctionalInterface
public interface AutopathObserver {
    /** Ignores expansions. */
    AutopathObserver NONE = (front, lookups, status, nanos) -> {};

    /** Why a question was expanded. */
    enum Front {
        /** Its name ends in the autopath suffix. */
        NAME,
        /** Its message has the EDNS option with the search list. */
        OPTION,
        /** Its client is a Pod whose resolver had appended the first search domain. */
        POD
    }

    /**
     * A question was expanded.
     *
     * @param front why
     * @param lookups how many names were looked up; if one exists, it is the last of them
     * @param status the status of the answer
     * @param nanos how long the look-ups took, in nanoseconds
     */
    void expanded(Front front, int lookups, AnswerStatus status, long nanos);
}
