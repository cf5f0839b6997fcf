package io.k8sdns.sockets;

import io.k8sdns.wire.DnsSession;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Answers the datagrams that are sent to any address of this machine, each from the address that it was sent to.
 *
 * <p>A client drops a response that does not come from the address of its query, and for a socket that is bound to the wildcard the
 * kernel chooses the source address. The JDK does not report the destination of a datagram (it has no IP_PKTINFO), so every address
 * has a socket of its own, all on one thread. The addresses of the machine are read again every few seconds: a new address gets a
 * socket, and the socket of a removed address is closed. This needs one file descriptor per address, even if a dummy interface of
 * the node has thousands of Service addresses.
 *
 * <p>The selector makes a query more expensive than in {@link UdpListener}; to avoid it, listen on the individual addresses.
 */
final class WildcardUdpListener implements UdpLoop {
    /** The time between two reads of the machine's addresses; each costs a few system calls. */
    static final Duration RESCAN = Duration.ofSeconds(5);

    /** The maximum number of datagrams of one address in a row, so that other addresses do not wait for a busy one. */
    private static final int DATAGRAMS_PER_TURN = 64;

    private final InetSocketAddress wildcard;
    private final QueryHandler handler;
    private final PortSharing sharing;
    private final LocalAddresses localAddresses;
    private final Duration rescan;
    private final InFlight inFlight = new InFlight();
    private final Map<InetAddress, UdpSocket> bound = new HashMap<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(Messages.MAX_BYTES);
    private final DnsSession session;
    private final Selector selector;
    private volatile boolean stopping;
    private volatile boolean aborted;
    private volatile long deadline;

    /**
     * Binds a socket at each address of the machine.
     *
     * @param wildcard the wildcard and a port, not 0
     * @param sharing whether other sockets may be bound to its addresses
     * @param localAddresses the addresses that the wildcard stands for
     * @param rescan how often they are read
     * @throws IOException if the port cannot be bound at an address
     */
    WildcardUdpListener(
            InetSocketAddress wildcard,
            QueryHandler handler,
            PortSharing sharing,
            LocalAddresses localAddresses,
            Duration rescan)
            throws IOException {
        this.wildcard = wildcard;
        this.handler = handler;
        this.sharing = sharing;
        this.session = handler.responder().session();
        this.localAddresses = localAddresses;
        this.rescan = rescan;
        this.selector = Selector.open();
        try {
            for (InetAddress address : localAddresses.coveredBy(wildcard.getAddress())) {
                bind(address);
            }
        } catch (IOException | RuntimeException failed) {
            free();
            throw failed;
        }
    }

    @Override
    public int receiveBufferBytes() throws IOException {
        for (UdpSocket socket : bound.values()) {
            return socket.receiveBufferBytes();
        }
        return 0;
    }

    @Override
    public String threadName() {
        return Listener.udpThreadName(wildcard, 1);
    }

    @Override
    public void run() {
        try {
            receive();
            inFlight.awaitNone(deadline);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } finally {
            free();
        }
    }

    private void receive() {
        long rescanAt = System.nanoTime() + rescan.toNanos();
        while (!stopping) {
            long wait = rescanAt - System.nanoTime();
            if (wait <= 0) {
                rescan();
                rescanAt = System.nanoTime() + rescan.toNanos();
                continue;
            }
            try {
                selector.select(
                        key -> answer((UdpSocket) key.attachment(), DATAGRAMS_PER_TURN),
                        TimeUnit.NANOSECONDS.toMillis(wait) + 1);
            } catch (IOException failed) {
                failed(failed);
            }
        }
        // Answers the datagrams that were queued when the server was stopped, but not an endless stream of later ones.
        if (!aborted) {
            bound.values().forEach(socket -> answer(socket, UdpListener.LAST_DATAGRAMS));
        }
    }

    private void answer(UdpSocket socket, int atMost) {
        try {
            for (int i = 0; i < atMost; i++) {
                InetSocketAddress from = socket.receive(buffer);
                if (from == null) {
                    return;
                }
                socket.answer(buffer, from, session);
            }
        } catch (IOException failed) {
            if (socket.isOpen()) {
                failed(failed);
            }
        }
    }

    private void failed(IOException failure) {
        handler.failures().report("a query could not be received over UDP", failure);
        LockSupport.parkNanos(UdpListener.PAUSE_AFTER_FAILURE_NANOS);
    }

    private void rescan() {
        Set<InetAddress> now;
        try {
            now = localAddresses.coveredBy(wildcard.getAddress());
        } catch (IOException failed) {
            handler.failures().report("the addresses of this machine could not be read", failed);
            return;
        }
        bound.forEach((address, socket) -> {
            if (!now.contains(address)) {
                socket.close();
            }
        });
        bound.keySet().retainAll(now);
        for (InetAddress address : now) {
            try {
                bind(address);
            } catch (IOException failed) {
                handler.failures().report("a new address could not be bound for UDP", failed);
            }
        }
    }

    private void bind(InetAddress address) throws IOException {
        if (bound.containsKey(address)) {
            return;
        }
        DatagramChannel channel;
        try {
            channel = BoundChannels.udp(
                    new InetSocketAddress(address, wildcard.getPort()),
                    handler.limits().udpReceiveBufferBytes(),
                    sharing);
        } catch (IOException failed) {
            if (isUsable(address)) {
                throw failed;
            }
            return;
        }
        channel.configureBlocking(false);
        UdpSocket socket = new UdpSocket(channel, handler, inFlight, (response, to) -> {
            // The machine has lost the address, so the response cannot be sent.
        });
        channel.register(selector, SelectionKey.OP_READ, socket);
        bound.put(address, socket);
    }

    /** Returns whether any port can be bound at an address; none can while an IPv6 address is still being probed. */
    private static boolean isUsable(InetAddress address) throws IOException {
        try (DatagramChannel any =
                BoundChannels.udp(new InetSocketAddress(address, 0), Messages.MAX_BYTES, PortSharing.NONE)) {
            return any.isOpen();
        } catch (BindException unusable) {
            return false;
        }
    }

    private void free() {
        bound.values().forEach(UdpSocket::close);
        try {
            selector.close();
        } catch (IOException failed) {
            handler.failures().report("a selector could not be closed", failed);
        }
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
        inFlight.abandon();
        stop(System.nanoTime());
    }
}
