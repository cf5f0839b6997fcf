package io.k8sdns.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * The sockets of one address, one per thread, among which the kernel shares out the clients (SO_REUSEPORT), and how they
 * end together.
 *
 * <p>A thread that waits in a blocking receive is woken by a datagram, and which sibling gets that is the kernel's choice,
 * the same one each time. So they end one after another: who is told leaves, and tells whoever the kernel chooses then.
 * The last one keeps its socket until the answers of all are sent.
 */
final class UdpSiblings {
    private final InetSocketAddress address;
    private final Serving serving;
    private final InFlight inFlight = new InFlight();

    /** Guarded by this. */
    private final List<UdpSocket> open = new ArrayList<>();

    private volatile boolean stopping;
    private volatile long deadline;

    private UdpSiblings(InetSocketAddress address, Serving serving) {
        this.address = address;
        this.serving = serving;
    }

    /**
     * Binds the sockets.
     *
     * @param address an address of this machine and a port, not 0
     * @param count how many
     * @return a listener for each
     * @throws IOException if the address cannot be bound
     */
    static List<UdpLoop> bind(InetSocketAddress address, int count, Serving serving, PortSharing sharing)
            throws IOException {
        UdpSiblings siblings = new UdpSiblings(address, serving);
        try {
            List<UdpLoop> listeners = new ArrayList<>();
            for (DatagramChannel channel :
                    Bind.udp(address, count, serving.limits().udpReceiveBufferBytes(), sharing)) {
                UdpSocket socket = new UdpSocket(channel, serving, siblings.inFlight, siblings::sendFromAny);
                siblings.open.add(socket);
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

    /** Returns whether a datagram tells its reader to leave. */
    boolean isFarewell(InetSocketAddress from) {
        return stopping && from.equals(address);
    }

    void stop(long deadline) {
        this.deadline = deadline;
        stopping = true;
        tellOne();
    }

    /**
     * Takes a sibling out that reads no more: its socket is closed unless it is the last.
     *
     * @throws InterruptedException if the last one's wait for the answers was interrupted
     */
    void leave(UdpSocket leaving) throws InterruptedException {
        boolean last;
        synchronized (this) {
            last = open.size() == 1;
            if (!last && open.remove(leaving)) {
                leaving.close();
            }
        }
        if (last) {
            inFlight.awaitNone(deadline);
        } else {
            tellOne();
        }
    }

    /** What was queued before is answered first. Should it get lost, each reader sends it again after each datagram. */
    synchronized void tellOne() {
        if (open.isEmpty()) {
            return;
        }
        try {
            open.get(0).sendTo(ByteBuffer.allocate(0), address);
        } catch (IOException lost) {
            abort();
        }
    }

    /** Sends an answer whose own socket is closed: the sender's address is the same. */
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
