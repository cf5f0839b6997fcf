package io.k8sdns.sockets;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * DNS servers, one for each address. An address that does not exist yet, for example because its interface is created later, is
 * bound once it exists; the others answer meanwhile.
 *
 * <pre>{@code
 * DnsListeners listeners = DnsListeners.bind(
 *         addresses,
 *         address -> DnsServer.builder(List.of(address), responder).sharePort().bind(),
 *         ListenersObserver.NONE);
 * listeners.answer();
 * }</pre>
 *
 * <p>Addresses are tried again every second, by a daemon thread {@code k8sdns-bind}.
 */
public final class DnsListeners implements AutoCloseable {
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

    private final Binder binder;
    private final Duration pause;
    private final ListenersObserver observer;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "k8sdns-bind");
        thread.setDaemon(true);
        return thread;
    });

    // Guarded by this.
    private final List<DnsServer> servers = new ArrayList<>();
    /** The addresses that are not bound, in order, with the failure of the last attempt. */
    private final Map<InetSocketAddress, IOException> missing = new LinkedHashMap<>();

    private boolean closed;
    private final Map<InetSocketAddress, String> reported = new HashMap<>();

    /** Binds one address. */
    @FunctionalInterface
    public interface Binder {
        /**
         * Returns a server that does not answer yet ({@link DnsServer.Builder#bind}).
         *
         * @throws IOException if the address cannot be bound
         */
        DnsServer bind(InetSocketAddress address) throws IOException;
    }

    private DnsListeners(Binder binder, Duration pause, ListenersObserver observer) {
        this.binder = Objects.requireNonNull(binder, "binder");
        this.pause = pause;
        this.observer = Objects.requireNonNull(observer, "observer");
    }

    /**
     * Binds the addresses that exist.
     *
     * @param listen the addresses, each with its port
     * @param binder binds one of them; called again for one that does not exist yet
     * @param observer receives events of the addresses
     * @return the servers, which do not answer until {@link #answer}
     * @throws IOException if an address that exists cannot be bound, for example because it is in use; then no address stays bound
     */
    public static DnsListeners bind(List<InetSocketAddress> listen, Binder binder, ListenersObserver observer)
            throws IOException {
        return bind(listen, binder, observer, BETWEEN_TRIES);
    }

    /** Binds as {@link #bind(List, Binder, ListenersObserver)} does, with another pause between two attempts. */
    static DnsListeners bind(List<InetSocketAddress> listen, Binder binder, ListenersObserver observer, Duration pause)
            throws IOException {
        DnsListeners listeners = new DnsListeners(binder, pause, observer);
        try {
            listeners.bindAll(Copies.list("listen", listen));
            return listeners;
        } catch (IOException | RuntimeException failed) {
            listeners.close();
            throw failed;
        }
    }

    private synchronized void bindAll(List<InetSocketAddress> addresses) throws IOException {
        for (InetSocketAddress address : addresses) {
            try {
                servers.add(binder.bind(address));
            } catch (IOException failed) {
                if (!doesNotExist(failed)) {
                    throw failed;
                }
                missing.put(address, failed);
                observer.waiting(address, failed);
            }
        }
    }

    /** Returns whether an address could not be bound because it does not exist, by the messages of Linux and macOS. */
    @Internal
    public static boolean doesNotExist(IOException failed) {
        String text = String.valueOf(failed.getMessage()).toLowerCase(Locale.ROOT);
        return text.contains("assign requested address");
    }

    /**
     * Starts to answer, and to wait for the addresses that do not exist yet. Called once.
     *
     * @throws IllegalStateException if a server answers already, or is closed
     */
    public synchronized void answer() {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        servers.forEach(this::answer);
        if (!missing.isEmpty()) {
            var unused = timer.scheduleWithFixedDelay(
                    this::bindMissing, pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void answer(DnsServer server) {
        server.answer();
        observer.listening(server.address());
    }

    private synchronized void bindMissing() {
        for (InetSocketAddress address : List.copyOf(missing.keySet())) {
            if (closed) {
                return;
            }
            try {
                DnsServer server = binder.bind(address);
                missing.remove(address);
                servers.add(server);
                answer(server);
            } catch (IOException failed) {
                missing.put(address, failed);
                String why = String.valueOf(failed.getMessage());
                if (!doesNotExist(failed) && !why.equals(reported.put(address, why))) {
                    observer.failed(address, failed);
                }
            }
        }
        if (missing.isEmpty()) {
            timer.shutdown();
        }
    }

    /** Returns the addresses that are currently bound; port 0 is replaced by the actual port. */
    public synchronized List<InetSocketAddress> addresses() {
        return servers.stream().map(DnsServer::address).toList();
    }

    /**
     * Returns why addresses are not bound, for a readiness probe: one line for each, such as {@code 169.254.20.10:53 does not exist
     * yet} or {@code 169.254.20.10:53 is in use}. Empty if all are bound.
     */
    public synchronized List<String> unbound() {
        return missing.entrySet().stream()
                .map(one -> doesNotExist(one.getValue())
                        ? AddressText.of(one.getKey()) + " does not exist yet"
                        : String.valueOf(one.getValue().getMessage()))
                .toList();
    }

    /** Returns how many datagrams the kernel has dropped, as {@link DnsServer#udpDrops}; empty where it does not report it. */
    public synchronized OptionalLong udpDrops() {
        return servers.stream()
                .map(DnsServer::udpDrops)
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .reduce(Long::sum);
    }

    /** Stops waiting for addresses, and closes all servers at the same time ({@link DnsServer#close}). Closing again does nothing. */
    @Override
    public void close() {
        List<Thread> closing = new ArrayList<>();
        synchronized (this) {
            closed = true;
            timer.shutdownNow();
            servers.forEach(server -> closing.add(new Thread(server::close, "k8sdns-stop-" + server.port())));
        }
        closing.forEach(Thread::start);
        boolean wasInterrupted = false;
        for (Thread thread : closing) {
            try {
                thread.join();
            } catch (InterruptedException interrupted) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
