package io.k8sdns.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * UDP with a system call for many datagrams. Before JDK 22, which this class is for, it cannot be had; a jar that was built
 * on JDK 22 or later has another one of this name in {@code META-INF/versions/22}.
 */
final class BatchedUdp {
    private BatchedUdp() {}

    /** Returns what is missing for it; empty if it can be had. */
    static Optional<String> missing() {
        return Optional.of("JDK 22 or later, to build and to run");
    }

    /** Returns what is missing for it to work without a warning of the JDK; empty if nothing is. */
    static Optional<String> permission() {
        return Optional.empty();
    }

    /** Links what it needs, which takes a while. */
    static void prepare() {}

    /** Returns no loop: none can be had. */
    static List<UdpLoop> bind(InetSocketAddress address, int count, Serving serving, PortSharing sharing)
            throws IOException {
        return List.of();
    }
}
