package io.k8sdns.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Relays TCP connections to a server. While it is cut, it holds back the bytes in both directions, and neither side detects a broken
 * connection. Afterwards it delivers them, as TCP does after a partition.
 */
final class StreamRelay implements AutoCloseable {
    private static final int BUFFER = 1 << 16;

    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final InetSocketAddress server;
    private boolean isCut;

    /** Starts to relay from a free port. */
    StreamRelay(InetSocketAddress server) throws IOException {
        this.server = server;
        start(this::accept);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Cuts or heals all connections. */
    synchronized void cut(boolean value) {
        isCut = value;
        notifyAll();
    }

    private synchronized void awaitHealed() throws InterruptedException {
        while (isCut) {
            wait();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                start(() -> connect(client));
            }
        } catch (IOException closed) {
            // The relay is closed.
        }
    }

    private void connect(Socket client) {
        try {
            awaitHealed();
            Socket target = new Socket(server.getAddress(), server.getPort());
            start(() -> copy(client, target));
            copy(target, client);
        } catch (IOException | InterruptedException failed) {
            close(client);
        }
    }

    private void copy(Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                awaitHealed();
                out.write(buffer, 0, read);
            }
        } catch (IOException | InterruptedException failed) {
            // Both are closed below.
        }
        close(from);
        close(to);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException ignored) {
            // The socket is not used any more.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
