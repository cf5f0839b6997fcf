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
 * Forwards questions to other servers. An extension point: a {@link ForwardingResolver} wraps it, and {@link
 * io.k8sdns.resolver.ResolverChain} uses that for names that this server does not serve.
 *
 * <p>Unlike a resolver, a forwarder may fail: if it throws, or its stage completes exceptionally, the answer is SERVFAIL with an
 * extended error, {@link io.k8sdns.resolver.ExtendedError#NETWORK_ERROR} for an {@link java.io.IOException} and
 * {@link io.k8sdns.resolver.ExtendedError#NO_REACHABLE_AUTHORITY} for anything else. An answer with RCODE SERVFAIL or
 * REFUSED is not a failure: the client receives it.
 */
@FunctionalInterface
public interface Forwarder {
    /**
     * Forwards a question.
     *
     * @param question the question; its class is IN
     * @param client the client of the question
     * @return completes with the answer, on any thread. TTLs are the remaining ones. AA is ignored: the response never has it. The
     *     {@link ForwardingResolver} cancels the stage at its deadline and ignores a later result
     */
    CompletionStage<Answer> forward(Question question, Client client);

    /**
     * Returns a forwarder that uses a dnsjava resolver, which handles threads, timeouts and truncated answers.
     */
    static Forwarder over(Resolver resolver) {
        Objects.requireNonNull(resolver, "resolver");
        return (question, client) -> resolver.sendAsync(Message.newQuery(
                        Record.newRecord(question.name(), question.type().number(), question.dnsClass())))
                .thenApply(Answer::of);
    }
}
