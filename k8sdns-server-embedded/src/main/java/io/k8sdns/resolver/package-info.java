/**
 * Resolvers: functions from questions to answers, both immutable values.
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
 * <p>Start with {@link io.k8sdns.resolver.DnsResolver}, the extension point, and {@link io.k8sdns.resolver.ResolverChain}, which
 * answers from zones and follows aliases. Each resolver answers every question, so resolvers can be composed.
 *
 * <p>Package {@link io.k8sdns.wire} encodes and decodes messages; package {@link io.k8sdns.zone} looks up records.
 */
@NullMarked
package io.k8sdns.resolver;

import org.jspecify.annotations.NullMarked;
