package io.k8sdns.etcd;

/**
 * Sends requests to the members of an etcd cluster. Never blocks. Replies arrive on the thread of the state machines, possibly before
 * the method returns, and never after {@code cancel}.
 */
interface EtcdTransport {
    /**
     * Sends one request.
     *
     * @param endpoint the index of the member
     * @param token the response to {@link EtcdRequest.Authenticate}; empty without authentication
     */
    <R> Call send(int endpoint, String token, EtcdRequest<R> request, ResponseHandler<R> handler);

    /** Opens a watch; {@code endpoint} and {@code token} as for {@link #send}. */
    Call watch(int endpoint, String token, WatchRequest request, WatchReader reader);

    /** A request or watch in progress. */
    interface Call {
        /** Cancels the request or watch. */
        void cancel();
    }

    /** Receives the result of a request: exactly one of the methods is called, once. */
    interface ResponseHandler<R> {
        void received(R response);

        void failed(EtcdFailure failure);
    }

    /** Receives the messages of a watch. */
    interface WatchReader {
        void message(WatchMessage message);

        /** Reports the end of the watch: the last call, once. */
        void failed(EtcdFailure failure);
    }
}
