package io.k8sdns.sockets;

import io.k8sdns.wire.DnsSession;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Answers the datagrams that are sent to one socket of one address.
 *
 * <p>A blocking loop with two system calls for each query and no selector: in measurements the cheapest loop that the JDK allows.
 */
final class UdpListener implements UdpLoop {
    /** The pause after a failure, so that a lasting failure does not spin. */
    static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * The maximum number of datagrams that are answered after the server was stopped, so that a busy client cannot delay the end.
     */
    static final int LAST_DATAGRAMS = 1_024;

    private final ReusePortSockets sockets;
    private final UdpSocket socket;
    private final int number;

    /**
     * Takes over a socket.
     *
     * @param number its number among the sockets of the address, from 1
     */
    UdpListener(ReusePortSockets sockets, UdpSocket socket, int number) {
        this.sockets = sockets;
        this.socket = socket;
        this.number = number;
    }

    @Override
    public int receiveBufferBytes() throws IOException {
        return socket.receiveBufferBytes();
    }

    @Override
    public String threadName() {
        return Listener.udpThreadName(sockets.address(), number);
    }

    @Override
    public void run() {
        try {
            receive();
            sockets.leave(socket);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } finally {
            socket.close();
        }
    }

    private void receive() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(Messages.MAX_BYTES);
        DnsSession session = sockets.handler().responder().session();
        int last = LAST_DATAGRAMS;
        while (socket.isOpen()) {
            try {
                InetSocketAddress from = socket.receive(buffer);
                if (from == null || sockets.isWakeUp(from, buffer)) {
                    return;
                }
                socket.answer(buffer, from, session);
            } catch (IOException failed) {
                // ICMP errors of earlier responses arrive here, and must not end the loop.
                if (socket.isOpen()) {
                    sockets.handler().failures().report("a query could not be received over UDP", failed);
                    LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
                }
            }
            if (sockets.isStopping()) {
                // A full queue drops the wake-up datagram, so it is sent again after each datagram.
                sockets.wakeOne();
                if (--last == 0) {
                    return;
                }
            }
        }
    }

    @Override
    public void stop(long deadline) {
        sockets.stop(deadline);
    }

    @Override
    public void abort() {
        sockets.abort();
    }
}
