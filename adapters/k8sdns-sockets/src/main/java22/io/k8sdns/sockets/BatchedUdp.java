package io.k8sdns.sockets;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** UDP with a system call for many datagrams, on Linux: what JDK 22 and later see in place of the class of this name. */
final class BatchedUdp {
    /** The machines whose structures {@link Libc} knows, as {@code os.arch} calls them. */
    private static final Set<String> MACHINES = Set.of("amd64", "aarch64");

    private BatchedUdp() {}

    /** Returns what is missing for it; empty if it can be had. */
    static Optional<String> missing() {
        if (!System.getProperty("os.name").equals("Linux") || !MACHINES.contains(System.getProperty("os.arch"))) {
            return Optional.of("Linux on x86-64 or aarch64");
        }
        return Optional.empty();
    }

    /** Returns what is missing for it to work without a warning of the JDK; empty if nothing is. */
    static Optional<String> permission() {
        Module module = BatchedUdp.class.getModule();
        return module.isNativeAccessEnabled()
                ? Optional.empty()
                : Optional.of("--enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED"));
    }

    /** Links what it needs, which takes a while. */
    static void prepare() {
        Libc.prepare();
    }

    /**
     * Binds sockets among which the kernel shares out the clients.
     *
     * @param address an address of this machine or a wildcard, and a port, not 0
     * @param count how many
     * @return a loop for each
     * @throws BindException if the address cannot be bound, or another program has it and one of the two does not share
     * @throws IOException if the system or the JDK does not let us
     */
    static List<UdpLoop> bind(InetSocketAddress address, int count, Serving serving, PortSharing sharing)
            throws IOException {
        List<UdpLoop> loops = new ArrayList<>();
        try {
            for (int i = 1; i <= count; i++) {
                loops.add(new BatchedUdpListener(
                        address, i, i == 1 ? sharing.ofFirst(count) : PortSharing.JOIN, serving));
            }
            return loops;
        } catch (IOException | RuntimeException failed) {
            loops.forEach(Listener::abort);
            loops.forEach(Listener::run);
            throw failed;
        } catch (LinkageError refused) {
            throw new IOException("batched UDP cannot be had: " + refused, refused);
        }
    }
}
