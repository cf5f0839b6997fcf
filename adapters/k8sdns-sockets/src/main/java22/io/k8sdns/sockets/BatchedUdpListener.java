package io.k8sdns.sockets;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.k8sdns.resolver.Client;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.DnsSession;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Answers the datagrams of one socket in batches: one system call receives all that have arrived, and another one sends all
 * answers.
 *
 * <p>A socket at a wildcard receives the destination of each datagram, and answers from there (IP_PKTINFO).
 *
 * <p>The structures of the system are allocated once, outside the heap: for each datagram of a batch a header, the sender's
 * address, the destination, and the bytes. The header of an answer points to the addresses of its query. An answer that is ready
 * later has copies of them and is sent separately.
 */
final class BatchedUdpListener implements UdpLoop {
    /** The maximum number of datagrams in a batch; larger batches made no difference in measurements. */
    private static final int BATCH = 32;

    /** The distance between two datagrams: not a multiple of a page, so that they do not use the same cache lines. */
    private static final int QUERY_STRIDE = 65_536 + 192;

    /** The memory for the answers of a batch; flushed when the next answer does not fit. */
    private static final int ANSWERS_BYTES = 1 << 17;

    /** The maximum time that a receive waits, for systems where shutting down the socket does not end it. */
    private static final long WAKE_SECONDS = 1;

    private static final ValueLayout.OfShort NETWORK_SHORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private final InetSocketAddress address;
    private final QueryHandler handler;
    private final int number;
    private final boolean six;
    private final InFlight inFlight = new InFlight();
    private final DnsSession session;

    /** Closed with the socket, under the lock. */
    private final Arena arena = Arena.ofShared();

    private final MemorySegment state = Libc.state(arena);
    private final MemorySegment received = arena.allocate(BATCH * Libc.MMSGHDR_BYTES, Long.BYTES);
    private final MemorySegment answers = arena.allocate(BATCH * Libc.MMSGHDR_BYTES, Long.BYTES);
    private final MemorySegment vectors = arena.allocate(2 * BATCH * Libc.IOVEC_BYTES, Long.BYTES);
    private final MemorySegment senders = arena.allocate(BATCH * Libc.SOCKADDR_IN6_BYTES, Long.BYTES);
    private final MemorySegment destinations = arena.allocate(BATCH * Libc.PKTINFO_BYTES, Long.BYTES);
    private final MemorySegment answered = arena.allocate(ANSWERS_BYTES, Long.BYTES);
    private final ByteBuffer answersView = answered.asByteBuffer();
    private final ByteBuffer[] queries = new ByteBuffer[BATCH];
    private final int socket;
    private final int receiveBufferBytes;

    private final Object lock = new Object();
    private boolean closed;

    // The answers of this batch that are not sent yet.
    private int waiting;
    private int waitingBytes;
    private @Nullable BatchSink answering;
    private @Nullable Thread thread;

    private volatile boolean stopping;
    private volatile boolean aborted;
    private volatile long deadline;

    /**
     * Binds a socket.
     *
     * @param address an address of this machine or a wildcard, and a port, not 0
     * @param number its number among the sockets at this address, from 1
     * @param sharing whether other sockets may be bound to the address
     * @throws IOException if it cannot be bound
     */
    BatchedUdpListener(InetSocketAddress address, int number, PortSharing sharing, QueryHandler handler)
            throws IOException {
        this.address = address;
        this.handler = handler;
        this.session = handler.responder().session();
        this.number = number;
        this.six = address.getAddress() instanceof Inet6Address;
        int opened = Libc.socket(state, six ? Libc.AF_INET6 : Libc.AF_INET, Libc.SOCK_DGRAM | Libc.SOCK_CLOEXEC);
        if (opened < 0) {
            arena.close();
            throw BoundChannels.failed(
                    address, "this machine has no " + (six ? "IPv6" : "IPv4") + ": " + Libc.error(-opened));
        }
        this.socket = opened;
        try {
            this.receiveBufferBytes = bind(sharing);
            layOut();
        } catch (IOException | RuntimeException | Error failed) {
            close();
            throw failed;
        }
    }

    // ---- the socket and the structures ----

