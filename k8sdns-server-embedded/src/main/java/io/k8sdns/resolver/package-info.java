/**
 * Questions to answers, as functions over values.
 *
 * <pre>{@code
 * ResolverChain chain = ResolverChain.of(zone);
 * DnsResolver blocking = (question, client) -> question.name().toString().startsWith("blocked.")
 *         ? new Resolution.Ready(Answer.failure(Rcode.REFUSED))
 *         : chain.resolve(question, client);
 * Question cart = Question.of(Name.fromConstantString("cart.shop.svc.cluster.local."), A);
 * blocking.resolve(cart, Client.IN_PROCESS).deliver(answers::add);
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.resolver.DnsResolver}, the one extension point, and
 * {@link io.k8sdns.resolver.ResolverChain}, which answers from zones and follows aliases. Resolvers compose; each of them answers
 * every question.
 *
 * <p>It knows no bytes ({@link io.k8sdns.wire} does) and derives no record ({@link io.k8sdns.zone} looks them up).
 */
@NullMarked
package io.k8sdns.resolver;

import org.jspecify.annotations.NullMarked;
