/**
 * Messages: bytes in, bytes out, for any transport.
 *
 * <pre>{@code
 * DnsResponder responder = DnsResponder.builder(ResolverChain.of(zone)).build();
 * DnsSession session = responder.session(); // for one thread
 * session.respond(query, client, response -> transport.response(response));
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.wire.DnsResponder}. It opens no socket and starts no thread.
 *
 * <p>What to answer is {@link io.k8sdns.resolver}'s to say.
 */
@NullMarked
package io.k8sdns.wire;

import org.jspecify.annotations.NullMarked;
