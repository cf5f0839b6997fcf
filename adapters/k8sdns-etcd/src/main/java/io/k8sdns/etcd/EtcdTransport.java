package io.k8sdns.etcd;

/**
 * Sends requests to the members of an etcd cluster. Nothing blocks: replies come before the method returns or later, on the thread
 * of the state machines, and none after a {@code cancel}.
 */
interface EtcdTransport {
    /**
     * Sends one request.
     *
     * @param endpoint the index of the member
     * @param token what {@link EtcdRequest.Authenticate} returned; empty without authentication
     */
    <R> Call send(int endpoint, String token, EtcdRequest<R> request, Reply<R> reply);

    /** Opens a watch; {@code endpoint} and {@code token} as for {@link #send}. */
    Call watch(int endpoint, String token, WatchRequest request, WatchReader reader);

    /** A request under way. */
    interface Call {
        /** Ends it. */
        void cancel();
    }

    /** Receives the response to a request: one call of one method. */
    interface Reply<R> {
        void received(R response);

        void failed(EtcdFailure failure);
    }

    /** Receives the messages of a watch. */
    interface WatchReader {
        void message(WatchMessage message);

        /** The watch has ended; comes last, and once. */
        void failed(EtcdFailure failure);
    }
}
