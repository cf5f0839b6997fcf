package io.k8sdns.nodecache;

import io.k8sdns.autopath.AutopathObserver;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.resolver.AnswerStatus;
import java.util.List;

/**
 * Receives the events of a {@link NodeCache} about names below its autopath suffix, and about loops, for metrics and logs. An
 * extension point; every method does nothing by default.
 *
 * <p>Methods are called concurrently by threads that answer, by that of the forwarder and by the timer. Implementations must be fast,
 * must not block and must not throw.
 */
public interface NodeCacheObserver extends AutopathObserver {
    /** Ignores all events. */
    NodeCacheObserver NONE = new NodeCacheObserver() {};

    /** A question was expanded on the node: the names of the search list were looked up. */
    @Override
    default void expanded(Mode mode, int lookups, AnswerStatus status, long nanos) {}

    /** A question was forwarded with its search list as an EDNS option. */
    default void forwarded() {}

    /**
     * A probe found out whether the cluster DNS supports the suffix. Called for the first answered probe, and whenever the result
     * changes.
     *
     * @param supported whether the cluster DNS supports the suffix
     */
    default void suffixSupported(boolean supported) {}

    /**
     * The zones whose servers forward to this cache have changed, as probes after failures of servers have found; see {@link
     * io.k8sdns.forward.UpstreamForwarder.Builder#findLoops}. Called on the forwarder's thread.
     *
     * @param zones the looping zones; empty after the last loop is gone
     */
    default void looping(List<UpstreamZone> zones) {}
}
