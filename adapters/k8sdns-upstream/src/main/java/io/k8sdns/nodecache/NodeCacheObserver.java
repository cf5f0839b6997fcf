package io.k8sdns.nodecache;

import io.k8sdns.autopath.AutopathObserver;
import io.k8sdns.resolver.AnswerStatus;

/**
 * Receives what a {@link NodeCache} does with names below its autopath suffix, for metrics and logs. An extension point; every method
 * does nothing by default.
 *
 * <p>Methods are called by the threads that answer, by that of the forwarder and by the timer, concurrently, and these wait:
 * implementations return soon, do not block and do not throw.
 */
public interface NodeCacheObserver extends AutopathObserver {
    /** Ignores everything. */
    NodeCacheObserver NONE = new NodeCacheObserver() {};

    /** A question was expanded on the node: each name of the search list was looked up. */
    @Override
    default void expanded(Front front, int lookups, AnswerStatus status, long nanos) {}

    /** A question was forwarded with its search list as an EDNS option. */
    default void passedOn() {}

    /**
     * A probe has shown whether the cluster DNS understands the suffix. Called for the first probe that was answered, and when the
     * result has changed.
     *
     * @param value whether it does
     */
    default void understood(boolean value) {}
}
