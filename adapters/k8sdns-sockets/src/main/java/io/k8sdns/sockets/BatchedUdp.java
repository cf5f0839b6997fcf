package io.k8sdns.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * The stand-in for batched UDP (one system call for many datagrams) before JDK 22, where it is not available. A jar that was
 * built on JDK 22 or later has the real class of this name in {@code META-INF/versions/22}.
 */
final class BatchedUdp {
    private BatchedUdp() {}

    /** Returns what batched UDP needs and this machine lacks; empty if it is available. */
    static Optional<String> missing() {
        return Optional.of("JDK 22 or later, to build and to run");
    }

    /** Returns the option that batched UDP needs to work without a warning of the JDK; empty if none is missing. */
    static Optional<String> permission() {
        return Optional.empty();
    }

    /** Returns no loop, since batched UDP is not available. */
    static List<UdpLoop> bind(InetSocketAddress address, int count, QueryHandler handler, PortSharing sharing)
            throws IOException {
        return List.of();
    }
}
