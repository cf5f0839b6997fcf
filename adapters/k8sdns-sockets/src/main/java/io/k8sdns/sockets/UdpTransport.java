package io.k8sdns.sockets;

import io.k8sdns.model.Internal;
import java.util.Objects;
import java.util.Optional;

/**
 * How a running {@link DnsServer} receives and sends datagrams.
 *
 * @param mode {@link UdpMode#BATCHED} or {@link UdpMode#PLAIN}
 * @param missing the reason why {@link UdpMode#AUTO} chose {@link UdpMode#PLAIN}; empty if it did not
 * @param threads the number of threads that answer, on all addresses together
 * @param receiveBufferBytes the buffer that the kernel has granted to each socket, which may be less than
 *     {@link ServerLimits#udpReceiveBufferBytes()}
 */
public record UdpTransport(UdpMode mode, Optional<String> missing, int threads, int receiveBufferBytes) {
    /** Checks that nothing is null. */
    @Internal
    public UdpTransport {
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(missing, "missing");
    }
}
