package io.k8sdns.sockets;

import java.util.Optional;

/**
 * How a running {@link DnsServer} does UDP.
 *
 * @param mode {@link UdpMode#BATCHED} or {@link UdpMode#PLAIN}
 * @param missing what {@link UdpMode#AUTO} missed for batches; empty if nothing, or if it was told what to take
 * @param threads threads that answer, at all addresses together
 * @param receiveBufferOctets what the kernel has granted for the queue of each socket, which may be less than
 *     {@link ServerLimits#udpReceiveBufferOctets()} asks for
 */
public record UdpTransport(UdpMode mode, Optional<String> missing, int threads, int receiveBufferOctets) {}
