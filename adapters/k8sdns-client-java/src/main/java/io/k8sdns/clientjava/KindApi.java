package io.k8sdns.clientjava;

import io.k8sdns.json.ApiReader;
import java.time.Duration;
import java.util.Optional;

/**
 * The requests for the objects of one kind. No method blocks. Receivers are called on the thread of the {@link ListWatch}, one call
 * at a time, before or after the method returns, but never after {@link Call#cancel}.
 */
interface KindApi {
    /**
     * Requests a page of a list.
     *
     * @param continuation the token of the page before; empty for the first page
     */
    Call list(Optional<String> continuation, ListReceiver receiver);

    /**
     * Requests the changes since a version.
     *
     * @param version the last known version
     * @param timeout after which the server is asked to end the response
     */
    Call watch(String version, Duration timeout, WatchReceiver receiver);

    /** Requests the version that a {@link #list} has now, with as few objects as possible. */
    Call probe(VersionReceiver receiver);

    /** A running request. */
    interface Call {
        /** Ends the request; its receiver is not called afterwards. */
        void cancel();
    }

    /** Receives a page of a list. {@link #end} or {@link #failed} is called last, once. */
    interface ListReceiver {
        /** Receives one object of the page. */
        void object(ApiReader.Item object);

        /**
         * Ends a complete page.
         *
         * @param version the version of the list, from which changes can be watched
         * @param continuation the token of the next page; empty if this is the last one
         */
        void end(String version, Optional<String> continuation);

        /** Ends a page that is incomplete. */
        void failed(ApiFailure failure);
    }

    /** Receives a version. {@link #version} or {@link #failed} is called, once. */
    interface VersionReceiver {
        /** Receives the version that a list has now. */
        void version(String version);

        /** Reports that the request failed. */
        void failed(ApiFailure failure);
    }

    /** Receives changes. {@link #ended} or {@link #failed} is called last, once. */
    interface WatchReceiver {
        /** Reports that the server has accepted the request; called first. */
        void opened();

        /** Receives an object that was added or changed. */
        void put(ApiReader.Item object);

        /** Receives an object that was deleted, or no longer matches the selector. */
        void deleted(ApiReader.Item object);

        /** Reports that all changes up to this version were sent. */
        void bookmark(String version);

        /** Reports that the server has ended the response properly. */
        void ended();

        /** Reports that the response ended otherwise. */
        void failed(ApiFailure failure);
    }
}
