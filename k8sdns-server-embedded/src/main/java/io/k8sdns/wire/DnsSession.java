package io.k8sdns.wire;

import io.k8sdns.resolver.Client;
import io.k8sdns.rules.StoredName;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Answers the messages of one thread, one after another. A session owns the buffers for query and response, so that the fast
 * path allocates nothing. Not thread-safe; created by {@link DnsResponder#session()}.
 *
 * <pre>{@code
 * DnsSession session = responder.session();
 * if (session.answer(query, Client.Transport.UDP)) {
 *     send(session.response());
 * } else {
 *     session.respond(Client.udp(address), response -> send(response));
 * }
 * }</pre>
 *
 * <p>Each message is parsed once: {@link #respond(Client, DnsResponder.Sink)} continues with the message that {@link #answer}
 * has read. {@link #respond(ByteBuffer, Client, DnsResponder.Sink)} does both in one call, for transports that create a {@link
 * Client} for every message.
 */
public final class DnsSession {
    private static final int INITIAL_RESPONSE_BYTES = 2_048;

    private final DnsResponder responder;

    final QueryReader query = new QueryReader();

    /** Whether the message gets a response. */
    boolean isQuery;

    /** Whether the fast path has been tried for this message with the direct answers of the resolver. */
    boolean isTried;

    /** The result of {@link ResponseObserver#received} for this message. */
    long received;

    /** The observer of this message's response; null if responses are not observed, or the message gets none. */
    @Nullable
    ResponseObserver observer;

    /** The exception of the fast path; null if it has not failed. */
    @Nullable
    Throwable failure;

    Client.Transport transport = Client.Transport.UDP;

    /** The cursor over the data of the question's name. */
    final StoredName found = new StoredName();

    /** The cursor over the data of the target of an SRV record. */
    final StoredName target = new StoredName();

    /** The offset of the zone's name in the message. */
    int apex;

    /** QR, AA and RA of the response. */
    int flags;

    /** The largest size of the response without its OPT record, in bytes. */
    int room;

    byte[] response = new byte[INITIAL_RESPONSE_BYTES];

    /** The order of shuffled addresses. */
    private int[] indexes = {};

    private ByteBuffer view = ByteBuffer.wrap(response);

    DnsSession(DnsResponder responder) {
        this.responder = responder;
    }

    /**
     * Answers a message if a lookup in a zone's revision is enough and every client gets the same answer.
     *
     * @param message the message, from position to limit; not changed, and not read after this method has returned
     * @param from the transport of the message, which limits the length of the response
     * @return whether {@link #response()} is the response; if not, call {@link #respond(Client, DnsResponder.Sink)}
     */
    public boolean answer(ByteBuffer message, Client.Transport from) {
        return responder.answer(this, message, from);
    }

    /**
     * Answers the message for which {@link #answer} has returned false.
     *
     * @param client the client
     * @param sink called exactly once: with the response, before this method returns if the answer is ready; or with {@link
     *     DnsResponder.Sink#drop} if the message gets no response
     */
    public void respond(Client client, DnsResponder.Sink sink) {
        responder.respond(this, client, sink);
    }

    /**
     * Answers a message.
     *
     * @param message the message, from position to limit; not changed, and not read after this method has returned
     * @param client the client
     * @param sink as for {@link #respond(Client, DnsResponder.Sink)}
     */
    public void respond(ByteBuffer message, Client client, DnsResponder.Sink sink) {
        if (answer(message, client.transport())) {
            sink.response(view);
        } else {
            respond(client, sink);
        }
    }

    /**
     * Returns the response that {@link #answer} has written, from position to limit: a view of this session's buffer, which the
     * next message overwrites.
     */
    public ByteBuffer response() {
        return view;
    }

    /** Returns the responder that created this session. */
    public DnsResponder responder() {
        return responder;
    }

    /** Returns the response buffer, enlarged to at least this many bytes. */
    byte[] response(int bytes) {
        if (bytes > response.length) {
            response = new byte[Math.max(bytes, Math.min(2 * response.length, MessageWriter.MAX_MESSAGE_BYTES))];
            view = ByteBuffer.wrap(response);
        }
        return response;
    }

    /** Returns an array of at least this length, which the next message overwrites. */
    int[] indexes(int count) {
        if (count > indexes.length) {
            indexes = new int[count];
        }
        return indexes;
    }

    /** Sets the length of the response in bytes. */
    void hold(int length) {
        view.clear().limit(length);
    }
}
