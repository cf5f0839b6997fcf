/**
 * Messages: bytes in, bytes out, for any transport.
 *
 * <p>Start with {@link io.k8sdns.wire.DnsResponder}. It opens no socket and starts no thread.
 *
 * <p>What to answer is {@link io.k8sdns.resolver}'s to say.
 */
@NullMarked
package io.k8sdns.wire;

import org.jspecify.annotations.NullMarked;
