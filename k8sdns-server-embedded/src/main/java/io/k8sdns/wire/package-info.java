/**
 * Decodes queries and encodes responses, for any transport: bytes in, bytes out.
 *
 * <pre>{@code
 * DnsResponder responder = DnsResponder.builder(ResolverChain.of(zone)).build();
 * DnsSession session = responder.session(); // for one thread
 * session.respond(query, client, response -> transport.response(response));
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.wire.DnsResponder}. It opens no socket and starts no thread.
 *
 * <p>Package {@link io.k8sdns.resolver} decides the answers.
 */
@NullMarked
package io.k8sdns.wire;

import org.jspecify.annotations.NullMarked;
