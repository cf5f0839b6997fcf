package io.k8sdns.clientjava;

import io.k8sdns.json.ApiReader;
import java.time.Duration;
import java.util.Optional;

/**
 * The requests by which one kind of object is followed. Nothing blocks: what comes is told to a reader, before the
 * method returns or later, one call at a time, on the thread of the {@link ListWatch}; nothing after a {@code cancel}.
 */
interface KindApi {
    /**
     * Asks for the objects, a page at a time.
     *
     * @param continuation what the page before said; empty for the first
     */
    Call list(Optional<String> continuation, ListReader reader);

    /**
     * Asks for the changes since a version.
     *
     * @param version the version that is known
     * @param timeout after which the server is to end the answer
     */
    Call watch(String version, Duration timeout, WatchReader reader);

    /** Asks for as little as can be of what {@link #list} asks for: for its version. */
    Call glance(GlanceReader reader);

    /** A request under way. */
    interface Call {
        /** Ends it; nothing is told any more. */
        void cancel();
    }

    /** Takes a page of a list. {@link #end} or {@link #failed} comes last, and once. */
    interface ListReader {
        /** One object of the page. */
        void object(ApiReader.Item object);

        /**
         * The page is whole.
         *
         * @param version the version of the list, from which changes can be watched
         * @param continuation asks for the next page; empty if this is the last one
         */
        void end(String version, Optional<String> continuation);

        /** The page is not whole. */
        void failed(ApiFailure failure);
    }

    /** Takes a version. {@link #version} or {@link #failed} comes, and once. */
    interface GlanceReader {
        /** The version that a list has now. */
        void version(String version);

        /** It is not known. */
        void failed(ApiFailure failure);
    }

    /** Takes changes. {@link #ended} or {@link #failed} comes last, and once. */
    interface WatchReader {
        /** The server has accepted the request; comes first. */
        void opened();

        /** An object was added or changed. */
        void put(ApiReader.Item object);

        /** An object was deleted, or does not match the selector any more. */
        void deleted(ApiReader.Item object);

        /** Nothing has changed up to this version. */
        void bookmark(String version);

        /** The server has ended the answer, as it was asked to. */
        void ended();

        /** The answer ended otherwise. */
        void failed(ApiFailure failure);
    }
}
