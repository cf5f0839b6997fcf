/**
 * Resolvers: functions from questions to answers, both immutable values.
 *
 * <pre>{@code
 * ResolverChain chain = ResolverChain.of(zone);
 * DnsResolver blocking = (question, client) -> question.name().toString().startsWith("blocked.")
 *         ? new Resolution.Ready(Answer.failure(Rcode.REFUSED))
 *         : chain.resolve(question, client);
 * DnsResolver hiding = (question, client) -> blocking.resolve(question, client)
 *         .map(answer -> answer.rcode() == Rcode.NXDOMAIN ? Answer.failure(Rcode.REFUSED) : answer);
 * Question cart = Question.of(Name.fromConstantString("cart.shop.svc.cluster.local."), A);
 * hiding.resolve(cart, Client.IN_PROCESS).deliver(answers::add);
 * }</pre>
 *
 * <p>{@code blocking} is a filter before a resolver, {@code hiding} one after it. {@link io.k8sdns.upstream.StaticHosts} adds names
 * with fixed addresses.
 *
 * <p>Start with {@link io.k8sdns.resolver.DnsResolver}, the extension point, and {@link io.k8sdns.resolver.ResolverChain}, which
 * answers from zones and follows aliases. Each resolver answers every question, so resolvers can be composed.
 *
 * <p>Package {@link io.k8sdns.wire} encodes and decodes messages; package {@link io.k8sdns.zone} looks up records.
 */
@NullMarked
package io.k8sdns.resolver;

import org.jspecify.annotations.NullMarked;
