package io.k8sdns.resolver;

import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;

/**
 * Who asks, as far as the host knows; nobody guesses from an address.
 *
 * @param address the asker's address and port
 * @param transport how the question came
 */
public record Client(Optional<InetSocketAddress> address, Transport transport) {
    /** Nobody in particular: a question asked in process. */
    public static final Client IN_PROCESS = new Client(Optional.empty(), Transport.TCP);

    /** Returns someone who asked in a datagram. */
    public static Client udp(InetSocketAddress address) {
        return new Client(Optional.of(address), Transport.UDP);
    }

    /** Returns someone who asked over a connection. */
    public static Client tcp(InetSocketAddress address) {
        return new Client(Optional.of(address), Transport.TCP);
    }

    /** How messages travel. */
    public enum Transport {
        /** In datagrams, whose size is limited. */
        UDP,
        /** In a stream, or anything else that carries 65,535 octets. */
        TCP
    }

    /** Checks that nothing is null. */
    public Client {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(transport, "transport");
    }
}
