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
 * <p>A <i>wake-up datagram</i> ends the wait of a thread in a blocking receive. The kernel chooses the socket that gets it, the
 * same one each time, so the readers end one after another: the reader that gets the datagram closes its socket and sends the
 * next one. The last reader keeps its socket until the answers of all sockets are sent.
 *
 * <p>If another server shares the port, the kernel may choose a socket of that server each time. Then wake-up datagrams are sent from
 * changing ports until all readers have left; the other server drops them, because they are too short to be queries. The last
 * reader continues to answer until no answer is in flight, because queries that arrive at its socket in the meantime would
 * otherwise be lost.
 */
final class ReusePortSockets {
    private static final long BETWEEN_WAKE_UPS_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final InetSocketAddress address;
    private final QueryHandler handler;
    private final boolean sharesPort;
    private final InFlight inFlight = new InFlight();
    private final long wakeUpId = new SecureRandom().nextLong();
    private final AtomicInteger readers = new AtomicInteger();

    /** Guarded by this. */
    private final List<UdpSocket> open = new ArrayList<>();

    private volatile boolean stopping;
    private volatile long deadline;

    private ReusePortSockets(InetSocketAddress address, QueryHandler handler, boolean sharesPort) {
        this.address = address;
        this.handler = handler;
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
    static List<UdpLoop> bind(InetSocketAddress address, int count, QueryHandler handler, PortSharing sharing)
            throws IOException {
        ReusePortSockets sockets = new ReusePortSockets(address, handler, sharing != PortSharing.NONE);
        try {
            List<UdpLoop> listeners = new ArrayList<>();
            for (DatagramChannel channel :
                    BoundChannels.udp(address, count, handler.limits().udpReceiveBufferBytes(), sharing)) {
                UdpSocket socket = new UdpSocket(channel, handler, sockets.inFlight, sockets::sendFromAny);
                sockets.open.add(socket);
                sockets.readers.incrementAndGet();
                listeners.add(new UdpListener(sockets, socket, listeners.size() + 1));
            }
            return listeners;
        } catch (IOException | RuntimeException failed) {
            sockets.abort();
            throw failed;
        }
    }

    InetSocketAddress address() {
        return address;
    }

    QueryHandler handler() {
        return handler;
    }

    boolean isStopping() {
        return stopping;
    }

    /** Returns whether a datagram is a wake-up datagram, which ends its reader. */
    boolean isWakeUp(InetSocketAddress from, ByteBuffer datagram) {
        return stopping
                && (from.equals(address)
                        || datagram.remaining() == Long.BYTES && datagram.getLong(datagram.position()) == wakeUpId);
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

    /** Sends wake-up datagrams until all readers have left. */
    private void wakeAll() {
        while (readers.get() > 0 && System.nanoTime() - deadline < 0) {
            if (readers.get() > 1 || inFlight.isNone()) {
                sendWakeUp();
            }
            LockSupport.parkNanos(BETWEEN_WAKE_UPS_NANOS);
        }
    }

    /** Sends a wake-up datagram from a new port, because the kernel chooses the receiver by the port of the sender. */
    private void sendWakeUp() {
        try (DatagramChannel sender =
                BoundChannels.udp(new InetSocketAddress(address.getAddress(), 0), Long.BYTES, PortSharing.NONE)) {
            sender.send(ByteBuffer.allocate(Long.BYTES).putLong(0, wakeUpId), address);
        } catch (IOException lost) {
            // The next datagram may arrive; at the deadline the sockets are closed anyway.
        }
    }

    /**
     * Removes the socket of a reader that has ended, and closes it unless it is the last.
     *
     * @throws InterruptedException if the wait of the last reader for the answers was interrupted
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

    /** Sends a wake-up datagram after the datagrams that are queued. It may get lost, so readers send it again. */
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

    /** Sends a response whose own socket is closed, from another socket of the same address. */
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
