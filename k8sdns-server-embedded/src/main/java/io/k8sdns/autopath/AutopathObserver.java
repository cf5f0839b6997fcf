package io.k8sdns.autopath;

import io.k8sdns.resolver.AnswerStatus;

/**
 * Receives the result of each expansion, for metrics. An extension point: {@link AutopathResolver.Builder#observer} takes one.
 *
 * <p>Called once for each expanded question, before its response is sent, on the thread that answers, which waits for the call:
 * implementations return quickly, do not block and do not throw.
 */
@FunctionalInterface
public interface AutopathObserver {
    /** Ignores expansions. */
    AutopathObserver NONE = (mode, lookups, status, nanos) -> {};

    /** The mode that expanded a question, as in {@link AutopathResolver}. */
    enum Mode {
        /** Its name ends in the autopath suffix. */
        NAME,
        /** Its message has the EDNS option with the search list. */
        OPTION,
        /** Its client is a Pod, and the name ends with the Pod's first search domain. */
        POD
    }

    /**
     * Reports an expanded question.
     *
     * @param mode the mode that expanded it
     * @param lookups the number of names that were looked up; if one exists, it is the last of them
     * @param status the status of the answer
     * @param nanos the duration of the lookups, in nanoseconds
     */
    void expanded(Mode mode, int lookups, AnswerStatus status, long nanos);
}
