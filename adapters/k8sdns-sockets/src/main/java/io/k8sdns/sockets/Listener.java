package io.k8sdns.sockets;

import java.net.InetSocketAddress;

/**
 * A part of a server that needs one thread. Owns its sockets from its creation, answers while {@link #run()} runs, and has
 * closed the sockets when that returns.
 */
interface Listener extends Runnable {
    /**
     * Returns the name of a thread that answers UDP.
     *
     * @param number the number of the thread at its address, from 1
     */
    static String udpThreadName(InetSocketAddress address, int number) {
        return "k8sdns-udp-" + AddressText.of(address) + (number == 1 ? "" : "#" + number);
    }

    /** Returns the name for the listener's thread. */
    String threadName();

    /**
     * Stops the listener after it has answered the queries that it has received. From any thread; does not wait.
     *
     * @param deadline when it ends even if answers are pending, in {@link System#nanoTime()}
     */
    void stop(long deadline);

    /** Ends the listener at once; one that is not running yet closes its sockets when it runs. From any thread; does not wait. */
    void abort();
}
