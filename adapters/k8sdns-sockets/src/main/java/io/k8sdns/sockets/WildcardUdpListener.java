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
 * <p>A client drops a response that comes from elsewhere than it asked, and for a socket that is bound to the wildcard
 * the kernel chooses where a response comes from. The JDK tells nobody where a datagram was sent to (it has no
 * IP_PKTINFO), so here every address has its socket, all of them on one thread. The addresses of the machine are looked
 * up again every few seconds: one that appears later is answered from then on, the socket of one that is gone is freed.
 * That is one file descriptor per address, also where a node's dummy interface holds thousands of Service addresses.
 *
 * <p>The selector costs more per query than {@link UdpListener} does; who minds listens at the address itself.
 */
final class WildcardUdpListener implements UdpLoop {
    /** How often the addresses of the machine are looked up: now and then, for it costs a few system calls. */
    static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

    /** So that one busy address does not keep the others waiting. */
    private static final int DATAGRAMS_PER_TURN = 64;

    private final InetSocketAddress wildcard;
    private final Serving serving;
    private final PortSharing sharing;
    private final LocalAddresses localAddresses;
    private final Duration lookAgain;
    private final InFlight inFlight = new InFlight();
    private final Map<InetAddress, UdpSocket> bound = new HashMap<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(Messages.MAX_OCTETS);
    private final DnsSession session;
    private final Selector selector;
    private volatile boolean stopping;
    private volatile boolean aborted;
    private volatile long deadline;

    /**
     * Binds the sockets of the addresses that there are.
     *
     * @param wildcard the wildcard and a port, not 0
     * @param sharing whether other sockets may be bound to its addresses
     * @param localAddresses what the wildcard stands for
     * @param lookAgain how often that is asked
     * @throws IOException if the port cannot be had at an address
     */
    WildcardUdpListener(
            InetSocketAddress wildcard,
            Serving serving,
            PortSharing sharing,
            LocalAddresses localAddresses,
            Duration lookAgain)
            throws IOException {
        this.wildcard = wildcard;
        this.serving = serving;
        this.sharing = sharing;
        this.session = serving.responder().session();
        this.localAddresses = localAddresses;
        this.lookAgain = lookAgain;
        this.selector = Selector.open();
        try {
            for (InetAddress address : localAddresses.behind(wildcard.getAddress())) {
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
        long lookAgainAt = System.nanoTime() + lookAgain.toNanos();
        while (!stopping) {
            long wait = lookAgainAt - System.nanoTime();
            if (wait <= 0) {
                lookAgain();
                lookAgainAt = System.nanoTime() + lookAgain.toNanos();
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
        // What was queued when the end was announced is answered; whoever keeps sending is not waited for.
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
        serving.failures().report("a query could not be received over UDP", failure);
        LockSupport.parkNanos(UdpListener.PAUSE_AFTER_FAILURE_NANOS);
    }

    private void lookAgain() {
        Set<InetAddress> now;
        try {
            now = localAddresses.behind(wildcard.getAddress());
        } catch (IOException failed) {
            serving.failures().report("the addresses of this machine could not be read", failed);
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
                serving.failures().report("a new address could not be bound for UDP", failed);
            }
        }
    }

    private void bind(InetAddress address) throws IOException {
        if (bound.containsKey(address)) {
            return;
        }
        DatagramChannel channel;
        try {
            channel = Bind.udp(
                    new InetSocketAddress(address, wildcard.getPort()),
                    serving.limits().udpReceiveBufferBytes(),
                    sharing);
        } catch (IOException failed) {
            if (isUsable(address)) {
                throw failed;
            }
            return;
        }
        channel.configureBlocking(false);
        UdpSocket socket = new UdpSocket(channel, serving, inFlight, (response, to) -> {
            // This machine has the address no more.
        });
        channel.register(selector, SelectionKey.OP_READ, socket);
        bound.put(address, socket);
    }

    /** An address that no port can be had at, such as one of IPv6 that is still being probed, is not in use yet. */
    private static boolean isUsable(InetAddress address) throws IOException {
        try (DatagramChannel any = Bind.udp(new InetSocketAddress(address, 0), Messages.MAX_OCTETS, PortSharing.NONE)) {
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
            serving.failures().report("a selector could not be closed", failed);
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
