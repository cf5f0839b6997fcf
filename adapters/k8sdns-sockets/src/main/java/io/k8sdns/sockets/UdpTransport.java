package io.k8sdns.sockets;

/**
 * How a running {@link DnsServer} does UDP.
 *
 * @param threads threads that answer, at all addresses together
 * @param receiveBufferOctets what the kernel has granted for the queue of each socket, which may be less than
 *     {@link ServerLimits#udpReceiveBufferOctets()} asks for
 */
public record UdpTransport(int threads, int receiveBufferOctets) {}
