/**
 * Expands search lists on the server: a Pod sends one query instead of one for each of its search domains.
 *
 * <pre>{@code
 * DnsResolver autopath =
 *         AutopathResolver.builder(ResolverChain.of(zone)).byName().build();
 * Question cart = Question.of(Name.fromConstantString("cart.shop.search.web.cluster.local.ap.k8s.io."), A);
 * autopath.resolve(cart, Client.IN_PROCESS).deliver(answers::add); // CNAME cart.shop.svc.cluster.local.
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.autopath.AutopathResolver}, which decorates any resolver and has three modes: a suffix of the
 * name, an EDNS option ({@link io.k8sdns.autopath.SearchPaths}), and the namespace of the client.
 *
 * <p>The search list is that of {@link io.k8sdns.name.ClusterSearches}, as in a Pod's resolv.conf. This package caches no answer.
 */
@NullMarked
package io.k8sdns.autopath;

import org.jspecify.annotations.NullMarked;
