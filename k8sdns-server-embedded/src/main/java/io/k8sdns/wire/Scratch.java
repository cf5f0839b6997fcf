package io.k8sdns.wire;

import io.k8sdns.records.StoredName;
import java.nio.ByteBuffer;

/**
 * What one thread needs to answer without allocating: the query's octets, the response's, and where labels begin.
 *
 * <p>For one message at a time. A transport keeps one per thread; see {@link DnsResponder#respond(ByteBuffer,
 * io.k8sdns.resolver.Client, Scratch, DnsResponder.Sink)}.
 */
public final class Scratch {
    /** Longer queries are read on the plain road: a question and an OPT record are at most 302 octets without options. */
    static final int LONGEST_QUERY = 512;

    private static final int LEAST_RESPONSE = 2_048;

    final byte[] query = new byte[LONGEST_QUERY];

    /** Where each label of the question's name begins in {@link #query}. */
    final int[] labels = new int[128];

    /** What is found at the name. */
    final StoredName found = new StoredName();

    /** How many labels there are. */
    int count;

    /** Where the question's root label is. */
    int root;

    /** Where the name of the zone begins. */
    int apex;

    /** How many octets the response may have before its OPT record. */
    int room;

    /** Whether nothing larger than this response can be had another way. */
    boolean overTcp;

    byte[] response = new byte[LEAST_RESPONSE];

    private ByteBuffer view = ByteBuffer.wrap(response);

    /** Makes working memory, 3 kilobytes of it; it grows with the responses. */
    public Scratch() {}

    /** Makes room for a response of this many octets. */
    byte[] response(int octets) {
        if (octets > response.length) {
            response = new byte[Math.max(octets, Math.min(2 * response.length, MessageWriter.MOST_OCTETS))];
            view = ByteBuffer.wrap(response);
        }
        return response;
    }

    /** The response has this many octets. */
    void hold(int length) {
        view.clear().limit(length);
    }

    /**
     * Returns the response that {@link DnsResponder#respondAtOnce} has made, from position to limit: a view of this
     * memory, and the next message's when that is answered.
     */
    public ByteBuffer response() {
        return view;
    }
}