    private int bind(PortSharing sharing) throws IOException {
        try (Arena temporary = Arena.ofConfined()) {
            boolean wildcard = address.getAddress().isAnyLocalAddress();
            MemorySegment timeout = temporary.allocate(JAVA_LONG, 2);
            timeout.set(JAVA_LONG, 0, WAKE_SECONDS);
            require(Libc.setOption(state, socket, Libc.SOL_SOCKET, Libc.SO_RCVTIMEO, timeout));
            option(temporary, Libc.SOL_SOCKET, Libc.SO_RCVBUF, handler.limits().udpReceiveBufferBytes());
            if (six) {
                // :: is IPv4 too, as it is for the JDK's sockets, TCP's among them.
                option(temporary, Libc.IPPROTO_IPV6, Libc.IPV6_V6ONLY, 0);
            }
            if (wildcard) {
                option(
                        temporary,
                        six ? Libc.IPPROTO_IPV6 : Libc.IPPROTO_IP,
                        six ? Libc.IPV6_RECVPKTINFO : Libc.IP_PKTINFO,
                        1);
            }
            if (sharing == PortSharing.JOIN) {
                option(temporary, Libc.SOL_SOCKET, Libc.SO_REUSEPORT, 1);
            }
            require(Libc.bind(state, socket, socketAddress(temporary)));
            if (sharing == PortSharing.ADMIT) {
                option(temporary, Libc.SOL_SOCKET, Libc.SO_REUSEPORT, 1);
            }
            MemorySegment value = temporary.allocate(JAVA_INT);
            MemorySegment length = temporary.allocate(JAVA_INT);
            length.set(JAVA_INT, 0, Integer.BYTES);
            require(Libc.getOption(state, socket, Libc.SOL_SOCKET, Libc.SO_RCVBUF, value, length));
            // Linux returns twice the requested size; the JDK halves it, too.
            return value.get(JAVA_INT, 0) / 2;
        }
    }

    private MemorySegment socketAddress(Arena arena) {
        byte[] bytes = address.getAddress().getAddress();
        MemorySegment to = arena.allocate(six ? Libc.SOCKADDR_IN6_BYTES : Libc.SOCKADDR_IN_BYTES, Long.BYTES);
        to.set(JAVA_SHORT, Libc.SIN_FAMILY, (short) (six ? Libc.AF_INET6 : Libc.AF_INET));
        to.set(NETWORK_SHORT, Libc.SIN_PORT, (short) address.getPort());
        MemorySegment.copy(bytes, 0, to, JAVA_BYTE, six ? Libc.SIN6_ADDR : Libc.SIN_ADDR, bytes.length);
        if (address.getAddress() instanceof Inet6Address scoped) {
            to.set(JAVA_INT, Libc.SIN6_SCOPE_ID, scoped.getScopeId());
        }
        return to;
    }

    private void option(Arena arena, int level, int option, int value) throws IOException {
        require(Libc.setOption(state, socket, level, option, arena.allocateFrom(JAVA_INT, value)));
    }

    private void require(int result) throws IOException {
        if (result < 0) {
            throw BoundChannels.failed(address, result == -Libc.EADDRINUSE ? "in use" : Libc.error(-result));
        }
    }

    private void layOut() {
        MemorySegment bytes = Libc.map(state, arena, (long) BATCH * QUERY_STRIDE);
        for (int i = 0; i < BATCH; i++) {
            long header = i * Libc.MMSGHDR_BYTES;
            long vector = i * Libc.IOVEC_BYTES;
            MemorySegment query = bytes.asSlice((long) i * QUERY_STRIDE, Messages.MAX_BYTES);
            queries[i] = query.asByteBuffer();
            vectors.set(ADDRESS, vector + Libc.IOV_BASE, query);
            vectors.set(JAVA_LONG, vector + Libc.IOV_LEN, Messages.MAX_BYTES);
            received.set(ADDRESS, header + Libc.MSG_NAME, sender(i));
            received.set(ADDRESS, header + Libc.MSG_IOV, vectors.asSlice(vector));
            received.set(JAVA_LONG, header + Libc.MSG_IOVLEN, 1);
            received.set(ADDRESS, header + Libc.MSG_CONTROL, destination(i));
            answers.set(ADDRESS, header + Libc.MSG_IOV, vectors.asSlice(BATCH * Libc.IOVEC_BYTES + vector));
            answers.set(JAVA_LONG, header + Libc.MSG_IOVLEN, 1);
        }
        resetSizes(BATCH);
    }

    private MemorySegment sender(int i) {
        return senders.asSlice((long) i * Libc.SOCKADDR_IN6_BYTES, Libc.SOCKADDR_IN6_BYTES);
    }

    private MemorySegment destination(int i) {
        return destinations.asSlice((long) i * Libc.PKTINFO_BYTES, Libc.PKTINFO_BYTES);
    }

    /** Restores the sizes of the buffers, which the kernel has replaced with the sizes that it used. */
    private void resetSizes(int count) {
        for (int i = 0; i < count; i++) {
            long header = i * Libc.MMSGHDR_BYTES;
            received.set(JAVA_INT, header + Libc.MSG_NAMELEN, Libc.SOCKADDR_IN6_BYTES);
            received.set(JAVA_LONG, header + Libc.MSG_CONTROLLEN, Libc.PKTINFO_BYTES);
        }
    }

    // ---- the loop ----

    @Override
    public String threadName() {
        return Listener.udpThreadName(address, number);
    }

