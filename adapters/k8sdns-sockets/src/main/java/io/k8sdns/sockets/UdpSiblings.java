package io.k8sdns.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The sockets of one address, one per thread, among which the kernel distributes the clients (SO_REUSEPORT). Ends them together.
 *
 * <p>A datagram (a "farewell") wakes a thread that waits in a blocking receive. The kernel chooses the socket that gets it, the
 * same one each time, so the siblings end one after another: the reader that gets the farewell closes its socket and sends the
 * next one. The last reader keeps its socket until the answers of all siblings are sent.
 *
 * <p>If another server shares the port, the kernel may choose a socket of that server each time. Then farewells are sent from
 * changing ports until all readers have left; the other server drops them, because they are too short to be queries. The last
 * reader continues to answer until no answer is in flight, because queries that arrive at its socket in the meantime would
 * otherwise be lost.
 */
final class UdpSiblings {
    private static final long BETWEEN_FAREWELLS_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final InetSocketAddress address;
    private final Serving serving;
    private final boolean sharesPort;
    private final InFlight inFlight = new InFlight();
    private final long farewell = new SecureRandom().nextLong();
    private final AtomicInteger readers = new AtomicInteger();

    /** Guarded by this. */
    private final List<UdpSocket> open = new ArrayList<>();

    private volatile boolean stopping;
    private volatile long deadline;

    private UdpSiblings(InetSocketAddress address, Serving serving, boolean sharesPort) {
        this.address = address;
        this.serving = serving;
        this.sharesPort = sharesPort;
    }

    /**
     * Binds the sockets.
     *
     * @param address an address of this machine and a port, not 0
     * @param count their number
     * @return a listener for each
     * @throws IOException if the address cannot be bound
     */
    static List<UdpLoop> bind(InetSocketAddress address, int count, Serving serving, PortSharing sharing)
            throws IOException {
        UdpSiblings siblings = new UdpSiblings(address, serving, sharing != PortSharing.NONE);
        try {
            List<UdpLoop> listeners = new ArrayList<>();
            for (DatagramChannel channel :
                    Bind.udp(address, count, serving.limits().udpReceiveBufferBytes(), sharing)) {
                UdpSocket socket = new UdpSocket(channel, serving, siblings.inFlight, siblings::sendFromAny);
                siblings.open.add(socket);
                siblings.readers.incrementAndGet();
                listeners.add(new UdpListener(siblings, socket, listeners.size() + 1));
            }
            return listeners;
        } catch (IOException | RuntimeException failed) {
            siblings.abort();
            throw failed;
        }
    }

    InetSocketAddress address() {
        return address;
    }

    Serving serving() {
        return serving;
    }

    boolean isStopping() {
        return stopping;
    }

    /** Returns whether a datagram is a farewell, which ends its reader. */
    boolean isFarewell(InetSocketAddress from, ByteBuffer datagram) {
        return stopping
                && (from.equals(address)
                        || datagram.remaining() == Long.BYTES && datagram.getLong(datagram.position()) == farewell);
    }

    void stop(long deadline) {
        this.deadline = deadline;
        boolean stops = !stopping;
        stopping = true;
        if (!sharesPort) {
            wakeOne();
        } else if (stops) {
            Thread waker = new Thread(this::wakeAll, "k8sdns-udp-stop");
            waker.setDaemon(true);
            waker.start();
        }
    }

    /** Sends farewells until all readers have left. */
    private void wakeAll() {
        while (readers.get() > 0 && System.nanoTime() - deadline < 0) {
            if (readers.get() > 1 || inFlight.isNone()) {
                sendFarewell();
            }
            LockSupport.parkNanos(BETWEEN_FAREWELLS_NANOS);
        }
    }

    /** Sends a farewell from a new port, because the kernel chooses the receiver by the port of the sender. */
    private void sendFarewell() {
        try (DatagramChannel sender =
                Bind.udp(new InetSocketAddress(address.getAddress(), 0), Long.BYTES, PortSharing.NONE)) {
            sender.send(ByteBuffer.allocate(Long.BYTES).putLong(0, farewell), address);
        } catch (IOException lost) {
            // The next farewell may arrive; at the deadline the sockets are closed anyway.
        }
    }

    /**
     * Removes a sibling that has stopped reading, and closes its socket unless it is the last.
     *
     * @throws InterruptedException if the wait of the last sibling for the answers was interrupted
     */
    void leave(UdpSocket leaving) throws InterruptedException {
        boolean last;
        readers.decrementAndGet();
        synchronized (this) {
            last = open.size() == 1;
            if (!last && open.remove(leaving)) {
                leaving.close();
            }
        }
        if (last) {
            inFlight.awaitNone(deadline);
        } else {
            wakeOne();
        }
    }

    /** Sends a farewell after the datagrams that are queued. It may get lost, so readers send it again. */
    synchronized void wakeOne() {
        if (sharesPort || open.isEmpty()) {
            return;
        }
        try {
            open.get(0).sendTo(ByteBuffer.allocate(0), address);
        } catch (IOException lost) {
            abort();
        }
    }

    /** Sends a response whose own socket is closed, from a sibling, which has the same address. */
    private synchronized void sendFromAny(ByteBuffer response, InetSocketAddress to) throws IOException {
        if (!open.isEmpty()) {
            open.get(0).sendTo(response, to);
        }
    }

    synchronized void abort() {
        inFlight.abandon();
        open.forEach(UdpSocket::close);
        open.clear();
    }
}
