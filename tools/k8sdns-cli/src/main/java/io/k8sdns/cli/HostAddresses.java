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
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The addresses of load balancers that have a host name, looked up by the resolver of the machine. A host name that is not found any
 * more keeps its last addresses, since a resolver that fails for a moment must not remove records. Not thread-safe.
 */
final class HostAddresses implements Function<DnsLabels, Collection<IpAddress>> {
    private final Function<DnsLabels, Collection<IpAddress>> resolver;
    private final Map<DnsLabels, Set<IpAddress>> known = new HashMap<>();

    /** The host names that were asked for in this derivation. */
    private final Set<DnsLabels> used = new HashSet<>();

    HostAddresses() {
        this(HostAddresses::lookUp);
    }

    /**
     * Creates addresses of another resolver.
     *
     * @param resolver returns nothing for a host name that it does not find
     */
    HostAddresses(Function<DnsLabels, Collection<IpAddress>> resolver) {
        this.resolver = resolver;
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

    /** Returns the addresses of a host name, which is looked up if it is new; none if it is not found. */
    @Override
    public Collection<IpAddress> apply(DnsLabels host) {
        used.add(host);
        return known.computeIfAbsent(host, name -> Set.copyOf(resolver.apply(name)));
    }

    /** Calls what asks for host names, and forgets the others. */
    <T> T during(Supplier<T> derivation) {
        used.clear();
        T result = derivation.get();
        known.keySet().retainAll(used);
        return result;
    }

    /** Looks up all host names that are in use, and returns whether addresses have changed. */
    boolean refresh() {
        boolean hasChanged = false;
        for (DnsLabels host : List.copyOf(known.keySet())) {
            Set<IpAddress> now = Set.copyOf(resolver.apply(host));
            if (!now.isEmpty() && !now.equals(known.put(host, now))) {
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
}
