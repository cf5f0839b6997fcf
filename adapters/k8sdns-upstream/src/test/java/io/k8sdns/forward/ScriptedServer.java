package io.k8sdns.forward;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;

/** A DNS server on loopback that runs a test's script for each query over UDP and TCP, with one thread per socket. */
final class ScriptedServer implements AutoCloseable {
    private final DatagramSocket udp;
    private final ServerSocket tcp;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final ServerThreads threads = new ServerThreads("scripted-server");
    private volatile Script script;
    private final List<Received> received = new CopyOnWriteArrayList<>();

    /** A received query. */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    record Received(byte[] query, boolean overTcp, int clientPort) {
        Message message() {
            try {
                return new Message(query);
            } catch (IOException malformed) {
                throw new UncheckedIOException(malformed);
            }
        }

        int id() {
            return Short.toUnsignedInt(ByteBuffer.wrap(query).getShort());
        }
    }

    /** Answers one query with any number of messages. */
    @FunctionalInterface
    interface Script {
        void answer(Received query, ReplySender reply) throws IOException;
    }

    /** Sends messages to the client of a query. */
    interface ReplySender {
        void send(byte[] message) throws IOException;

        /** Closes the connection of a query over TCP. */
        void close() throws IOException;
    }

    private ScriptedServer(Script script) throws IOException {
        this.script = script;
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        ServerSocket stream = new ServerSocket(0, 50, loopback);
        DatagramSocket datagrams = tryBind(loopback, stream.getLocalPort());
        while (datagrams == null) {
            stream.close();
            stream = new ServerSocket(0, 50, loopback);
            datagrams = tryBind(loopback, stream.getLocalPort());
        }
        udp = datagrams;
        tcp = stream;
        threads.start(this::serveUdp);
        threads.start(this::accept);
    }

    private static @Nullable DatagramSocket tryBind(InetAddress address, int port) {
        try {
            return new DatagramSocket(new InetSocketAddress(address, port));
        } catch (SocketException taken) {
            return null;
        }
    }

    static ScriptedServer start(Script script) throws IOException {
        return new ScriptedServer(script);
    }

    /** Returns a server that answers every A question with an address. */
    static ScriptedServer answering(String address) throws IOException {
        return start((query, reply) -> reply.send(response(query, address)));
    }

    void script(Script other) {
        script = other;
    }

    InetSocketAddress address() {
        return new InetSocketAddress(tcp.getInetAddress(), tcp.getLocalPort());
    }

    String text() {
        return "127.0.0.1:" + tcp.getLocalPort();
    }

    List<Received> received() {
        return received;
    }

    int connectionCount() {
        return connections.size();
    }

    void closeConnections() throws IOException {
        for (Socket one : connections) {
            one.close();
        }
    }

    /** Returns a response with the query's id, question and one A record of its name. */
    static byte[] response(Received query, String address) {
        return response(query, 0, address).toWire();
    }

    /** Returns a response with an RCODE and A records of the question's name. */
    static Message response(Received query, int rcode, String... addresses) {
        Message asked = query.message();
        Message response = new Message(query.id());
        response.getHeader().setFlag(Flags.QR);
        response.getHeader().setFlag(Flags.RA);
        response.getHeader().setRcode(rcode);
        Record question = asked.getQuestion();
        response.addRecord(question, Section.QUESTION);
        for (String address : addresses) {
            try {
                response.addRecord(
                        new ARecord(question.getName(), DClass.IN, 60, InetAddress.getByName(address)), Section.ANSWER);
            } catch (IOException noAddress) {
                throw new UncheckedIOException(noAddress);
            }
        }
        return response;
    }

    private void serveUdp() {
        byte[] buffer = new byte[65_535];
        while (!udp.isClosed()) {
            DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
            try {
                udp.receive(packet);
                byte[] query = java.util.Arrays.copyOf(buffer, packet.getLength());
                Received one = new Received(query, false, packet.getPort());
                received.add(one);
                script.answer(one, new ReplySender() {
                    @Override
                    public void send(byte[] message) throws IOException {
                        udp.send(new DatagramPacket(message, message.length, packet.getSocketAddress()));
                    }

                    @Override
                    public void close() {}
                });
            } catch (IOException closed) {
                // The client may have closed its socket.
            }
        }
    }

    private void accept() {
        while (!tcp.isClosed()) {
            try {
                Socket socket = tcp.accept();
                connections.add(socket);
                threads.start(() -> serveTcp(socket));
            } catch (IOException closed) {
                // The server is closed.
            }
        }
    }

    private void serveTcp(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                byte[] query = new byte[in.readUnsignedShort()];
                in.readFully(query);
                Received one = new Received(query, true, socket.getPort());
                received.add(one);
                script.answer(one, new ReplySender() {
                    @Override
                    public void send(byte[] message) throws IOException {
                        byte[] framed = ByteBuffer.allocate(2 + message.length)
                                .putShort((short) message.length)
                                .put(message)
                                .array();
                        socket.getOutputStream().write(framed);
                    }

                    @Override
                    public void close() throws IOException {
                        socket.close();
                    }
                });
            }
        } catch (EOFException | SocketException closed) {
            // The client has closed the connection, or the test has.
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } finally {
            connections.remove(socket);
        }
    }

    @Override
    public void close() throws IOException {
        udp.close();
        tcp.close();
        closeConnections();
        threads.join();
    }
}
