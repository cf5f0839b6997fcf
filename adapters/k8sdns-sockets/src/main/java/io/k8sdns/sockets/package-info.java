/**
 * UDP and TCP on the channels of the JDK.
 *
 * <p>Start with {@link io.k8sdns.sockets.DnsServer}, which puts a {@link io.k8sdns.wire.DnsResponder} on a socket.
 *
 * <p>What is answered is the responder's to say.
 */
@NullMarked
package io.k8sdns.sockets;

import org.jspecify.annotations.NullMarked;
