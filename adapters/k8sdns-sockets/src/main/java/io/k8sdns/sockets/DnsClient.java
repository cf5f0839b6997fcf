package io.k8sdns.sockets;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;

/**
 * Sends queries to DNS servers, one after another.
 *
 * <p>Keeps one UDP socket and one TCP connection to the last server, so that many questions to one server cost only their
 * packets. Has no thread. Not thread-safe.
 */
public final class DnsClient implements AutoCloseable {
    /** The number of times that a query is sent over UDP. */
    private static final int DATAGRAMS = 3;

    private static final int RCODE_NXDOMAIN = 3;

    /** The size of a response over UDP that no network fragments. */
    private static final int UDP_PAYLOAD = 1_232;

    private final ByteBuffer received = ByteBuffer.allocate(Messages.LENGTH_BYTES + Messages.MAX_BYTES);
    private @Nullable Link<DatagramChannel> udp;
    private @Nullable Link<SocketChannel> tcp;

    /** Creates a client without sockets. */
    public DnsClient() {}

    /**
     * Sends a question over UDP, and again over TCP if the answer was truncated.
     *
     * <pre>{@code
     * try (DnsClient client = new DnsClient()) {
     *     Question question = Question.of("cart.shop.svc.cluster.local", RecordType.A);
     *     Answer answer = client.ask(question, server.address(), Duration.ofSeconds(5));
     * }
     * }</pre>
     *
     * @param question the question
     * @param server where to ask
     * @param timeout the limit for UDP, and again for TCP
     * @return the answer, whatever its status
     * @throws SocketTimeoutException if there is no response in time
     * @throws InterruptedIOException if the thread is interrupted; its interrupt status remains set
     * @throws IOException if the server cannot be reached, or its response cannot be read; the message names the server
     */
    public Answer ask(Question question, InetSocketAddress server, Duration timeout) throws IOException {
        Message query = Message.newQuery(
                Record.newRecord(question.name(), question.type().number(), question.dnsClass()));
        query.addRecord(new OPTRecord(UDP_PAYLOAD, 0, 0), Section.ADDITIONAL);
        byte[] sent = query.toWire();
        Message response = parsed(exchange(sent, server, Client.Transport.UDP, timeout), server);
        return Answer.of(
                response.getHeader().getFlag(Flags.TC)
                        ? parsed(exchange(sent, server, Client.Transport.TCP, timeout), server)
                        : response);
    }

    private static Message parsed(byte[] response, InetSocketAddress server) throws IOException {
        try {
            return new Message(response);
        } catch (IOException | RuntimeException malformed) {
            throw new IOException(
                    AddressText.of(server) + ": malformed response: " + malformed.getMessage(), malformed);
        }
    }

    /**
     * Sends a query and waits for its response.
     *
     * <p>A response is a message with QR set, the query's id, and the query's question (letters may differ in case), or no question
     * at all if it reports a failure. On UDP all other messages are ignored (RFC 5452 section 9.1; the socket is connected, so that
     * only the server's address and port can send), and a query without a response is sent again after one third and two thirds of
     * the timeout. A truncated response is returned unchanged. If the server has closed the TCP connection in the meantime, it is
     * opened again, once.
     *
     * @param query a message of 12 to 65,535 bytes; it may be malformed after its header
     * @param server where to ask
     * @param transport how to ask
     * @param timeout the limit for the whole exchange
     * @return the response's bytes
     * @throws SocketTimeoutException if there is no response in time
     * @throws InterruptedIOException if the thread is interrupted; its interrupt status remains set
     * @throws IOException if the server cannot be reached; the message names it
     */
    public byte[] exchange(byte[] query, InetSocketAddress server, Client.Transport transport, Duration timeout)
            throws IOException {
        Objects.requireNonNull(transport, "transport");
        if (query.length < Messages.HEADER_BYTES || query.length > Messages.MAX_BYTES) {
            throw new IllegalArgumentException("a query has 12 to 65535 bytes, not " + query.length);
        }
        if (server.isUnresolved()) {
            throw new UnknownHostException(server.getHostString() + ": unknown host");
        }
        return transport == Client.Transport.UDP ? overUdp(query, server, timeout) : overTcp(query, server, timeout);
    }

