package io.k8sdns.etcd;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** A TCP relay in front of a server. While it is cut, connections are closed, and so are new ones. */
final class Relay implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final List<Socket> sockets = new ArrayList<>();
    private boolean cut;

    Relay(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 50, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        start(this::accept);
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket();
                synchronized (this) {
                    sockets.add(client);
                    sockets.add(server);
                    if (cut) {
                        closeAll();
                        continue;
                    }
                }
                server.connect(new InetSocketAddress(listener.getInetAddress(), target));
                start(() -> copy(client, server));
                start(() -> copy(server, client));
            } catch (IOException closed) {
                // Accepts the next connection, unless the relay is closed.
            }
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            in.transferTo(out);
        } catch (IOException ended) {
            // Both are closed.
        }
    }

    private void closeAll() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        sockets.clear();
    }

    synchronized void cut() throws IOException {
        cut = true;
        closeAll();
    }

    synchronized void mend() {
        cut = false;
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cut();
    }
}
