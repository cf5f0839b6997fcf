package io.k8sdns.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * Receives events of the addresses of {@link DnsListeners}. An extension point; every method does nothing by default. Called by
 * the thread that binds, so implementations return soon and do not throw.
 */
public interface ListenersObserver {
    /** Ignores everything. */
    ListenersObserver NONE = new ListenersObserver() {};

    /** Reports that a server answers at an address; a port of 0 is replaced. */
    default void listening(InetSocketAddress address) {}

    /**
     * Reports that an address does not exist yet, and is bound as soon as it does. Called once for each.
     *
     * @param why the failure; its message is one line and names the address
     */
    default void waiting(InetSocketAddress address, IOException why) {}

    /**
     * Reports that an address that was waited for exists and cannot be bound; it is tried again. Called once for each message.
     *
     * @param why the failure; its message is one line and names the address
     */
    default void failed(InetSocketAddress address, IOException why) {}
}
