package io.k8sdns.sockets;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Batched UDP on Linux: one system call for many datagrams. JDK 22 and later load this class instead of its stand-in. */
final class BatchedUdp {
    /** The machines whose structures {@link Libc} knows, as {@code os.arch} calls them. */
    private static final Set<String> MACHINES = Set.of("amd64", "aarch64");

    private BatchedUdp() {}

    /** Returns what batched UDP needs and this machine lacks; empty if it is available. */
    static Optional<String> missing() {
        if (!System.getProperty("os.name").equals("Linux") || !MACHINES.contains(System.getProperty("os.arch"))) {
            return Optional.of("Linux on x86-64 or aarch64");
        }
        return Optional.empty();
    }

    /** Returns the option that batched UDP needs to work without a warning of the JDK; empty if none is missing. */
    static Optional<String> permission() {
        Module module = BatchedUdp.class.getModule();
        return module.isNativeAccessEnabled()
                ? Optional.empty()
                : Optional.of("--enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED"));
    }

    /**
     * Binds sockets among which the kernel distributes the clients (SO_REUSEPORT).
     *
     * @param address an address of this machine or a wildcard, and a port, not 0
     * @param count how many
     * @return a loop for each
     * @throws BindException if the address cannot be bound, or another program has it and one of the two does not share
     * @throws IOException if the system or the JDK refuses
     */
    static List<UdpLoop> bind(InetSocketAddress address, int count, QueryHandler handler, PortSharing sharing)
            throws IOException {
        List<UdpLoop> loops = new ArrayList<>();
        try {
            for (int i = 1; i <= count; i++) {
                loops.add(new BatchedUdpListener(
                        address, i, i == 1 ? sharing.ofFirst(count) : PortSharing.JOIN, handler));
            }
            return loops;
        } catch (IOException | RuntimeException failed) {
            loops.forEach(Listener::abort);
            loops.forEach(Listener::run);
            throw failed;
        } catch (LinkageError refused) {
            throw new IOException("batched UDP is not available: " + refused, refused);
        }
    }
}
