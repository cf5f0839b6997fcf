/**
 * Forwards questions that this server does not answer itself to other servers.
 *
 * <pre>{@code
 * SimpleResolver upstream = new SimpleResolver("192.0.2.53");
 * upstream.setTimeout(Duration.ofSeconds(2));
 * DnsResolver resolver = ResolverChain.of(zone).withUpstream(ForwardingResolver.over(upstream));
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.upstream.Forwarder}, an extension point; {@link io.k8sdns.upstream.ForwardingResolver} wraps it as
 * a resolver. {@link io.k8sdns.upstream.StaticHosts} answers for names with fixed addresses before it. This package opens no socket and
 * caches no answer.
 *
 * <p>{@link io.k8sdns.upstream.Deadline} limits the duration of an answer, with all its aliases.
 *
 * <p>{@link io.k8sdns.resolver.ResolverChain} forwards names outside the served zones, and targets of aliases that lie there.
 */
@NullMarked
package io.k8sdns.upstream;

import org.jspecify.annotations.NullMarked;
