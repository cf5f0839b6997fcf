/**
 * DNS over UDP and TCP on the channels of the JDK, for hosts without a transport of their own.
 *
 * <pre>{@code
 * try (DnsServer server = DnsServer.start(zone, 0)) {
 *     System.out.println("dig @127.0.0.1 -p " + server.port() + " cluster.local SOA");
 * }
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.sockets.DnsServer}, which puts a {@link io.k8sdns.wire.DnsResponder} on sockets;
 * {@link io.k8sdns.sockets.ServerLimits} limits clients. {@link io.k8sdns.sockets.DnsListeners} binds addresses that do
 * not exist yet. {@link io.k8sdns.sockets.DnsClient} asks any server;
 * {@link io.k8sdns.sockets.ServerCheck} compares a server's answers with {@link io.k8sdns.verify.Expectations}.
 *
 * <pre>
 *   DnsServer --- TcpListener (one thread) ------- TcpConnection (each client)
 *             '-- UdpListener (one thread each) -- UdpSocket, one of the ReusePortSockets of its address
 *             '-- WildcardUdpListener (one thread each) -- UdpSocket (each address of the machine)
 *             '-- BatchedUdpListener (one thread each; JDK 22 or later, below src/main/java22)
 * </pre>
 *
 * <p>The server reads only the length of a DNS message, and the client only id and question: the responder decides the answer.
 * The server neither forwards nor limits rates.
 *
 * <p>Uses {@link io.k8sdns.wire} and {@code sockets.parallel}.
 */
@NullMarked
package io.k8sdns.sockets;

import org.jspecify.annotations.NullMarked;
