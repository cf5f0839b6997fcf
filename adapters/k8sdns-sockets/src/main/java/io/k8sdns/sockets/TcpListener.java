package io.k8sdns.sockets;

import io.k8sdns.wire.DnsSession;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All TCP of a server on one thread: accepts connections at every address, runs each {@link TcpConnection} when its channel is
 * ready, passes answers of other threads to their connections, and ends connections that have reached a limit.
 */
final class TcpListener implements Listener {
    private static final int ACCEPTED_PER_TURN = 64;
    private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final QueryHandler handler;
    private final Selector selector;
    private final List<SelectionKey> acceptors = new ArrayList<>();
    private final Set<TcpConnection> connections = new LinkedHashSet<>();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final ByteBuffer input = ByteBuffer.allocateDirect(TcpConnection.INPUT_BYTES);
    private final DnsSession session;
    private final long shortestLimitNanos;
    private long checkAt;
    private long acceptAgainAt;
    private boolean acceptPaused;
    private boolean finishing;
    private volatile @Nullable Thread thread;
    private volatile boolean stopping;
    private volatile boolean aborted;
    private volatile long deadline;

    /** Creates a listener without an address. */
    TcpListener(QueryHandler handler) throws IOException {
        ServerLimits limits = handler.limits();
        this.handler = handler;
        this.session = handler.responder().session();
        this.selector = Selector.open();
        this.shortestLimitNanos = Stream.of(limits.idle(), limits.receive(), limits.answer(), limits.send())
                .min(Comparator.naturalOrder())
                .map(Duration::toNanos)
                .orElseThrow();
    }

    /** Takes over a bound channel; before {@link #run()} only. */
    void acceptAt(ServerSocketChannel channel) throws IOException {
        acceptors.add(channel.register(selector, SelectionKey.OP_ACCEPT));
    }

    @Override
    public String threadName() {
        return "k8sdns-tcp";
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        try {
            while (!isOver()) {
                select();
                for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
                    next.run();
                }
                endOverdue();
                if (stopping && !finishing) {
                    finish();
                }
            }
        } finally {
            free();
        }
    }

    private boolean isOver() {
        return aborted || (finishing && (connections.isEmpty() || System.nanoTime() - deadline >= 0));
    }

    private void select() {
        try {
            selector.select(this::ready, millisToWait());
        } catch (IOException failed) {
            handler.failures().report("TCP could not be waited for", failed);
        }
    }

    /** Returns how long to wait for the selector; 0, which waits without a limit, if no limit applies. */
    private long millisToWait() {
        if (connections.isEmpty() && !acceptPaused) {
            return 0;
        }
        long now = System.nanoTime();
        long nanos = connections.isEmpty() ? Long.MAX_VALUE : checkAt - now;
        if (acceptPaused) {
            nanos = Math.min(nanos, acceptAgainAt - now);
        }
        if (finishing) {
            nanos = Math.min(nanos, deadline - now);
        }
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
    }

    private void ready(SelectionKey key) {
        if (key.attachment() instanceof TcpConnection connection) {
            connection.ready();
        } else if (key.isValid()) {
            accept((ServerSocketChannel) key.channel());
        }
    }

    private void accept(ServerSocketChannel acceptor) {
        try {
            for (int i = 0; i < ACCEPTED_PER_TURN; i++) {
                SocketChannel channel = acceptor.accept();
                if (channel == null) {
                    return;
                }
                if (connections.size() < handler.limits().connections() || endLongestIdle()) {
                    connect(channel);
                } else {
                    channel.close();
                }
            }
        } catch (IOException failed) {
            // Most likely no file descriptor is left; the selector would report the waiting connection again at once.
            handler.failures().report("a TCP connection could not be accepted", failed);
            endLongestIdle();
            acceptors.forEach(key -> key.interestOps(0));
            acceptPaused = true;
            acceptAgainAt = System.nanoTime() + PAUSE_AFTER_FAILURE_NANOS;
        }
    }

    private void connect(SocketChannel channel) throws IOException {
        // The logger needs a file descriptor, and the lack of one is what it will have to log.
        handler.failures().prepare();
        try {
            connections.add(new TcpConnection(this, handler, channel, selector));
        } catch (IOException gone) {
            channel.close();
        }
    }

    /** Ends the connection that has been idle longest; returns whether there was one. */
    private boolean endLongestIdle() {
        long now = System.nanoTime();
        Optional<TcpConnection> longest = connections.stream()
                .filter(TcpConnection::isIdle)
                .max(Comparator.comparingLong(connection -> connection.quietFor(now)));
        longest.ifPresent(TcpConnection::end);
        return longest.isPresent();
    }

    /** Ends connections that have reached a limit. Cheap when called often: checks when the next limit can be reached. */
    private void endOverdue() {
        long now = System.nanoTime();
        if (acceptPaused && now - acceptAgainAt >= 0 && !finishing) {
            acceptPaused = false;
            acceptors.forEach(key -> key.interestOps(SelectionKey.OP_ACCEPT));
        }
        if (now - checkAt < 0) {
            return;
        }
        long next = shortestLimitNanos;
        for (TcpConnection connection : List.copyOf(connections)) {
            long left = connection.nanosLeft(now);
            if (left <= 0) {
                connection.end();
            } else {
                next = Math.min(next, left);
            }
        }
        checkAt = now + next;
    }

    /** Accepts the connections that wait, closes the acceptors, and lets every connection finish. */
    private void finish() {
        finishing = true;
        acceptPaused = false;
        for (SelectionKey key : acceptors) {
            accept((ServerSocketChannel) key.channel());
            key.cancel();
            close(key.channel());
        }
        List.copyOf(connections).forEach(TcpConnection::finish);
    }

    private void free() {
        List.copyOf(connections).forEach(TcpConnection::end);
        acceptors.forEach(key -> close(key.channel()));
        close(selector);
    }

    private void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception failed) {
            handler.failures().report("a TCP socket could not be closed", failed);
        }
    }

    /** Runs a task on the listener's thread; at once if called there. From any thread. */
    void execute(Runnable task) {
        if (Thread.currentThread() == thread) {
            task.run();
            return;
        }
        tasks.add(task);
        selector.wakeup();
    }

    /** Returns the buffer that all connections read into; its contents are valid until the next connection reads. */
    ByteBuffer input() {
        return input;
    }

    /** Returns the session of the listener's thread. */
    DnsSession session() {
        return session;
    }

    /** Removes a closed connection. */
    void ended(TcpConnection connection) {
        connections.remove(connection);
    }

    @Override
    public void stop(long deadline) {
        this.deadline = deadline;
        stopping = true;
        selector.wakeup();
    }

    @Override
    public void abort() {
        aborted = true;
        selector.wakeup();
    }
}
