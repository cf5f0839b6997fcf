/**
 * Forwards questions to other DNS servers and caches their answers.
 *
 * <pre>{@code
 * UpstreamForwarder forwarder = UpstreamForwarder.start(
 *         UpstreamZone.of(".", "192.0.2.53", "192.0.2.54"), UpstreamZone.of("corp.example", upstreamAddress));
 * AnswerCache cache =
 *         AnswerCache.builder(forwarder).capacityBytes(64L << 20).build();
 * DnsResolver resolver = ResolverChain.of(zone)
 *         .withUpstream(ForwardingResolver.builder(cache).build());
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.forward.UpstreamForwarder}, which sends questions to servers, and {@link
 * io.k8sdns.forward.AnswerCache}, which caches their answers. Both are {@link io.k8sdns.upstream.Forwarder}s; {@link
 * io.k8sdns.upstream.ForwardingResolver} wraps them as a resolver. {@link io.k8sdns.forward.LoopProbe} finds servers that forward back
 * to this one. {@link io.k8sdns.resolver.ResolverChain} answers names of the cluster itself, so that this package never receives them.
 */
@NullMarked
package io.k8sdns.forward;

import org.jspecify.annotations.NullMarked;
