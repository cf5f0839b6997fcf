package io.k8sdns.wire;

import io.k8sdns.resolver.Client;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.xbill.DNS.Message;

/** The outcome of one message: records the calls of its sink. */
final class Exchange implements DnsResponder.Sink {
    static final Client UDP = Client.builder(Client.Transport.UDP).build();
    static final Client TCP = Client.builder(Client.Transport.TCP).build();

    private final List<byte[]> responses = new ArrayList<>();
    private int drops;

    static Exchange of(DnsResponder responder, Client client, byte[] query) {
        Exchange exchange = new Exchange();
        responder.respond(ByteBuffer.wrap(query), client, exchange);
        return exchange;
    }

    @Override
    public void response(ByteBuffer response) {
        byte[] bytes = new byte[response.remaining()];
        response.get(bytes);
        responses.add(bytes);
    }

    @Override
    public void drop() {
        drops++;
    }

    int outcomes() {
        return responses.size() + drops;
    }

    boolean isDropped() {
        return drops == 1 && responses.isEmpty();
    }

    byte[] bytes() {
        if (responses.size() != 1 || drops != 0) {
            throw new AssertionError(responses.size() + " responses, dropped " + drops + " times");
        }
        return responses.get(0);
    }

    String hex() {
        return HexFormat.ofDelimiter(" ").formatHex(bytes());
    }

    int flags() {
        return (bytes()[2] & 0xFF) << 8 | bytes()[3] & 0xFF;
    }

    /** Returns the response as dnsjava reads it; fails if dnsjava does not read all bytes. */
    Message message() {
        try {
            Message message = new Message(bytes());
            if (message.numBytes() != bytes().length) {
                throw new AssertionError("bytes after the last record: " + hex());
            }
            return message;
        } catch (IOException malformed) {
            throw new AssertionError("not a message: " + hex(), malformed);
        }
    }
}
