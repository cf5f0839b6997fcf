package io.k8sdns.forward;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Finds the addresses of servers that are given by host name. */
@FunctionalInterface
interface HostLookup {
    /** Asks the system, for at most five seconds: its own limit can be minutes. */
    HostLookup OF_SYSTEM = host -> {
        FutureTask<InetAddress> lookup = new FutureTask<>(() -> InetAddress.getByName(host));
        Thread thread = new Thread(lookup, "k8sdns-upstream-lookup");
        thread.setDaemon(true);
        thread.start();
        try {
            return lookup.get(5, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            UnknownHostException unknown = new UnknownHostException(
                    host + (failed instanceof TimeoutException ? ": the look-up takes too long" : ": unknown host"));
            unknown.initCause(failed);
            throw unknown;
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
            throw new IOException(host + ": the look-up was interrupted", hurried);
        }
    };

    /**
     * Returns an address of a host; blocks.
     *
     * @throws IOException if none is found; the message names the host
     */
    InetAddress address(String host) throws IOException;
}