    @Override
    public int receiveBufferBytes() {
        return receiveBufferBytes;
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        try {
            receive();
            inFlight.awaitNone(deadline);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } finally {
            close();
        }
    }

    private void receive() {
        int last = UdpListener.LAST_DATAGRAMS;
        while (!aborted && last > 0) {
            int count = Libc.receive(state, socket, received, BATCH);
            if (count == -Libc.EINTR) {
                continue;
            }
            if (count < 0 && count != -Libc.EAGAIN) {
                handler.failures()
                        .report("a query could not be received over UDP", new IOException(Libc.error(-count)));
                LockSupport.parkNanos(UdpListener.PAUSE_AFTER_FAILURE_NANOS);
            }
            int real = answerAll(count);
            if (stopping) {
                // The socket is shut down: it still gives the queued datagrams, and then returns at once without any.
                last = real == 0 ? 0 : last - real;
            }
        }
    }

    /** Answers the datagrams of a batch; returns how many have a sender. */
    private int answerAll(int count) {
        int real = 0;
        for (int i = 0; i < count; i++) {
            long header = i * Libc.MMSGHDR_BYTES;
            // A socket that is shut down gives an empty datagram without a sender.
            if (received.get(JAVA_INT, header + Libc.MSG_NAMELEN) > 0) {
                real++;
                answer(i, received.get(JAVA_INT, header + Libc.MSG_LEN));
            }
        }
        flush();
        resetSizes(count);
        return real;
    }

    private void answer(int i, int bytes) {
        ByteBuffer query = queries[i].clear().limit(bytes);
        if (handler.answer(session, query, Client.Transport.UDP)) {
            add(i, session.response());
            return;
        }
        inFlight.begin();
        BatchSink sink = new BatchSink(i);
        answering = sink;
        if (!handler.respond(session, Client.udp(from(i)), sink)) {
            sink.drop();
        }
        answering = null;
    }