    /** Closes the socket and the connection. */
    @Override
    public void close() throws IOException {
        try {
            closeUdp();
        } finally {
            closeTcp();
        }
    }

    private byte[] overUdp(byte[] query, InetSocketAddress server, Duration timeout) throws IOException {
        long begun = System.nanoTime();
        try {
            Link<DatagramChannel> link = udpTo(server);
            for (int sent = 1; sent <= DATAGRAMS; sent++) {
                link.channel.write(ByteBuffer.wrap(query));
                long until = begun + timeout.toNanos() / DATAGRAMS * sent;
                while (link.await(SelectionKey.OP_READ, until)) {
                    received.clear();
                    link.channel.read(received);
                    if (isResponse(query, received.flip())) {
                        return bytes(received);
                    }
                }
            }
        } catch (PortUnreachableException refused) {
            closeUdp();
            throw named(refused, AddressText.of(server) + " (udp): nothing listens there");
        } catch (IOException failed) {
            closeUdp();
            throw failed;
        }
        throw timedOut(server, "udp", timeout);
    }

    private Link<DatagramChannel> udpTo(InetSocketAddress server) throws IOException {
        if (udp != null && udp.server.equals(server)) {
            return udp;
        }
        closeUdp();
        Link<DatagramChannel> link = new Link<>(DatagramChannel.open(), server);
        udp = link;
        link.channel.connect(server);
        return link;
    }

    private byte[] overTcp(byte[] query, InetSocketAddress server, Duration timeout) throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        boolean reused = tcp != null && tcp.server.equals(server);
        try {
            return overConnection(query, server, deadline);
        } catch (DeadlineException late) {
            closeTcp();
            throw timedOut(server, "tcp", timeout);
        } catch (InterruptedIOException interrupted) {
            closeTcp();
            throw interrupted;
        } catch (IOException failed) {
            closeTcp();
            if (!reused) {
                throw named(failed, AddressText.of(server) + " (tcp): " + failed.getMessage());
            }
        }
        // The server may close an idle connection at any time, which is not a failure (RFC 7766, 6.2.4).
        return overTcp(query, server, Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
    }

    private byte[] overConnection(byte[] query, InetSocketAddress server, long deadline) throws IOException {
        Link<SocketChannel> link = tcpTo(server, deadline);
        ByteBuffer framed = Messages.framed(ByteBuffer.wrap(query));
        while (framed.hasRemaining()) {
            link.channel.write(framed);
            if (framed.hasRemaining()) {
                link.require(SelectionKey.OP_WRITE, deadline);
            }
        }
        received.clear();
        while (true) {
            link.require(SelectionKey.OP_READ, deadline);
            if (link.channel.read(received) < 0) {
                throw new EOFException("the server closed the connection without a response");
            }
            received.flip();
            while (Messages.isWhole(received)) {
                ByteBuffer message = Messages.takeFrom(received);
                if (isResponse(query, message)) {
                    return bytes(message);
                }
            }
            received.compact();
        }
    }

    private Link<SocketChannel> tcpTo(InetSocketAddress server, long deadline) throws IOException {
        if (tcp != null && tcp.server.equals(server)) {
            return tcp;
        }
        closeTcp();
        Link<SocketChannel> link = new Link<>(SocketChannel.open(), server);
        tcp = link;
        link.channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        boolean connected = link.channel.connect(server);
        while (!connected) {
            link.require(SelectionKey.OP_CONNECT, deadline);
            connected = link.channel.finishConnect();
        }
        return link;
    }

    private void closeUdp() throws IOException {
        Link<DatagramChannel> link = udp;
        udp = null;
        if (link != null) {
            link.close();
        }
    }

    private void closeTcp() throws IOException {
        Link<SocketChannel> link = tcp;
        tcp = null;
        if (link != null) {
            link.close();
        }
    }

