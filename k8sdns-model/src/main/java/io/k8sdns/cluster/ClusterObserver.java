package io.k8sdns.cluster;

import java.time.Duration;

/**
 * Receives the events of a {@link ClusterSource} and of the zone that it feeds, for metrics. An extension point; by
 * default every method does nothing.
 *
 * <p>The thread that delivers the changes calls the methods and waits for them: they must return soon, and must neither
 * block nor throw. Kinds are those of Kubernetes objects, for example {@code EndpointSlice}. A source that watches a
 * kind in several namespaces reports the sum.
 */
public interface ClusterObserver {
    /** Ignores every event. */
    ClusterObserver NONE = new ClusterObserver() {};

    /** The state of the objects of this kind changed. */
    default void state(String kind, SyncState state) {}

    /** The API server sent a list, an event or a bookmark of this kind: its objects are up to date at this moment. */
    default void received(String kind) {}

    /** The number of objects of this kind changed. */
    default void objects(String kind, int count) {}

    /** A watch reported that an object of this kind was added, changed or deleted. */
    default void event(String kind, Event event) {}

    /**
     * All objects of this kind have been listed. Every list after the first is a relist.
     *
     * @param took the time from the request to the last object
     */
    default void listed(String kind, Duration took) {}

    /**
     * A request for objects of this kind failed and will be retried.
     *
     * @param reason one of a few words, for example {@code gone}, {@code forbidden}, {@code unreachable}
     */
    default void failed(String kind, String reason) {}

    /**
     * An object of this kind, or a part of it, was omitted because Kubernetes does not allow its value. Called for each
     * part, and again each time the object is read.
     */
    default void rejected(String kind) {}

    /**
     * A batch of changes has been published.
     *
     * @param changes the number of changed objects
     * @param names the number of names in the zone, empty non-terminals included
     * @param took the time that deriving the records took
     */
    default void applied(int changes, int names, Duration took) {}

    /**
     * A change of a Service's endpoints can be queried: the DNS programming latency.
     *
     * @param kind the kind of Service
     * @param since the event at which the latency begins
     * @param latency the time from that event to the publication
     */
    default void programmed(ServiceKind kind, Since since, Duration latency) {}

    /** The kind of a watch event. */
    enum Event {
        /** The object was added or changed. */
        PUT,
        /** The object was deleted, or no longer matches the watch. */
        DELETED
    }

    /** The kinds of Services, by the way in which their endpoints are made. */
    enum ServiceKind {
        /** A Service with a cluster IP. */
        CLUSTER_IP,
        /** A headless Service with a selector: Kubernetes makes its endpoints. */
        HEADLESS_WITH_SELECTOR,
        /** A headless Service without a selector: its owner makes its endpoints. */
        HEADLESS_WITHOUT_SELECTOR
    }

    /** The event at which a latency begins. */
    enum Since {
        /**
         * The cause of the change, for example a Pod that became ready
         * ({@code endpoints.kubernetes.io/last-change-trigger-time}).
         */
        TRIGGER,
        /**
         * The receipt of the change; the object does not name the time of the cause, or that time is before the start
         * of the watch.
         */
        RECEIPT
    }
}
