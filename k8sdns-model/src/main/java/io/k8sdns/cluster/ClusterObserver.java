package io.k8sdns.cluster;

import java.time.Duration;

/**
 * Is told how a {@link ClusterSource} and the zone that it fills are doing, for metrics. An extension point; every method
 * does nothing unless it is overridden.
 *
 * <p>The methods are called on the thread that delivers the changes, which waits for them: they return soon, do not block,
 * and do not throw. Kinds are those of Kubernetes objects, for example {@code EndpointSlice}. A source that sees a kind
 * namespace by namespace tells the sum.
 */
public interface ClusterObserver {
    /** Takes no notice. */
    ClusterObserver NONE = new ClusterObserver() {};

    /** How far what is known of this kind can be trusted is now this. */
    default void state(String kind, SyncState state) {}

    /** The API server has said something of this kind, and be it that nothing has changed: what is known is as new as now. */
    default void heard(String kind) {}

    /** So many objects of this kind are known. */
    default void objects(String kind, int count) {}

    /** An object of this kind was added or changed, or deleted, as a watch told. */
    default void event(String kind, Event event) {}

    /**
     * All objects of this kind have been listed; for the second time and later that is a relist.
     *
     * @param took how long that took, from the request to the last object
     */
    default void listed(String kind, Duration took) {}

    /**
     * A request about this kind failed, and is made again.
     *
     * @param reason one of a few words, for example {@code gone}, {@code forbidden}, {@code unreachable}
     */
    default void failed(String kind, String reason) {}

    /**
     * An object of this kind, or a part of it, was left out: something in it is not what Kubernetes allows. Told for each part,
     * and again whenever the object is read.
     */
    default void rejected(String kind) {}

    /**
     * A batch of changes has been published.
     *
     * @param changes how many objects changed
     * @param names how many names there are now; those that exist only because there are names below them count, too
     * @param took how long it took to make the records anew
     */
    default void applied(int changes, int names, Duration took) {}

    /**
     * A change of a Service's endpoints can be asked for: the DNS programming latency.
     *
     * @param kind what sort of Service it is
     * @param since what the latency counts from
     * @param latency from there to the publication
     */
    default void programmed(ServiceKind kind, Since since, Duration latency) {}

    /** What a watch told of an object. */
    enum Event {
        /** It was added or changed. */
        PUT,
        /** It was deleted, or is of no interest any more. */
        DELETED
    }

    /** The sorts of Services whose endpoints come about in different ways. */
    enum ServiceKind {
        /** With a cluster IP. */
        CLUSTER_IP,
        /** Headless, its endpoints being those Pods that a selector finds. */
        HEADLESS_WITH_SELECTOR,
        /** Headless, its endpoints being made by somebody else. */
        HEADLESS_WITHOUT_SELECTOR
    }

    /** Where a latency begins. */
    enum Since {
        /** What led to the change, a Pod that became ready for example ({@code endpoints.kubernetes.io/last-change-trigger-time}). */
        TRIGGER,
        /** The change was received; the object does not say what led to it, or that was before anything was followed here. */
        RECEIPT
    }
}
