package io.k8sdns.resolver;

import java.util.Optional;

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
 * }
 * }</pre>
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
}
