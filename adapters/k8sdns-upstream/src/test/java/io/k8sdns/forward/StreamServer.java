package io.k8sdns.forward;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

/** A TCP server on loopback that runs a test's script for each connection, so that the test controls every byte. */
final class StreamServer implements AutoCloseable {
    private final ServerSocket listener;
    private final Script script;
    private final AtomicInteger accepted = new AtomicInteger();
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private final ServerThreads threads = new ServerThreads("stream-server");

    /** Uses one connection, which is closed afterwards. Exceptions of the connection end it, too. */
    @FunctionalInterface
    interface Script {
        void run(Connection connection) throws IOException;
    }

    /** One connection of a client. */
    static final class Connection {
        final int number;
        final Socket socket;
        private final DataInputStream in;
        private final OutputStream out;

        Connection(int number, Socket socket) throws IOException {
            this.number = number;
            this.socket = socket;
            socket.setTcpNoDelay(true);
            this.in = new DataInputStream(socket.getInputStream());
            this.out = socket.getOutputStream();
        }

        /** Waits for the next query. */
        ScriptedServer.Received query() throws IOException {
            byte[] query = new byte[in.readUnsignedShort()];
            in.readFully(query);
            return new ScriptedServer.Received(query, true, socket.getPort());
        }

        void send(byte[] bytes) throws IOException {
            out.write(bytes);
            out.flush();
        }

        /** Sends each byte in a separate segment or TLS record. */
        void sendSlowly(byte[] bytes) throws IOException {
            for (byte one : bytes) {
                out.write(one);
                out.flush();
            }
        }

        /** Closes with a reset. */
        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        /** Waits until the client closes the connection; what it sends is ignored. */
        void awaitClose() throws IOException {
            InputStream rest = in;
            while (rest.read() >= 0) {
                // Ignored.
            }
        }
    }

    private StreamServer(ServerSocket listener, Script script) {
        this.listener = listener;
        this.script = script;
        threads.start(this::accept);
    }

    static StreamServer tcp(Script script) throws IOException {
        return tcp("127.0.0.1", script);
    }

    static StreamServer tcp(String address, Script script) throws IOException {
        return new StreamServer(new ServerSocket(0, 200, InetAddress.getByName(address)), script);
    }

    static StreamServer tls(SSLContext context, Script script) throws IOException {
        return tls(context, "127.0.0.1", script);
    }

    static StreamServer tls(SSLContext context, String address, Script script) throws IOException {
        return new StreamServer(
                context.getServerSocketFactory().createServerSocket(0, 200, InetAddress.getByName(address)), script);
    }

    /** Returns a message after its length. */
    static byte[] framed(byte[] message) {
        return ByteBuffer.allocate(2 + message.length)
                .putShort((short) message.length)
                .put(message)
                .array();
    }

    InetSocketAddress address() {
        return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
    }

    UpstreamServer server() {
        return UpstreamServer.udp(address()).overTcp();
    }

    UpstreamServer tlsServer(String name) {
        return UpstreamServer.tls(address(), name);
    }

    /** Returns the number of accepted connections. */
    int accepted() {
        return accepted.get();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                connections.add(socket);
                int number = accepted.getAndIncrement();
                threads.start(() -> serve(socket, number));
            } catch (IOException closed) {
                // The server is closed.
            }
        }
    }

    private void serve(Socket socket, int number) {
        try (Socket used = socket) {
            script.run(new Connection(number, used));
        } catch (IOException ended) {
            // The client has closed the connection, or refused the certificate, or the test has ended.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket one : connections) {
            one.close();
        }
        threads.join();
    }
}
