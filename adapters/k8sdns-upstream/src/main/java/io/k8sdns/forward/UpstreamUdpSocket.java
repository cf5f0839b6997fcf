package io.k8sdns.forward;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A socket that is connected to one server, at a port that the kernel has drawn. The kernel drops datagrams of anyone else.
 *
 * <p>It is given up after some hundred queries, or after a few datagrams that answer none of them: an attacker may have found the
 * port and be guessing ids (RFC 5452, 9.2).
 */
final class UpstreamUdpSocket implements IoLoop.Handler {
    private static final int MOST_QUERIES = 500;
    private static final int MOST_UNEXPECTED = 10;

    /** How many datagrams are received before other channels have their turn. */
    private static final int DATAGRAMS_A_TURN = 64;

    private final DatagramChannel channel;
    private final SelectionKey key;
    private final ByteBuffer received;
    private final Map<Integer, Attempt> pending = new HashMap<>();
    private int queries;
    private int unexpected;
    private boolean retired;

    /** Opens a socket to a server. */
    UpstreamUdpSocket(IoLoop loop, InetSocketAddress server, ByteBuffer received) throws IOException {
        this.received = received;
        boolean ipv4 = server.getAddress() instanceof Inet4Address;
        this.channel = DatagramChannel.open(ipv4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        try {
            channel.connect(server);
            this.key = loop.register(channel, SelectionKey.OP_READ, this);
        } catch (IOException failed) {
            channel.close();
            throw failed;
        }
    }

    boolean isRetired() {
        return retired;
    }

    boolean isPending(int id) {
        return pending.containsKey(id);
    }

    /** Sends a query; its response, or the failure, goes to the attempt. */
    void send(Attempt attempt) throws IOException {
        pending.put(attempt.id(), attempt);
        if (channel.write(ByteBuffer.wrap(attempt.message())) == 0) {
            // The send buffer is full: like a datagram that the network lost.
            return;
        }
        if (++queries >= MOST_QUERIES) {
            retired = true;
        }
    }

    /** No response is expected any more. */
    void forget(Attempt attempt) {
        pending.remove(attempt.id(), attempt);
        closeIfDone();
    }

    @Override
    public void ready(SelectionKey selected) throws IOException {
        for (int turn = 0; turn < DATAGRAMS_A_TURN && channel.isOpen(); turn++) {
            received.clear();
            if (channel.read(received) <= 0) {
                return;
            }
            received.flip();
            Attempt attempt = received.remaining() < UpstreamExchange.HEADER_LENGTH
                    ? null
                    : pending.get(Short.toUnsignedInt(received.getShort(0)));
            if (attempt == null || !attempt.isResponse(received)) {
                if (++unexpected >= MOST_UNEXPECTED) {
                    retired = true;
                    closeIfDone();
                }
                continue;
            }
            pending.remove(attempt.id());
            attempt.received(received);
            closeIfDone();
        }
    }

    /** Nothing listens there, or the network cannot be reached. */
    @Override
    public void failed(IOException failure) {
        retired = true;
        List<Attempt> waiting = new ArrayList<>(pending.values());
        pending.clear();
        close();
        waiting.forEach(attempt -> attempt.failed(failure));
    }

    private void closeIfDone() {
        if (retired && pending.isEmpty()) {
            close();
        }
    }

    void close() {
        retired = true;
        key.cancel();
        try {
            channel.close();
        } catch (IOException ignored) {
            // It is of no use any more.
        }
    }
}
