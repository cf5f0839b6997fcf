package io.k8sdns.forward;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Looks up the addresses of servers that are configured by host name. */
@FunctionalInterface
interface HostLookup {
    /** Uses the JDK's resolver, for at most five seconds: its own timeout can be minutes. */
    HostLookup OF_SYSTEM = host -> {
        FutureTask<InetAddress> lookup = new FutureTask<>(() -> InetAddress.getByName(host));
        Thread thread = new Thread(lookup, "k8sdns-upstream-lookup");
        thread.setDaemon(true);
        thread.start();
        try {
            return lookup.get(5, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            UnknownHostException unknown = new UnknownHostException(host
                    + (failed instanceof TimeoutException ? ": the host name lookup timed out" : ": unknown host"));
            unknown.initCause(failed);
            throw unknown;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException(host + ": the host name lookup was interrupted", interrupted);
        }
    };

    /**
     * Returns an address of a host; blocks.
     *
     * @throws IOException if the host has no address or the lookup times out; the message contains the host name
     */
    InetAddress address(String host) throws IOException;
}
