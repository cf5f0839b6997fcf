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
 * Answers the datagrams that are sent to one socket: takes all that are there with one system call, and sends all answers
 * with another.
 *
 * <p>A socket at a wildcard learns with each datagram where it was sent to, and answers from there (IP_PKTINFO).
 *
 * <p>The system's structures lie in memory outside the heap, made once: for each datagram of a batch a header, a place
 * for the sender's address, one for where it was sent to, and one for its octets. An answer's header points at the
 * query's address. What answers later has copies, and sends them on its own.
 */
final class BatchedUdpListener implements UdpLoop {
    /** Datagrams taken at once. More gain nothing measurable. */
    private static final int BATCH = 32;

    /** From one datagram's octets to the next one's: not the size of a page, so that they share no lines of the cache. */
    private static final int QUERY_STRIDE = 65_536 + 192;

    /** Answers of a batch; full well before its end, so that the longest one fits whenever it is not. */
    private static final int ANSWERS_OCTETS = 1 << 17;

    /** Where a system does not wake a receive whose socket is shut down. */
    private static final long WAKE_SECONDS = 1;

    private static final ValueLayout.OfShort NETWORK_SHORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private final InetSocketAddress address;
    private final Serving serving;
    private final int number;
    private final boolean six;
    private final InFlight inFlight = new InFlight();
    private final DnsSession session;

    /** Closed with the socket, under the lock. */
    private final Arena arena = Arena.ofShared();

    private final MemorySegment state = Libc.state(arena);
    private final MemorySegment received = arena.allocate(BATCH * Libc.MMSGHDR_OCTETS, Long.BYTES);
    private final MemorySegment answers = arena.allocate(BATCH * Libc.MMSGHDR_OCTETS, Long.BYTES);
    private final MemorySegment vectors = arena.allocate(2 * BATCH * Libc.IOVEC_OCTETS, Long.BYTES);
    private final MemorySegment senders = arena.allocate(BATCH * Libc.SOCKADDR_IN6_OCTETS, Long.BYTES);
    private final MemorySegment destinations = arena.allocate(BATCH * Libc.PKTINFO_OCTETS, Long.BYTES);
    private final MemorySegment answered = arena.allocate(ANSWERS_OCTETS, Long.BYTES);
    private final ByteBuffer answersView = answered.asByteBuffer();
    private final ByteBuffer[] queries = new ByteBuffer[BATCH];
    private final int socket;
    private final int receiveBufferBytes;

    private final Object lock = new Object();
    private boolean closed;

    // The answers that wait for the end of the batch.
    private int waiting;
    private int waitingOctets;
    private @Nullable Reply answering;
    private @Nullable Thread thread;

    private volatile boolean stopping;
    private volatile boolean aborted;
    private volatile long deadline;

    /**
     * Binds a socket.
     *
     * @param address an address of this machine or a wildcard, and a port, not 0
     * @param number which of the sockets at this address it is, from 1
     * @param sharing whether other sockets may be bound to the address
     * @throws IOException if it cannot be bound
     */
    BatchedUdpListener(InetSocketAddress address, int number, PortSharing sharing, Serving serving) throws IOException {
        this.address = address;
        this.serving = serving;
        this.session = serving.responder().session();
        this.number = number;
        this.six = address.getAddress() instanceof Inet6Address;
        int opened = Libc.socket(state, six ? Libc.AF_INET6 : Libc.AF_INET, Libc.SOCK_DGRAM | Libc.SOCK_CLOEXEC);
        if (opened < 0) {
            arena.close();
            throw Bind.failed(address, "this machine has no " + (six ? "IPv6" : "IPv4") + ": " + Libc.error(-opened));
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
            option(temporary, Libc.SOL_SOCKET, Libc.SO_RCVBUF, serving.limits().udpReceiveBufferBytes());
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
            // Linux says twice what it was asked for; the JDK halves it, too.
            return value.get(JAVA_INT, 0) / 2;
        }
    }

