package io.k8sdns.completion;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Chooses addresses for objects that have none. The hash of the object's name chooses, so an object keeps its address
 * when other objects are added, unless one of them has that address.
 *
 * <p>The first 16 addresses of a network and the last are never chosen.
 */
final class AddressPool {
    private static final int RESERVED = 16;

    private final Set<IpAddress> taken = new HashSet<>();
    private final Set<IpNetwork> exhausted = new HashSet<>();

    /** Reserves these addresses, so that they are not chosen. */
    void take(Collection<IpAddress> addresses) {
        taken.addAll(addresses);
    }

    /** Chooses and takes an address of the network; empty if none is left. */
    Optional<IpAddress> choose(IpNetwork network, String namespace, String name) {
        // Addresses are never released, so a network without a free address stays exhausted.
        if (exhausted.contains(network)) {
            return Optional.empty();
        }
        long size = network.hostBits() >= 32 ? 1L << 32 : 1L << network.hostBits();
        long choices = size - RESERVED - 1;
        long first = Integer.toUnsignedLong(fnv1a(namespace + "/" + name)) % choices;
        for (long step = 0; step < choices; step++) {
            IpAddress address = network.address(RESERVED + (first + step) % choices);
            if (taken.add(address)) {
                return Optional.of(address);
            }
        }
        exhausted.add(network);
        return Optional.empty();
    }

    /** Returns the 32-bit FNV-1a hash of the text in UTF-8. */
    static int fnv1a(String text) {
        int hash = 0x811C_9DC5;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ b & 0xFF) * 0x0100_0193;
        }
        return hash;
    }
}
