package io.k8sdns.resolver;

import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Answers questions. An extension point: hosts can combine their own resolvers with those of this library.
 *
 * <p>A resolver answers every question: with REFUSED if it does not serve the name, with SERVFAIL if it fails. It throws nothing.
 * If a resolver throws nevertheless, {@link io.k8sdns.wire.DnsResponder} answers SERVFAIL and reports the cause.
 *
 * <p>A decorator that passes every question and answer through unchanged, for example to count them, keeps the fast path of the
 * inner resolver:
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
 * <p>A decorator that changes only some answers keeps the fast path for the others: {@link DirectAnswers#exceptMissingNames}, {@link
 * DirectAnswers#exceptMissingNamesBelow} and {@link DirectAnswers#exceptOption}.
 */
@FunctionalInterface
public interface DnsResolver {
    /** Answers a question, now or later. */
    Resolution resolve(Question question, Client client);

    /**
     * Returns direct answers that are currently valid for every client, and equal to those of {@link #resolve}. Empty by default:
     * a responder then resolves every question.
     *
     * <p>A responder calls it for every message, so it must be fast.
     */
    default Optional<DirectAnswers> direct() {
        return Optional.empty();
    }

    /**
     * Returns direct answers that are currently valid for one client. A responder calls it if {@link #direct()} is empty. By default
     * returns {@link #direct()}.
     */
    default Optional<DirectAnswers> direct(Client client) {
        return direct();
    }

    /**
     * Returns a resolver that delegates each question to the resolver of its client, for tenants that see different names.
     *
     * <pre>{@code
     * ResolverChain shop = ResolverChain.of(zone.view(Visibility.ofNamespaces(Set.of("shop"))));
     * ResolverChain nothing = ResolverChain.of(zone.view(Visibility.NOTHING));
     * DnsResolver tenants = DnsResolver.byClient(
     *         client -> client.namespace().equals(Optional.of("shop")) ? shop : nothing);
     * }</pre>
     *
     * @param resolvers returns the resolver of a client; called for every message, so it must be fast. If it throws, the answer
     *     is SERVFAIL
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
