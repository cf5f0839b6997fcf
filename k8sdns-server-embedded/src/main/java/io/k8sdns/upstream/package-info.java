/**
 * Names that are not ours: how a host lends us its way to other servers.
 *
 * <pre>{@code
 * SimpleResolver upstream = new SimpleResolver("192.0.2.53");
 * upstream.setTimeout(Duration.ofSeconds(2));
 * DnsResolver resolver = ResolverChain.of(zone).withUpstream(ForwardingResolver.over(upstream));
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.upstream.Forwarder}, an extension point;
 * {@link io.k8sdns.upstream.ForwardingResolver} makes it a resolver. Nothing here opens a socket or keeps an answer.
 *
 * <p>Asked by {@link io.k8sdns.resolver.ResolverChain} for names in none of our zones, and for what an alias of ours
 * points to.
 */
@NullMarked
package io.k8sdns.upstream;

import org.jspecify.annotations.NullMarked;