    private InetSocketAddress from(int i) {
        MemorySegment sender = sender(i);
        int port = Short.toUnsignedInt(sender.get(NETWORK_SHORT, Libc.SIN_PORT));
        byte[] bytes = sender.asSlice(six ? Libc.SIN6_ADDR : Libc.SIN_ADDR, six ? 16 : 4)
                .toArray(JAVA_BYTE);
        int scope = six ? sender.get(JAVA_INT, Libc.SIN6_SCOPE_ID) : 0;
        try {
            InetAddress address =
                    scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
            return new InetSocketAddress(address, port);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Adds an answer to its batch. */
    private void add(int i, ByteBuffer response) {
        int bytes = response.remaining();
        if (waitingBytes + bytes > ANSWERS_BYTES) {
            flush();
        }
        answersView.put(waitingBytes, response, response.position(), bytes);
        long header = waiting * Libc.MMSGHDR_BYTES;
        long vector = (BATCH + waiting) * Libc.IOVEC_BYTES;
        vectors.set(JAVA_LONG, vector + Libc.IOV_BASE, answered.address() + waitingBytes);
        vectors.set(JAVA_LONG, vector + Libc.IOV_LEN, bytes);
        address(answers, header, i);
        waiting++;
        waitingBytes += bytes;
    }

    /** Sets the destination of an answer to the sender of its query, and its source to the destination of its query. */
    private void address(MemorySegment headers, long header, int i) {
        long query = i * Libc.MMSGHDR_BYTES;
        long destination = (long) i * Libc.PKTINFO_BYTES;
        long control = received.get(JAVA_LONG, query + Libc.MSG_CONTROLLEN);
        headers.set(JAVA_LONG, header + Libc.MSG_NAME, senders.address() + (long) i * Libc.SOCKADDR_IN6_BYTES);
        headers.set(JAVA_INT, header + Libc.MSG_NAMELEN, received.get(JAVA_INT, query + Libc.MSG_NAMELEN));
        headers.set(JAVA_LONG, header + Libc.MSG_CONTROL, control == 0 ? 0 : destinations.address() + destination);
        headers.set(JAVA_LONG, header + Libc.MSG_CONTROLLEN, control);
        if (control > 0) {
            clearInterface(destination);
        }
    }

    /**
     * Removes the interface that a datagram arrived at, so that the kernel routes the answer; not for link-local addresses, which
     * have no meaning without it.
     */
    private void clearInterface(long destination) {
        if (!six) {
            destinations.set(JAVA_INT, destination + Libc.IPI_IFINDEX, 0);
            return;
        }
        boolean linkLocal = destinations.get(JAVA_BYTE, destination + Libc.IPI6_ADDR) == (byte) 0xFE
                && (destinations.get(JAVA_BYTE, destination + Libc.IPI6_ADDR + 1) & 0xC0) == 0x80;
        if (!linkLocal) {
            destinations.set(JAVA_INT, destination + Libc.IPI6_IFINDEX, 0);
        }
    }

    /** Sends the answers of the batch. */
    private void flush() {
        int sent = 0;
        while (sent < waiting) {
            MemorySegment rest = sent == 0 ? answers : answers.asSlice(sent * Libc.MMSGHDR_BYTES);
            int count = Libc.send(state, socket, rest, waiting - sent);
            if (count > 0) {
                sent += count;
            } else if (count != -Libc.EINTR) {
                // An answer that cannot be sent (too long, forbidden, no room) is dropped, as a network may drop it.
                failed(count);
                sent++;
            }
        }
        waiting = 0;
        waitingBytes = 0;
    }

    private void failed(int result) {
        handler.failures().report("a response could not be sent over UDP", new IOException(Libc.error(-result)));
    }

    // ---- the end ----

    @Override
    public void stop(long deadline) {
        this.deadline = deadline;
        stopping = true;
        wake();
    }

    @Override
    public void abort() {
        aborted = true;
        inFlight.abandon();
        stop(System.nanoTime());
    }

    /** Ends a receive that waits. Linux returns an error for a socket without a peer, and shuts it down all the same. */
    private void wake() {
        synchronized (lock) {
            if (closed) {
                return;
            }
            try (Arena temporary = Arena.ofConfined()) {
                int unused = Libc.shutdown(Libc.state(temporary), socket, Libc.SHUT_RD);
            }
        }
    }

    private void close() {
        synchronized (lock) {
            if (!closed) {
                closed = true;
                int unused = Libc.close(state, socket);
                arena.close();
            }
        }
    }

    // ---- answers that are given later ----

    /** Sends one datagram from any thread. */
    private void sendLater(byte[] sender, byte[] destination, ByteBuffer response) {
        int bytes = response.remaining();
        synchronized (lock) {
            if (closed) {
                return;
            }
            try (Arena temporary = Arena.ofConfined()) {
                MemorySegment header = temporary.allocate(Libc.MMSGHDR_BYTES, Long.BYTES);
                MemorySegment vector = temporary.allocate(Libc.IOVEC_BYTES, Long.BYTES);
                MemorySegment message = temporary.allocate(Math.max(1, bytes));
                message.asByteBuffer().put(0, response, response.position(), bytes);
                vector.set(ADDRESS, Libc.IOV_BASE, message);
                vector.set(JAVA_LONG, Libc.IOV_LEN, bytes);
                header.set(ADDRESS, Libc.MSG_NAME, copy(temporary, sender));
                header.set(JAVA_INT, Libc.MSG_NAMELEN, sender.length);
                header.set(ADDRESS, Libc.MSG_IOV, vector);
                header.set(JAVA_LONG, Libc.MSG_IOVLEN, 1);
                if (destination.length > 0) {
                    header.set(ADDRESS, Libc.MSG_CONTROL, copy(temporary, destination));
                    header.set(JAVA_LONG, Libc.MSG_CONTROLLEN, destination.length);
                }
                int result;
                do {
                    result = Libc.send(Libc.state(temporary), socket, header, 1);
                } while (result == -Libc.EINTR);
                if (result < 0) {
                    failed(result);
                }
            }
        }
    }

    private static MemorySegment copy(Arena arena, byte[] bytes) {
        MemorySegment copy = arena.allocate(bytes.length, Long.BYTES);
        MemorySegment.copy(bytes, 0, copy, JAVA_BYTE, 0, bytes.length);
        return copy;
    }

    /** Receives the response to one query that was not answered at once, from any thread. */
    private final class BatchSink implements DnsResponder.Sink {
        private final int i;
        private final byte[] sender;
        private final byte[] destination;
        private final AtomicBoolean given = new AtomicBoolean();

        BatchSink(int i) {
            this.i = i;
            long query = i * Libc.MMSGHDR_BYTES;
            long control = received.get(JAVA_LONG, query + Libc.MSG_CONTROLLEN);
            if (control > 0) {
                clearInterface((long) i * Libc.PKTINFO_BYTES);
            }
            this.sender = sender(i)
                    .asSlice(0, received.get(JAVA_INT, query + Libc.MSG_NAMELEN))
                    .toArray(JAVA_BYTE);
            this.destination = destination(i).asSlice(0, control).toArray(JAVA_BYTE);
        }

        @Override
        public void response(ByteBuffer response) {
            try {
                if (Thread.currentThread() == thread
                        && answering == this
                        && response.remaining() <= Messages.MAX_BYTES) {
                    add(i, response);
                } else {
                    sendLater(sender, destination, response);
                }
            } finally {
                drop();
            }
        }

        @Override
        public void drop() {
            if (given.compareAndSet(false, true)) {
                inFlight.end();
            }
        }
    }
}
