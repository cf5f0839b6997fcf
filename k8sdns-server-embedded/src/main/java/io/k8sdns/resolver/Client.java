package io.k8sdns.resolver;

import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;

/**
 * Who asks, as far as the host knows; nobody guesses from an address.
 *
 * @param address the asker's address and port
 * @param transport how the question came
 * @param responseLimit the most octets of a response that reaches the asker, at least 512; a resolver may leave out of the
 *     additional section what no such response can hold
 */
public record Client(Optional<InetSocketAddress> address, Transport transport, int responseLimit) {
    /** The most octets of any message. */
    private static final int MOST_OCTETS = 65_535;

    /** Nobody in particular: a question asked in process. */
    public static final Client IN_PROCESS = new Client(Optional.empty(), Transport.TCP);

    /** Makes an asker who takes whatever a message holds. */
    public Client(Optional<InetSocketAddress> address, Transport transport) {
        this(address, transport, MOST_OCTETS);
    }

    /** Returns someone who asked in a datagram. */
    public static Client udp(InetSocketAddress address) {
        return new Client(Optional.of(Objects.requireNonNull(address, "address")), Transport.UDP);
    }

    /** Returns someone who asked over a connection. */
    public static Client tcp(InetSocketAddress address) {
        return new Client(Optional.of(Objects.requireNonNull(address, "address")), Transport.TCP);
    }

    /** Returns the same asker, who takes responses of no more octets than this. */
    public Client withResponseLimit(int octets) {
        return octets == responseLimit ? this : new Client(address, transport, octets);
    }

    /** How messages travel. */
    public enum Transport {
        /** In datagrams, whose size is limited. */
        UDP,
        /** In a stream, or anything else that carries 65,535 octets. */
        TCP
    }

    /**
     * Checks that nothing is null.
     *
     * @throws IllegalArgumentException if the limit is below 512 octets, which every asker takes, or above 65,535
     */
    public Client {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(transport, "transport");
        if (responseLimit < 512 || responseLimit > MOST_OCTETS) {
            throw new IllegalArgumentException("not a size of responses (512 to 65535): " + responseLimit);
        }
    }
}
