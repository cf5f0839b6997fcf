package io.k8sdns.resolver;

/**
 * Receives the causes of failed answers, for logs. An extension point: {@link io.k8sdns.wire.DnsResponder.Builder#failures}
 * and {@link io.k8sdns.upstream.ForwardingResolver} take one.
 *
 * <p>The client receives SERVFAIL, which does not say why. Each failure is reported once, before its response is sent, on
 * the thread that answers, which waits for the call: implementations return soon, do not block, and limit what they log,
 * since a failure may come with each question. Whatever an implementation throws is ignored.
 */
@FunctionalInterface
public interface FailureObserver {
    /** Ignores failures. */
    FailureObserver NONE = (question, failure) -> {};

    /**
     * A question could not be answered.
     *
     * @param question the question; for a {@link io.k8sdns.upstream.ForwardingResolver} the one that was forwarded, which
     *     may be about an alias's target
     * @param failure the cause, without the {@link java.util.concurrent.CompletionException} of a stage; may be an
     *     {@link Error}
     */
    void failed(Question question, Throwable failure);
}