    private static byte[] bytes(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        return bytes;
    }

    private static IOException named(IOException failure, String message) {
        IOException named = failure instanceof ConnectException || failure instanceof PortUnreachableException
                ? new ConnectException(message)
                : new IOException(message);
        named.initCause(failure);
        return named;
    }

    private static SocketTimeoutException timedOut(InetSocketAddress server, String transport, Duration timeout) {
        return new SocketTimeoutException(
                AddressText.of(server) + " (" + transport + "): no response within " + timeout.toMillis() + " ms");
    }

    private static boolean isResponse(byte[] query, ByteBuffer response) {
        ByteBuffer asked = ByteBuffer.wrap(query);
        int at = response.position();
        if (response.remaining() < Messages.HEADER_BYTES
                || response.getShort(at) != asked.getShort(0)
                || response.get(at + 2) >= 0) {
            return false;
        }
        int rcode = response.get(at + 3) & 0xF;
        if (response.getShort(at + 4) == 0 && rcode != 0 && rcode != RCODE_NXDOMAIN) {
            return true;
        }
        return response.getShort(at + 4) == asked.getShort(4)
                && hasQuestions(response.slice().position(Messages.HEADER_BYTES), asked, asked.getShort(4));
    }

    /** Returns whether both begin with the same questions, as far as the query's can be read. */
    private static boolean hasQuestions(ByteBuffer response, ByteBuffer asked, short count) {
        asked.position(Messages.HEADER_BYTES);
        for (int question = 0; question < Short.toUnsignedInt(count); question++) {
            int length;
            do {
                if (!asked.hasRemaining() || asked.get(asked.position()) < 0) {
                    return true;
                }
                length = asked.get(asked.position());
                if (!sameNext(response, asked, 1 + length, true)) {
                    return false;
                }
            } while (length != 0);
            if (!sameNext(response, asked, 4, false)) {
                return false;
            }
        }
        return true;
    }

    private static boolean sameNext(ByteBuffer response, ByteBuffer asked, int bytes, boolean letters) {
        for (int i = 0; i < bytes && asked.hasRemaining(); i++) {
            if (!response.hasRemaining()) {
                return false;
            }
            byte one = response.get();
            byte other = asked.get();
            if (letters ? folded(one) != folded(other) : one != other) {
                return false;
            }
        }
        return true;
    }

    private static int folded(byte next) {
        return next >= 'A' && next <= 'Z' ? next + ('a' - 'A') : next;
    }

    /** A channel to one server, with the selector that waits for it. */
    private static final class Link<C extends SelectableChannel> {
        private final C channel;
        private final Selector selector;
        private final SelectionKey key;
        private final InetSocketAddress server;

        Link(C channel, InetSocketAddress server) throws IOException {
            this.channel = channel;
            this.server = server;
            try {
                this.selector = Selector.open();
                channel.configureBlocking(false);
                this.key = channel.register(selector, 0);
            } catch (IOException failed) {
                channel.close();
                throw failed;
            }
        }

        /** Waits until the channel is ready; returns false at the deadline, in {@link System#nanoTime()}. */
        boolean await(int operations, long deadline) throws IOException {
            key.interestOps(operations);
            while (true) {
                long nanos = deadline - System.nanoTime();
                if (nanos <= 0) {
                    return false;
                }
                selector.selectedKeys().clear();
                if (selector.select(TimeUnit.NANOSECONDS.toMillis(nanos) + 1) > 0) {
                    return true;
                }
                if (Thread.currentThread().isInterrupted()) {
                    throw new InterruptedIOException("interrupted while waiting for " + AddressText.of(server));
                }
            }
        }

        void require(int operations, long deadline) throws IOException {
            if (!await(operations, deadline)) {
                throw new DeadlineException();
            }
        }

        void close() throws IOException {
            channel.close();
            selector.close();
        }
    }

    /** Thrown when the deadline of an exchange has passed. */
    private static final class DeadlineException extends IOException {
        private static final long serialVersionUID = 1;
    }
}
