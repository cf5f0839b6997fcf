package io.k8sdns.resolver;

/**
 * Answers questions. An extension point: hosts put their own beside ours.
 *
 * <p>Total: a question that is not this resolver's is REFUSED, a failure is SERVFAIL; nothing is thrown. If a resolver
 * throws nevertheless, {@link io.k8sdns.wire.DnsResponder} answers SERVFAIL and reports the cause.
 */
@FunctionalInterface
public interface DnsResolver {
    /** Answers a question, now or later. */
    Resolution resolve(Question question, Client client);
}
