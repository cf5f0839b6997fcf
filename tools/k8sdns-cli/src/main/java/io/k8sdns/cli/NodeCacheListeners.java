package io.k8sdns.cli;

import io.k8sdns.cli.ForwardingObserver.SetupError;
import io.k8sdns.sockets.DnsServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a node cache, one for each address. An address that does not exist yet, because the interface of the cache is
 * made later, for example, is bound when it does; the others answer meanwhile.
 */
final class NodeCacheListeners implements AutoCloseable {
    private final Binder binder;
    private final Duration pause;
    private final Events events;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "k8sdns-bind");
        thread.setDaemon(true);
        return thread;
    });

    // Guarded by this.
    private final List<DnsServer> servers = new ArrayList<>();
    private final List<InetSocketAddress> missing = new ArrayList<>();
    private boolean closed;
    private @Nullable String reported;

    /** Binds one address. */
    @FunctionalInterface
    interface Binder {
        /**
         * Returns a server that does not answer yet.
         *
         * @throws IOException if the address cannot be bound
         */
        DnsServer bind(InetSocketAddress address) throws IOException;
    }

    /** Receives what becomes of the addresses. */
    interface Events {
        /** An address is answered on. */
        void listening(InetSocketAddress address);

        /** An address cannot be bound; it is tried again. Called once for each reason. */
        void waiting(String why);

        /** The set-up is wrong. */
        void setupError(SetupError kind);
    }

    /**
     * Creates the servers; binds nothing.
     *
     * @param pause the time between two tries
     */
    NodeCacheListeners(Binder binder, Duration pause, Events events) {
        this.binder = binder;
        this.pause = pause;
        this.events = events;
    }

    /**
     * Binds the addresses that exist.
     *
     * @throws IOException if an address is in use, or cannot be bound for another reason than that it does not exist
     */
    synchronized void bind(List<InetSocketAddress> addresses) throws IOException {
        for (InetSocketAddress address : addresses) {
            try {
                servers.add(binder.bind(address));
            } catch (IOException failed) {
                if (!doesNotExist(failed)) {
                    throw failed;
                }
                missing.add(address);
                events.setupError(SetupError.BIND);
                events.waiting(failed.getMessage() + "; it is bound as soon as it exists");
            }
        }
    }

    /** The words of Linux and of macOS. */
    private static boolean doesNotExist(IOException failed) {
        String text = String.valueOf(failed.getMessage()).toLowerCase(Locale.ROOT);
        return text.contains("assign requested address");
    }

    /** Starts to answer, and to wait for the addresses that do not exist yet. */
    synchronized void answer() {
        servers.forEach(this::answer);
        if (!missing.isEmpty()) {
            var unused = timer.scheduleWithFixedDelay(
                    this::bindMissing, pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void answer(DnsServer server) {
        server.answer();
        events.listening(server.address());
    }

    private synchronized void bindMissing() {
        for (InetSocketAddress address : List.copyOf(missing)) {
            if (closed) {
                return;
            }
            try {
                DnsServer server = binder.bind(address);
                missing.remove(address);
                servers.add(server);
                answer(server);
            } catch (IOException failed) {
                if (!doesNotExist(failed)
                        && !String.valueOf(failed.getMessage()).equals(reported)) {
                    reported = String.valueOf(failed.getMessage());
                    events.setupError(SetupError.BIND);
                    events.waiting(reported + "; it is tried again");
                }
            }
        }
        if (missing.isEmpty()) {
            timer.shutdown();
        }
    }

    /** Returns the addresses that are bound, a port of 0 replaced. */
    synchronized List<InetSocketAddress> addresses() {
        return servers.stream().map(DnsServer::address).toList();
    }

    /** Returns how many datagrams the kernel has dropped; empty where it does not report it. */
    synchronized OptionalLong udpDrops() {
        return servers.stream()
                .map(DnsServer::udpDrops)
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .reduce(Long::sum);
    }

    /** Stops all servers at once, as {@link DnsServer#close} stops one. */
    @Override
    public void close() {
        List<Thread> closing = new ArrayList<>();
        synchronized (this) {
            closed = true;
            timer.shutdownNow();
            servers.forEach(server -> closing.add(new Thread(server::close, "k8sdns-stop-" + server.port())));
        }
        closing.forEach(Thread::start);
        boolean interrupted = false;
        for (Thread thread : closing) {
            try {
                thread.join();
            } catch (InterruptedException hurried) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