    private MemorySegment socketAddress(Arena arena) {
        byte[] octets = address.getAddress().getAddress();
        MemorySegment to = arena.allocate(six ? Libc.SOCKADDR_IN6_OCTETS : Libc.SOCKADDR_IN_OCTETS, Long.BYTES);
        to.set(JAVA_SHORT, Libc.SIN_FAMILY, (short) (six ? Libc.AF_INET6 : Libc.AF_INET));
        to.set(NETWORK_SHORT, Libc.SIN_PORT, (short) address.getPort());
        MemorySegment.copy(octets, 0, to, JAVA_BYTE, six ? Libc.SIN6_ADDR : Libc.SIN_ADDR, octets.length);
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
            throw Bind.failed(address, result == -Libc.EADDRINUSE ? "in use" : Libc.error(-result));
        }
    }

    private void layOut() {
        MemorySegment octets = Libc.map(state, arena, (long) BATCH * QUERY_STRIDE);
        for (int i = 0; i < BATCH; i++) {
            long header = i * Libc.MMSGHDR_OCTETS;
            long vector = i * Libc.IOVEC_OCTETS;
            MemorySegment query = octets.asSlice((long) i * QUERY_STRIDE, Messages.MAX_OCTETS);
            queries[i] = query.asByteBuffer();
            vectors.set(ADDRESS, vector + Libc.IOV_BASE, query);
            vectors.set(JAVA_LONG, vector + Libc.IOV_LEN, Messages.MAX_OCTETS);
            received.set(ADDRESS, header + Libc.MSG_NAME, sender(i));
            received.set(ADDRESS, header + Libc.MSG_IOV, vectors.asSlice(vector));
            received.set(JAVA_LONG, header + Libc.MSG_IOVLEN, 1);
            received.set(ADDRESS, header + Libc.MSG_CONTROL, destination(i));
            answers.set(ADDRESS, header + Libc.MSG_IOV, vectors.asSlice(BATCH * Libc.IOVEC_OCTETS + vector));
            answers.set(JAVA_LONG, header + Libc.MSG_IOVLEN, 1);
        }
        expect(BATCH);
    }

    private MemorySegment sender(int i) {
        return senders.asSlice((long) i * Libc.SOCKADDR_IN6_OCTETS, Libc.SOCKADDR_IN6_OCTETS);
    }

    private MemorySegment destination(int i) {
        return destinations.asSlice((long) i * Libc.PKTINFO_OCTETS, Libc.PKTINFO_OCTETS);
    }

    /** Says anew how much room there is, where the kernel has said how much it took. */
    private void expect(int count) {
        for (int i = 0; i < count; i++) {
            long header = i * Libc.MMSGHDR_OCTETS;
            received.set(JAVA_INT, header + Libc.MSG_NAMELEN, Libc.SOCKADDR_IN6_OCTETS);
            received.set(JAVA_LONG, header + Libc.MSG_CONTROLLEN, Libc.PKTINFO_OCTETS);
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
                serving.failures()
                        .report("a query could not be received over UDP", new IOException(Libc.error(-count)));
                LockSupport.parkNanos(UdpListener.PAUSE_AFTER_FAILURE_NANOS);
            }
            int real = answerAll(count);
            if (stopping) {
                // The socket is shut down: what was queued still comes, and then nothing at once.
                last = real == 0 ? 0 : last - real;
            }
        }
    }

    /** Answers what was received; returns how many were datagrams of somebody. */
    private int answerAll(int count) {
        int real = 0;
        for (int i = 0; i < count; i++) {
            long header = i * Libc.MMSGHDR_OCTETS;
            // A socket that is shut down gives nothing, from nobody.
            if (received.get(JAVA_INT, header + Libc.MSG_NAMELEN) > 0) {
                real++;
                answer(i, received.get(JAVA_INT, header + Libc.MSG_LEN));
            }
        }
        flush();
        expect(count);
        return real;
    }

    private void answer(int i, int octets) {
        ByteBuffer query = queries[i].clear().limit(octets);
        if (serving.answer(session, query, Client.Transport.UDP)) {
            add(i, session.response());
            return;
        }
        inFlight.begin();
        Reply reply = new Reply(i);
        answering = reply;
        if (!serving.respond(session, Client.udp(from(i)), reply)) {
            reply.silence();
        }
        answering = null;
    }

    private InetSocketAddress from(int i) {
        MemorySegment sender = sender(i);
        int port = Short.toUnsignedInt(sender.get(NETWORK_SHORT, Libc.SIN_PORT));
        byte[] octets = sender.asSlice(six ? Libc.SIN6_ADDR : Libc.SIN_ADDR, six ? 16 : 4)
                .toArray(JAVA_BYTE);
        int scope = six ? sender.get(JAVA_INT, Libc.SIN6_SCOPE_ID) : 0;
        try {
            InetAddress address =
                    scope == 0 ? InetAddress.getByAddress(octets) : Inet6Address.getByAddress(null, octets, scope);
            return new InetSocketAddress(address, port);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Puts an answer to the others of its batch. */
    private void add(int i, ByteBuffer response) {
        int octets = response.remaining();
        if (waitingOctets + octets > ANSWERS_OCTETS) {
            flush();
        }
        answersView.put(waitingOctets, response, response.position(), octets);
        long header = waiting * Libc.MMSGHDR_OCTETS;
        long vector = (BATCH + waiting) * Libc.IOVEC_OCTETS;
        vectors.set(JAVA_LONG, vector + Libc.IOV_BASE, answered.address() + waitingOctets);
        vectors.set(JAVA_LONG, vector + Libc.IOV_LEN, octets);
        address(answers, header, i);
        waiting++;
        waitingOctets += octets;
    }

    /** Has an answer go to where the query came from, and come from where that went to. */
    private void address(MemorySegment headers, long header, int i) {
        long query = i * Libc.MMSGHDR_OCTETS;
        long destination = (long) i * Libc.PKTINFO_OCTETS;
        long control = received.get(JAVA_LONG, query + Libc.MSG_CONTROLLEN);
        headers.set(JAVA_LONG, header + Libc.MSG_NAME, senders.address() + (long) i * Libc.SOCKADDR_IN6_OCTETS);
        headers.set(JAVA_INT, header + Libc.MSG_NAMELEN, received.get(JAVA_INT, query + Libc.MSG_NAMELEN));
        headers.set(JAVA_LONG, header + Libc.MSG_CONTROL, control == 0 ? 0 : destinations.address() + destination);
        headers.set(JAVA_LONG, header + Libc.MSG_CONTROLLEN, control);
        if (control > 0) {
            leaveTheWayToTheKernel(destination);
        }
    }

    /**
     * The kernel says at which interface a datagram came in. The answer need not leave there; but the address of a link
     * means nothing without it.
     */
    private void leaveTheWayToTheKernel(long destination) {
        if (!six) {
            destinations.set(JAVA_INT, destination + Libc.IPI_IFINDEX, 0);
            return;
        }
        boolean ofLink = destinations.get(JAVA_BYTE, destination + Libc.IPI6_ADDR) == (byte) 0xFE
                && (destinations.get(JAVA_BYTE, destination + Libc.IPI6_ADDR + 1) & 0xC0) == 0x80;
        if (!ofLink) {
            destinations.set(JAVA_INT, destination + Libc.IPI6_IFINDEX, 0);
        }
    }

    /** Sends the answers that wait. */
    private void flush() {
        int sent = 0;
        while (sent < waiting) {
            MemorySegment rest = sent == 0 ? answers : answers.asSlice(sent * Libc.MMSGHDR_OCTETS);
            int count = Libc.send(state, socket, rest, waiting - sent);
            if (count > 0) {
                sent += count;
            } else if (count != -Libc.EINTR) {
                // One that cannot be sent (too long, forbidden, no room) is dropped, as the network may.
                failed(count);
                sent++;
            }
        }
        waiting = 0;
        waitingOctets = 0;
    }

    private void failed(int result) {
        serving.failures().report("a response could not be sent over UDP", new IOException(Libc.error(-result)));
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

    /** Ends a receive that waits. A socket without a peer cannot be shut down, says Linux, and does. */
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

    // ---- answers that are not given at once ----

    /** Sends one datagram from any thread. */
    private void sendLater(byte[] sender, byte[] destination, ByteBuffer response) {
        int octets = response.remaining();
        synchronized (lock) {
            if (closed) {
                return;
            }
            try (Arena temporary = Arena.ofConfined()) {
                MemorySegment header = temporary.allocate(Libc.MMSGHDR_OCTETS, Long.BYTES);
                MemorySegment vector = temporary.allocate(Libc.IOVEC_OCTETS, Long.BYTES);
                MemorySegment message = temporary.allocate(Math.max(1, octets));
                message.asByteBuffer().put(0, response, response.position(), octets);
                vector.set(ADDRESS, Libc.IOV_BASE, message);
                vector.set(JAVA_LONG, Libc.IOV_LEN, octets);
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

    private static MemorySegment copy(Arena arena, byte[] octets) {
        MemorySegment copy = arena.allocate(octets.length, Long.BYTES);
        MemorySegment.copy(octets, 0, copy, JAVA_BYTE, 0, octets.length);
        return copy;
    }

    /** Where the response to one query goes, from any thread, when it is no answer at once. */
    private final class Reply implements DnsResponder.Sink {
        private final int i;
        private final byte[] sender;
        private final byte[] destination;
        private final AtomicBoolean given = new AtomicBoolean();

        Reply(int i) {
            this.i = i;
            long query = i * Libc.MMSGHDR_OCTETS;
            long control = received.get(JAVA_LONG, query + Libc.MSG_CONTROLLEN);
            if (control > 0) {
                leaveTheWayToTheKernel((long) i * Libc.PKTINFO_OCTETS);
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
                        && response.remaining() <= Messages.MAX_OCTETS) {
                    add(i, response);
                } else {
                    sendLater(sender, destination, response);
                }
            } finally {
                silence();
            }
        }

        @Override
        public void silence() {
            if (given.compareAndSet(false, true)) {
                inFlight.end();
            }
        }
    }
}
