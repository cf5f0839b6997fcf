package io.k8sdns.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Answers the datagrams that are sent to one address.
 *
 * <p>A plain blocking loop: two system calls a query, and no selector between them. Measured, this is the cheapest way
 * that the JDK has.
 */
final class UdpListener implements Listener {
    /** A failure that lasts must not spin. */
    static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final InetSocketAddress address;
    private final Serving serving;
    private final InFlight inFlight = new InFlight();
    private final UdpSocket socket;
    private volatile boolean stopping;
    private volatile long deadline;

    /**
     * Binds the socket.
     *
     * @param address an address of this machine and a port, not 0
     * @throws IOException if it cannot be bound
     */
    UdpListener(InetSocketAddress address, Serving serving) throws IOException {
        this.address = address;
        this.serving = serving;
        DatagramChannel channel = Bind.udp(address, serving.limits().udpReceiveBufferOctets());
        this.socket = new UdpSocket(channel, serving, inFlight);
    }

    @Override
    public String threadName() {
        return "k8sdns-udp-" + AddressText.of(address);
    }

    @Override
    public void run() {
        try {
            receive();
            inFlight.awaitNone(deadline);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } finally {
            socket.close();
        }
    }

    private void receive() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(Messages.MAX_OCTETS);
        while (socket.isOpen()) {
            try {
                InetSocketAddress from = socket.receive(buffer);
                if (from == null || (stopping && from.equals(address))) {
                    return;
                }
                socket.answer(buffer, from);
            } catch (IOException failed) {
                // What ICMP brings back from an earlier response ends nothing.
                if (socket.isOpen()) {
                    serving.failures().report("a query could not be received over UDP", failed);
                    LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
                }
            }
        }
    }

    /**
     * Has the socket send itself a datagram: the only way to end a blocking receive and keep the socket for the answers
     * that are due. What was queued before is answered first. Should it get lost, {@link #abort()} ends the wait.
     */
    @Override
    public void stop(long deadline) {
        this.deadline = deadline;
        stopping = true;
        try {
            socket.sendToItself();
        } catch (IOException lost) {
            abort();
        }
    }

    @Override
    public void abort() {
        inFlight.abandon();
        socket.close();
    }
}
