package io.k8sdns.plan;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.PlannedQuery.Transport;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Servers on port 53 of several loopback addresses that answer from a script and record the queries. */
final class ScriptedNameServers implements AutoCloseable {
    private static final int PORT = 53;
    private static final int HEADER = 12;

    private final Selector selector;
    private final ByteBuffer datagram = ByteBuffer.allocate(65535);

    private AnswerSource answers = AnswerScript.nothing();
    private long beginNanos;
    private final List<SentQuery> queries = new ArrayList<>();

    ScriptedNameServers(List<String> addresses) throws IOException {
        selector = Selector.open();
        for (String address : addresses) {
            InetSocketAddress local = new InetSocketAddress(InetAddress.getByName(address), PORT);
            register(DatagramChannel.open().bind(local), SelectionKey.OP_READ, address);
            ServerSocketChannel listener = ServerSocketChannel.open();
            listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            register(listener.bind(local), SelectionKey.OP_ACCEPT, address);
        }
    }

    private void register(SelectableChannel channel, int interest, Object attachment) throws IOException {
        channel.configureBlocking(false);
        channel.register(selector, interest, attachment);
    }

    /** Starts a new lookup. */
    void begin(AnswerSource script) {
        answers = script;
        queries.clear();
        beginNanos = System.nanoTime();
    }

    /** Returns the queries, with times relative to the first one. */
    List<SentQuery> queries() {
        long first = queries.isEmpty() ? 0 : queries.get(0).atMillis();
        return queries.stream()
                .map(query -> new SentQuery(
                        query.atMillis() - first, query.name(), query.type(), query.server(), query.transport()))
                .toList();
    }

    /**
     * Answers a received query.
     *
     * @return whether a query was received
     */
    boolean serve(long waitMillis) throws IOException {
        int ready = waitMillis == 0 ? selector.selectNow() : selector.select(waitMillis);
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.channel() instanceof DatagramChannel channel) {
                serve(channel, (String) key.attachment());
            } else if (key.channel() instanceof ServerSocketChannel listener) {
                SocketChannel accepted = listener.accept();
                register(accepted, SelectionKey.OP_READ, new Connection((String) key.attachment()));
            } else if (key.channel() instanceof SocketChannel connection) {
                serve(connection, (Connection) key.attachment());
            }
        }
        selector.selectedKeys().clear();
        return ready > 0;
    }

    private void serve(DatagramChannel channel, String server) throws IOException {
        InetSocketAddress client = (InetSocketAddress) channel.receive(datagram.clear());
        if (client == null) {
            return;
        }
        byte[] query = new byte[datagram.flip().remaining()];
        datagram.get(query);
        Optional<byte[]> response = respond(query, server, Transport.UDP);
        if (response.isPresent()) {
            channel.send(ByteBuffer.wrap(response.get()), client);
        }
    }

    private static final class Connection {
        private final String server;
        private final ByteArrayOutputStream received = new ByteArrayOutputStream();

        private Connection(String server) {
            this.server = server;
        }
    }

    private void serve(SocketChannel channel, Connection connection) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(4096);
        int count = channel.read(read);
        if (count < 0) {
            channel.close();
            return;
        }
        connection.received.write(read.array(), 0, count);
        byte[] all = connection.received.toByteArray();
        int position = 0;
        boolean dropped = false;
        while (position + 2 <= all.length) {
            int length = (all[position] & 0xFF) << 8 | all[position + 1] & 0xFF;
            if (position + 2 + length > all.length) {
                break;
            }
            byte[] query = new byte[length];
            System.arraycopy(all, position + 2, query, 0, length);
            position += 2 + length;
            Optional<byte[]> response = respond(query, connection.server, Transport.TCP);
            if (response.isPresent()) {
                ByteBuffer framed = ByteBuffer.allocate(2 + response.get().length);
                framed.putShort((short) response.get().length)
                        .put(response.get())
                        .flip();
                while (framed.hasRemaining()) {
                    channel.write(framed);
                }
            }
            dropped |= response.isEmpty();
        }
        connection.received.reset();
        connection.received.write(all, position, all.length - position);
        if (dropped) {
            channel.close();
        }
    }

    private Optional<byte[]> respond(byte[] query, String server, Transport transport) {
        int end = HEADER;
        while (end < query.length && query[end] != 0) {
            end += 1 + (query[end] & 0xFF);
        }
        if (end + 5 > query.length || query[5] != 1) {
            return Optional.empty();
        }
        DnsLabels labels = DnsLabels.ofWire(query, HEADER, end);
        int number = (query[end + 1] & 0xFF) << 8 | query[end + 2] & 0xFF;
        QueryType type = number == 1 ? QueryType.A : QueryType.AAAA;
        String name = labels + ".";
        long atMillis = (System.nanoTime() - beginNanos) / 1_000_000;
        queries.add(new SentQuery(atMillis, name, type, server, transport));
        Reply reply = answers.answer(new PlannedQuery(name, type, server, transport, 0, 0, PlannedQuery.Reason.FIRST));
        if (reply.kind() == Reply.Kind.NOTHING) {
            return Optional.empty();
        }
        ByteBuffer response = ByteBuffer.allocate(4096);
        response.put(query, 0, 2);
        boolean truncated = reply.kind() == Reply.Kind.TRUNCATED;
        // A response with recursion desired and available, so that it is not a referral.
        response.put((byte) (0x81 | (truncated ? 2 : 0)));
        response.put((byte) (0x80 | rcode(reply.kind())));
        response.putShort((short) 1).putShort((short) reply.addresses().size());
        response.putShort((short) 0).putShort((short) 0);
        response.put(query, HEADER, end + 5 - HEADER);
        for (IpAddress address : reply.addresses()) {
            response.putShort((short) (0xC000 | HEADER))
                    .putShort((short) number)
                    .putShort((short) 1);
            response.putInt(5).putShort((short) address.bytes().length).put(address.bytes());
        }
        byte[] bytes = new byte[response.flip().remaining()];
        response.get(bytes);
        return Optional.of(bytes);
    }

    private static int rcode(Reply.Kind kind) {
        return switch (kind) {
            case DATA, NODATA, TRUNCATED, NOTHING -> 0;
            case FORMERR -> 1;
            case SERVFAIL -> 2;
            case NXDOMAIN -> 3;
            case NOTIMP -> 4;
            case REFUSED -> 5;
        };
    }

    @Override
    public void close() throws IOException {
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
    }
}
