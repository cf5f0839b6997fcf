/**
 * Names that are not ours: how a host lends us its way to other servers.
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
