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
 * The addresses of load balancers that have a host name, looked up by the resolver of the machine, several at a time. A host name that
 * is not found any more keeps its last addresses, since a resolver that fails for a moment must not remove records. For one thread.
 */
final class HostAddresses implements Function<DnsLabels, Collection<IpAddress>>, AutoCloseable {
    /** How many host names are looked up at a time: each look-up that gets no answer occupies a thread for ten seconds or more. */
    static final int MAX_LOOKUPS = 16;

    private static final int IDLE_SECONDS = 10;

    private final Function<DnsLabels, Collection<IpAddress>> resolver;
    private final ThreadPoolExecutor executor;
    private final Map<DnsLabels, Set<IpAddress>> known = new HashMap<>();

    /** The host names that were asked for in this derivation. */
    private final Set<DnsLabels> used = new HashSet<>();

    HostAddresses() {
        this(HostAddresses::lookUp);
    }

    /**
     * Creates addresses of another resolver.
     *
     * @param resolver returns nothing for a host name that it does not find; called by several threads
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
            // With the dot at the end no search domain is tried.
            return Arrays.stream(InetAddress.getAllByName(host + "."))
                    .map(address -> IpAddress.ofBytes(address.getAddress()))
                    .toList();
        } catch (UnknownHostException unknown) {
            return List.of();
        }
    }

    /** Returns the addresses of a host name; none if it is not found, or has not been looked up yet. */
    @Override
    public Collection<IpAddress> apply(DnsLabels host) {
        used.add(host);
        return known.getOrDefault(host, Set.of());
    }

    /**
     * Calls what asks for host names, and forgets the others. If some of them are new they are looked up, and it is called again.
     *
     * @throws InterruptedException if the thread is interrupted while host names are looked up
     */
    <T> T during(Supplier<T> derivation) throws InterruptedException {
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

    /** Looks up all host names that are in use, and completes on another thread with what {@link #replace} takes. */
    CompletionStage<Map<DnsLabels, Set<IpAddress>>> refresh() {
        return lookUp(List.copyOf(known.keySet()));
    }

    /** Takes addresses that were found, and returns whether those of a host name that is in use have changed. */
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

    /** Ends look-ups under way, whose results never arrive. Closing again does nothing. */
    @Override
    public void close() {
        executor.shutdownNow();
    }
}
