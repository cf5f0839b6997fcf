/**
 * Other DNS servers: how a question is sent to them, and for how long their answers are kept.
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
 * io.k8sdns.forward.AnswerCache}, which keeps their answers. Both are {@link io.k8sdns.upstream.Forwarder}s; {@link
 * io.k8sdns.upstream.ForwardingResolver} makes a resolver of them. {@link io.k8sdns.forward.LoopProbe} finds servers that forward to
 * this one. Names of the cluster never come here: {@link io.k8sdns.resolver.ResolverChain} answers them.
 */
@NullMarked
package io.k8sdns.forward;

import org.jspecify.annotations.NullMarked;
