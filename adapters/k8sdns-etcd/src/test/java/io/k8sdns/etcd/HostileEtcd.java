package io.k8sdns.etcd;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A server that answers requests with bytes of a test, and then closes or keeps the connection. */
final class HostileEtcd implements AutoCloseable {
    /** Writes the response to a request. */
    interface Answer {
        /**
         * Writes the response; the connection is closed afterwards unless {@link #keepsOpen} is true.
         *
         * @param path of the URL
         */
        void write(String path, OutputStream out) throws IOException, InterruptedException;

        /**
         * Returns whether the connection stays open for another request. If it is closed immediately after a complete response, a busy
         * client may see only the end of the connection.
         */
        default boolean keepsOpen() {
            return false;
        }
    }

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final List<String> paths = new CopyOnWriteArrayList<>();
    private final Answer answer;

    HostileEtcd(Answer answer) throws IOException {
        this.answer = answer;
        start(this::accept);
    }

    /** Returns a server that answers all requests in the same way. */
    static HostileEtcd always(String response) throws IOException {
        int body = response.indexOf("\r\n\r\n") + 4;
        boolean isComplete = response.contains("Content-Length: " + (response.length() - body) + "\r\n");
        return new HostileEtcd(new Answer() {
            @Override
            public void write(String path, OutputStream out) throws IOException {
                out.write(response.getBytes(StandardCharsets.ISO_8859_1));
            }

            @Override
            public boolean keepsOpen() {
                return isComplete;
            }
        });
    }

    /** Returns a response with status 200. */
    static String ok(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                + body.getBytes(StandardCharsets.ISO_8859_1).length + "\r\n\r\n" + body;
    }

    /** Returns the start of a response without a length. */
    static String stream(String text) {
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" + text;
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    /** Returns the requested paths. */
    List<String> paths() {
        return paths;
    }

    /** Waits until the server is closed, without sending anything. */
    void keepSilent() throws InterruptedException {
        closed.await();
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "hostile");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                sockets.add(socket);
                start(() -> serve(socket));
            } catch (IOException ended) {
                // Accepts the next connection, unless the server is closed.
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            do {
                InputStream in = socket.getInputStream();
                StringBuilder head = new StringBuilder();
                while (head.indexOf("\r\n\r\n") < 0) {
                    int next = in.read();
                    if (next < 0) {
                        return;
                    }
                    head.append((char) next);
                }
                String lower = head.toString().toLowerCase(java.util.Locale.ROOT);
                int at = lower.indexOf("content-length: ");
                int length = Integer.parseInt(lower.substring(at + 16, lower.indexOf('\r', at)));
                in.readNBytes(length);
                String path = head.substring(head.indexOf(" ") + 1, head.indexOf(" HTTP"));
                paths.add(path);
                answer.write(path, socket.getOutputStream());
                socket.getOutputStream().flush();
            } while (answer.keepsOpen());
        } catch (IOException | InterruptedException ended) {
            // The client closed the connection.
        } finally {
            sockets.remove(socket);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        closed.countDown();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
