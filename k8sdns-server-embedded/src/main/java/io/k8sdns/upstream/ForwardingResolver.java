package io.k8sdns.upstream;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.Resolver;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Rcode;

/** Answers what a {@link Forwarder} brings; a failure is SERVFAIL with an extended error. Never authoritative. */
public final class ForwardingResolver implements Resolver {
    private final Forwarder forwarder;

    /** Makes the resolver that asks this forwarder. */
    public ForwardingResolver(Forwarder forwarder) {
        this.forwarder = Objects.requireNonNull(forwarder, "forwarder");
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        CompletionStage<Answer> stage;
        try {
            stage = forwarder.forward(question, client);
        } catch (RuntimeException failed) {
            return new Resolution.Ready(failure(question, failed));
        }
        return new Resolution.Pending(stage.handle((answer, failed) -> answered(question, answer, failed)));
    }

    private static Answer answered(Question question, @Nullable Answer answer, @Nullable Throwable failed) {
        if (answer == null) {
            return failure(question, failed);
        }
        return new Answer(
                answer.rcode(), false, true, answer.answer(), answer.authority(), answer.additional(), answer.error());
    }

    private static Answer failure(Question question, @Nullable Throwable failed) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        int code = cause instanceof IOException ? ExtendedError.NETWORK_ERROR : ExtendedError.NO_REACHABLE_AUTHORITY;
        return Answer.failure(
                Rcode.SERVFAIL, Optional.of(new ExtendedError(code, question.name() + " could not be forwarded")));
    }
}
