package io.k8sdns.resolver;

/**
 * Receives the causes of failed answers, for logs. An extension point: {@link io.k8sdns.wire.DnsResponder.Builder#failures}
 * and {@link io.k8sdns.upstream.ForwardingResolver} take one.
 *
 * <p>The client receives SERVFAIL without the cause. Each failure is reported once, before its response is sent, on the thread
 * that answers, which waits for the call: implementations return quickly, do not block, and limit their logging, because every
 * question may fail. Exceptions of an implementation are ignored.
 */
@FunctionalInterface
public interface FailureObserver {
    /** Ignores failures. */
    FailureObserver NONE = (question, failure) -> {};

    /**
     * Reports a question that could not be answered.
     *
     * @param question the question; for a {@link io.k8sdns.upstream.ForwardingResolver} the forwarded one, which may be
     *     about an alias's target
     * @param failure the cause, without the {@link java.util.concurrent.CompletionException} of a stage; may be an
     *     {@link Error}
     */
    void failed(Question question, Throwable failure);
}
