package io.k8sdns.cli;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Looks up the addresses of load balancers' host names with the resolver of the machine, several at a time. A host name that is no
 * longer found keeps its last addresses, because a temporary failure of the resolver must not remove records. Not thread-safe.
 */
final class HostAddresses implements Function<DnsLabels, Collection<IpAddress>>, AutoCloseable {
    /** The largest number of concurrent lookups. A lookup without an answer blocks a thread for ten seconds or more. */
    static final int MAX_LOOKUPS = 16;

    private static final int IDLE_SECONDS = 10;

    private final Function<DnsLabels, Collection<IpAddress>> resolver;
    private final ThreadPoolExecutor executor;
    private final Map<DnsLabels, Set<IpAddress>> known = new HashMap<>();

    /** The host names that the current derivation has used. */
    private final Set<DnsLabels> used = new HashSet<>();

    HostAddresses() {
        this(HostAddresses::lookUp);
    }

    /**
     * Creates addresses with another resolver.
     *
     * @param resolver returns the addresses of a host name, empty if it is not found; called by several threads
     */
    HostAddresses(Function<DnsLabels, Collection<IpAddress>> resolver) {
        this.resolver = resolver;
        executor = new ThreadPoolExecutor(
                MAX_LOOKUPS, MAX_LOOKUPS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "k8sdns-host-addresses");
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
    }

    private static Collection<IpAddress> lookUp(DnsLabels host) {
        try {
            // The trailing dot disables the search list.
            return Arrays.stream(InetAddress.getAllByName(host + "."))
                    .map(address -> IpAddress.ofBytes(address.getAddress()))
                    .toList();
        } catch (UnknownHostException unknown) {
            return List.of();
        }
    }

    /** Returns the addresses of a host name; empty if it was not found or was not looked up yet. */
    @Override
    public Collection<IpAddress> apply(DnsLabels host) {
        used.add(host);
        return known.getOrDefault(host, Set.of());
    }

    /**
     * Runs a derivation that uses this function. If it used new host names, looks them up and runs it again. Host names that it did
     * not use are removed.
     *
     * @throws InterruptedException if the thread is interrupted while host names are looked up
     */
    <T> T derive(Supplier<T> derivation) throws InterruptedException {
        used.clear();
        T result = derivation.get();
        Set<DnsLabels> added = new HashSet<>(used);
        added.removeAll(known.keySet());
        if (!added.isEmpty()) {
            try {
                known.putAll(lookUp(added).get());
            } catch (ExecutionException failed) {
                throw new IllegalStateException(failed.getCause());
            }
            result = derivation.get();
        }
        known.keySet().retainAll(used);
        return result;
    }

    private CompletableFuture<Map<DnsLabels, Set<IpAddress>>> lookUp(Collection<DnsLabels> hosts) {
        Map<DnsLabels, CompletableFuture<Set<IpAddress>>> all = new HashMap<>();
        hosts.forEach(host ->
                all.put(host, CompletableFuture.supplyAsync(() -> Set.copyOf(resolver.apply(host)), executor)));
        return CompletableFuture.allOf(all.values().toArray(CompletableFuture[]::new))
                .thenApply(done -> {
                    Map<DnsLabels, Set<IpAddress>> found = new HashMap<>();
                    all.forEach((host, addresses) -> found.put(host, addresses.join()));
                    return found;
                });
    }

    /** Looks up all used host names, and completes on another thread with the argument of {@link #replace}. */
    CompletionStage<Map<DnsLabels, Set<IpAddress>>> refresh() {
        return lookUp(List.copyOf(known.keySet()));
    }

    /** Replaces the addresses of the used host names, and returns whether any have changed. */
    boolean replace(Map<DnsLabels, Set<IpAddress>> found) {
        boolean hasChanged = false;
        for (Map.Entry<DnsLabels, Set<IpAddress>> one : found.entrySet()) {
            Set<IpAddress> before = known.get(one.getKey());
            if (before != null && !one.getValue().isEmpty() && !one.getValue().equals(before)) {
                known.put(one.getKey(), one.getValue());
                hasChanged = true;
            }
        }
        return hasChanged;
    }

    /** Returns the host names without an address. */
    Set<DnsLabels> unknown() {
        Set<DnsLabels> unknown = new TreeSet<>();
        known.forEach((host, addresses) -> {
            if (addresses.isEmpty()) {
                unknown.add(host);
            }
        });
        return unknown;
    }

    /** Cancels running lookups; their stages never complete. Idempotent. */
    @Override
    public void close() {
        executor.shutdownNow();
    }
}
