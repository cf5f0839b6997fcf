package io.k8sdns.sockets;

import java.net.InetSocketAddress;

/**
 * A part of a server that needs one thread: it owns its sockets from the time it is made, answers while {@link #run()}
 * runs, and has freed everything when that returns.
 */
interface Listener extends Runnable {
    /**
     * Returns the name of a thread that answers UDP.
     *
     * @param number which one of the address it is, from 1
     */
    static String udpThreadName(InetSocketAddress address, int number) {
        return "k8sdns-udp-" + AddressText.of(address) + (number == 1 ? "" : "#" + number);
    }

    /** Returns what its thread is to be called. */
    String threadName();

    /**
     * Asks it to take nothing new, to answer what it has received, and then to end. From any thread; does not wait.
     *
     * @param deadline when it ends though answers are due, of {@link System#nanoTime()}
     */
    void stop(long deadline);

    /** Makes it end at once, or free everything when it runs if it does not run yet. From any thread; does not wait. */
    void abort();
}
