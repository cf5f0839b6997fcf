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
 * A UDP socket connected to one server, at a random port chosen by the kernel. The kernel drops datagrams from other addresses.
 *
 * <p>A socket is retired after some hundred queries, or after a few unexpected datagrams: an attacker may have found the port and be
 * guessing message ids (RFC 5452, 9.2).
 */
final class UpstreamUdpSocket implements IoLoop.Handler {
    private static final int MAX_QUERIES = 500;
    private static final int MAX_UNEXPECTED = 10;

    /** The number of datagrams after which other channels are served. */
    private static final int DATAGRAMS_PER_TURN = 64;

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

    /** Sends a query; the attempt receives the response or the failure. */
    void send(Attempt attempt) throws IOException {
        pending.put(attempt.id(), attempt);
        if (channel.write(ByteBuffer.wrap(attempt.message())) == 0) {
            // The send buffer is full; the attempt times out, as after a loss in the network.
            return;
        }
        if (++queries >= MAX_QUERIES) {
            retired = true;
        }
    }

    /** Stops waiting for a response. */
    void forget(Attempt attempt) {
        pending.remove(attempt.id(), attempt);
        closeIfDone();
    }

    @Override
    public void ready(SelectionKey selected) throws IOException {
        for (int turn = 0; turn < DATAGRAMS_PER_TURN && channel.isOpen(); turn++) {
            received.clear();
            if (channel.read(received) <= 0) {
                return;
            }
            received.flip();
            Attempt attempt = received.remaining() < UpstreamExchange.HEADER_LENGTH
                    ? null
                    : pending.get(Short.toUnsignedInt(received.getShort(0)));
            if (attempt == null || !attempt.isResponse(received)) {
                if (++unexpected >= MAX_UNEXPECTED) {
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

    /** Fails all pending queries: the port is unreachable, or the network is. */
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
            // The socket is not used any more.
        }
    }
}
