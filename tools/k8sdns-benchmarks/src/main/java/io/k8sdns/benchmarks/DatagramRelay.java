package io.k8sdns.benchmarks;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;

/** Relays UDP queries to a server and the answers back; drops them while it is cut. */
final class DatagramRelay implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int MAX_MESSAGE = 65_535;

    private final DatagramSocket listening = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    private final InetSocketAddress server;
    private volatile boolean isCut;

    /** Starts to relay from a free port. */
    DatagramRelay(InetSocketAddress server) throws IOException {
        this.server = server;
        start(this::receive);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    /** Cuts or heals the relay. */
    void cut(boolean value) {
        isCut = value;
    }

    private void receive() {
        try {
            while (true) {
                DatagramPacket query = new DatagramPacket(new byte[MAX_MESSAGE], MAX_MESSAGE);
                listening.receive(query);
                if (!isCut) {
                    byte[] wire = Arrays.copyOf(query.getData(), query.getLength());
                    start(() -> relay(wire, (InetSocketAddress) query.getSocketAddress()));
                }
            }
        } catch (IOException closed) {
            // The relay is closed.
        }
    }

    private void relay(byte[] query, InetSocketAddress client) {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(server);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.send(new DatagramPacket(query, query.length));
            DatagramPacket answer = new DatagramPacket(new byte[MAX_MESSAGE], MAX_MESSAGE);
            socket.receive(answer);
            if (!isCut) {
                listening.send(new DatagramPacket(answer.getData(), answer.getLength(), client));
            }
        } catch (IOException lost) {
            // The client retries.
        }
    }

    @Override
    public void close() {
        listening.close();
    }
}
