package io.k8sdns.wire;

import io.k8sdns.resolver.Client;
import io.k8sdns.rules.StoredName;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Answers the messages of one thread, one after another. It owns the buffers that an answer needs, so that ordinary questions
 * about a zone are answered without allocation. Not thread-safe; made by {@link DnsResponder#session()}.
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
 * has read. {@link #respond(ByteBuffer, Client, DnsResponder.Sink)} is both in one call, for a transport that has a {@link
 * Client} for every message anyway.
 */
public final class DnsSession {
    private static final int LEAST_RESPONSE = 2_048;

    private final DnsResponder responder;

    final QueryReader query = new QueryReader();

    /** Whether the message that was read is to be answered. */
    boolean isQuery;

    /** Whether the fast path has been tried. */
    boolean isTried;

    /** What the observer returned when the message was received. */
    long received;

    /** The failure of the fast path, if it failed. */
    @Nullable
    Throwable failure;

    Client.Transport transport = Client.Transport.UDP;

    /** What is found at the name. */
    final StoredName found = new StoredName();

    /** Where the name of the zone begins. */
    int apex;

    /** QR, AA and RA of the response. */
    int flags;

    /** How many bytes the response may have before its OPT record. */
    int room;

    byte[] response = new byte[LEAST_RESPONSE];

    private ByteBuffer view = ByteBuffer.wrap(response);

    DnsSession(DnsResponder responder) {
        this.responder = responder;
    }

    /**
     * Answers a message if one lookup in a zone's revision is enough and every client gets the same answer.
     *
     * @param message the message, from position to limit; not changed, and not read after this method has returned
     * @param from how the message came, which limits the response's length
     * @return whether {@link #response()} is the response; otherwise {@link #respond(Client, DnsResponder.Sink)} is to be called
     */
    public boolean answer(ByteBuffer message, Client.Transport from) {
        return responder.answer(this, message, from);
    }

    /**
     * Answers the message that {@link #answer} has read and not answered.
     *
     * @param client the client
     * @param sink takes the response, exactly once, before this method returns if the answer is ready; or nothing, when the
     *     message is to be ignored
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
     * Returns the response that {@link #answer} has made, from position to limit: a view of this session's memory, which the
     * next message overwrites.
     */
    public ByteBuffer response() {
        return view;
    }

    /** Returns the responder whose session this is. */
    public DnsResponder responder() {
        return responder;
    }

    /** Makes room for a response of this many bytes. */
    byte[] response(int bytes) {
        if (bytes > response.length) {
            response = new byte[Math.max(bytes, Math.min(2 * response.length, MessageWriter.MOST_OCTETS))];
            view = ByteBuffer.wrap(response);
        }
        return response;
    }

    /** The response has this many bytes. */
    void hold(int length) {
        view.clear().limit(length);
    }
}
