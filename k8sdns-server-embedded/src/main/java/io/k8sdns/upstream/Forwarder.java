package io.k8sdns.upstream;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.xbill.DNS.Message;
import org.xbill.DNS.Record;
import org.xbill.DNS.Resolver;

/**
 * Asks other servers. An extension point: a host puts one behind a {@link ForwardingResolver} and hands that to
 * {@link io.k8sdns.resolver.ResolverChain} for the names that are not ours.
 *
 * <p>A forwarder may fail, unlike a resolver: what it throws, or completes with exceptionally, becomes SERVFAIL with an
 * extended error, {@link io.k8sdns.resolver.ExtendedError#NETWORK_ERROR} for an {@link java.io.IOException} and
 * {@link io.k8sdns.resolver.ExtendedError#NO_REACHABLE_AUTHORITY} for anything else. An answer with RCODE SERVFAIL or
 * REFUSED is no failure: it is handed on.
 */
@FunctionalInterface
public interface Forwarder {
    /**
     * Asks.
     *
     * @param question the question; its class is IN
     * @param client the client that asked us
     * @return completes with the answer, on any thread; TTLs are what is left of them. AA does not matter: our response
     *     never has it. After the deadline of the {@link ForwardingResolver} the stage is cancelled, and what it completes
     *     with is ignored
     */
    CompletionStage<Answer> forward(Question question, Client client);

    /**
     * Returns a forwarder that asks a resolver of dnsjava's. Threads, timeouts and truncated answers are that resolver's
     * matter.
     */
    static Forwarder over(Resolver resolver) {
        Objects.requireNonNull(resolver, "resolver");
        return (question, client) -> resolver.sendAsync(Message.newQuery(
                        Record.newRecord(question.name(), question.type().number(), question.dnsClass())))
                .thenApply(Answer::of);
    }
}
