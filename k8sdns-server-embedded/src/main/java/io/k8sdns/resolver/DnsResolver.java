package io.k8sdns.resolver;

import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Answers questions. An extension point: hosts put their own beside ours.
 *
 * <p>Total: a question that is not this resolver's is REFUSED, a failure is SERVFAIL; nothing is thrown. If a resolver
 * throws nevertheless, {@link io.k8sdns.wire.DnsResponder} answers SERVFAIL and reports the cause.
 *
 * <p>A resolver that passes every question and answer of another one on unchanged, for example to count them, keeps the other
 * one's fast path:
 *
 * <pre>{@code
 * record Counting(DnsResolver inner, LongAdder slow) implements DnsResolver {
 *     public Resolution resolve(Question question, Client client) {
 *         slow.increment();
 *         return inner.resolve(question, client);
 *     }
 *
 *     public Optional<DirectAnswers> direct() {
 *         return inner.direct(); // questions that are answered from there are not counted
 *     }
 *
 *     public Optional<DirectAnswers> direct(Client client) {
 *         return inner.direct(client);
 *     }
 * }
 * }</pre>
 *
 * <p>A resolver that changes some answers only keeps the fast path of the others: {@link DirectAnswers#exceptMissingNames}, {@link
 * DirectAnswers#exceptMissingNamesBelow} and {@link DirectAnswers#exceptOption}.
 */
@FunctionalInterface
public interface DnsResolver {
    /** Answers a question, now or later. */
    Resolution resolve(Question question, Client client);

    /**
     * Returns what a responder may answer ordinary questions from at this moment, for every client: the answers are those that
     * {@link #resolve} gives. Empty unless overridden: then every question is resolved.
     *
     * <p>Called for every message, so it must be cheap.
     */
    default Optional<DirectAnswers> direct() {
        return Optional.empty();
    }

    /**
     * Returns what a responder may answer ordinary questions of one client from at this moment; called if {@link #direct()} is
     * empty. The same for every client unless overridden.
     */
    default Optional<DirectAnswers> direct(Client client) {
        return direct();
    }

    /**
     * Returns a resolver that leaves each question to the resolver of its client, for views: tenants that see different names.
     *
     * <pre>{@code
     * ResolverChain shop = ResolverChain.of(zone.view(Visibility.ofNamespaces(Set.of("shop"))));
     * ResolverChain nothing = ResolverChain.of(zone.view(Visibility.NOTHING));
     * DnsResolver tenants = DnsResolver.byClient(
     *         client -> client.namespace().equals(Optional.of("shop")) ? shop : nothing);
     * }</pre>
     *
     * @param resolvers returns the resolver of a client; called for every message, so that it must be cheap. What it throws makes
     *     the answer SERVFAIL
     */
    static DnsResolver byClient(Function<? super Client, ? extends DnsResolver> resolvers) {
        Objects.requireNonNull(resolvers, "resolvers");
        return new DnsResolver() {
            @Override
            public Resolution resolve(Question question, Client client) {
                return resolvers.apply(client).resolve(question, client);
            }

            @Override
            public Optional<DirectAnswers> direct(Client client) {
                return resolvers.apply(client).direct(client);
            }
        };
    }
}
