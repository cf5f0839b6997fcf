package io.k8sdns.cli;

import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.CacheObserver;
import io.k8sdns.forward.UpstreamObserver;
import io.k8sdns.nodecache.NodeCacheObserver;

/** Receives the events of forwarding, its cache and autopath, for metrics. Every method does nothing by default. */
interface ForwardingObserver extends CacheObserver, UpstreamObserver, NodeCacheObserver {
    /** Ignores everything. */
    ForwardingObserver NONE = new ForwardingObserver() {};

    /** The setup errors that can occur while the server runs. */
    enum SetupError {
        /** The ConfigMap of kube-dns is invalid or cannot be read. */
        CONFIGMAP,
        /** A resolv.conf with the servers to forward to cannot be read, or its servers cannot be used. */
        RESOLV_CONF,
        /** An address to listen on does not exist yet, or cannot be bound. */
        BIND,
        /** An upstream server forwards to this server. */
        LOOP
    }

    /** Reports that a cache was created. */
    default void created(AnswerCache cache) {}

    /** Reports a setup error. */
    default void setupError(SetupError kind) {}
}
