package io.k8sdns.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * Receives what becomes of the addresses of {@link DnsListeners}. An extension point; every method does nothing by default. Called by
 * the thread that binds, which waits: implementations return soon and do not throw.
 */
public interface ListenersObserver {
    /** Ignores everything. */
    ListenersObserver NONE = new ListenersObserver() {};

    /** An address is answered on; a port of 0 is replaced. */
    default void listening(InetSocketAddress address) {}

    /**
     * An address does not exist yet, and is bound as soon as it does. Called once for each.
     *
     * @param why what failed; the message is one line and names the address
     */
    default void waiting(InetSocketAddress address, IOException why) {}

    /**
     * An address that was waited for exists and cannot be bound; it is tried again. Called once for each message.
     *
     * @param why what failed; the message is one line and names the address
     */
    default void failed(InetSocketAddress address, IOException why) {}
}
