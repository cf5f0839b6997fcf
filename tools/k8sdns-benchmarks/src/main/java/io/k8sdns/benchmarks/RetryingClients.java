package io.k8sdns.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/**
 * Clients that retry like glibc's resolver with default options: {@code RetryingClients PORT SECONDS RATE NAME}. Each lookup has a
 * socket at a new port. It repeats its query after five seconds without an answer, and fails after another five seconds.
 *
 * <p>Prints the number of lookups, of those with a second query and of failed ones, and the longest duration.
 */
public final class RetryingClients {
    private static final int ATTEMPTS = 2;
    private static final int THREADS = 64;

    private final int port;
    private final Duration timeout;
    private final byte[] query;
    private final AtomicInteger lookups = new AtomicInteger();
    private final AtomicInteger retried = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger longestMicros = new AtomicInteger();

    /** Creates clients of a server on this machine. */
    RetryingClients(int port, Name name, Duration timeout) {
        this.port = port;
        this.timeout = timeout;
        this.query = Message.newQuery(Record.newRecord(name, Type.A, DClass.IN)).toWire();
    }

    /** Looks up a name at a rate. */
    public static void main(String[] args) throws Exception {
        RetryingClients clients =
                new RetryingClients(Integer.parseInt(args[0]), Name.fromString(args[3]), Duration.ofSeconds(5));
        clients.run(Double.parseDouble(args[1]), Integer.parseInt(args[2]));
        clients.print(System.out);
    }

    /** Starts {@code seconds * rate} lookups at equal intervals, later if all threads are busy; returns when all have ended. */
    void run(double seconds, int rate) throws InterruptedException {
        long begin = System.nanoTime();
        int number = (int) (seconds * rate);
        AtomicInteger next = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(
                    () -> {
                        for (int one = next.getAndIncrement(); one < number; one = next.getAndIncrement()) {
                            long due = begin + one * 1_000_000_000L / rate;
                            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                                LockSupport.parkNanos(left);
                            }
                            lookUp(one);
                        }
                    },
                    "client-" + i);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void lookUp(int number) {
        lookups.incrementAndGet();
        long begin = System.nanoTime();
        if (!isAnswered((short) number)) {
            failed.incrementAndGet();
        }
        longestMicros.accumulateAndGet((int) ((System.nanoTime() - begin) / 1_000), Math::max);
    }

    private boolean isAnswered(short id) {
        byte[] message = query.clone();
        ByteBuffer.wrap(message).putShort(0, id);
        byte[] answer = new byte[512];
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout((int) timeout.toMillis());
            socket.connect(InetAddress.getLoopbackAddress(), port);
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                if (attempt > 0) {
                    retried.incrementAndGet();
                }
                try {
                    socket.send(new DatagramPacket(message, message.length));
                    DatagramPacket received = new DatagramPacket(answer, answer.length);
                    do {
                        socket.receive(received);
                    } while (ByteBuffer.wrap(answer).getShort() != id);
                    return (answer[3] & 0x0F) == Rcode.NOERROR;
                } catch (SocketTimeoutException | PortUnreachableException unanswered) {
                    // Continues with the next attempt.
                }
            }
            return false;
        } catch (IOException broken) {
            throw new IllegalStateException(broken);
        }
    }

    /** Returns the number of failed lookups. */
    int failed() {
        return failed.get();
    }

    /** Returns the number of lookups with a second query. */
    int retried() {
        return retried.get();
    }

    void print(PrintStream out) {
        out.println(String.format(
                Locale.ROOT,
                "%d lookups, %d with a second query, %d failed, longest %.1f ms",
                lookups.get(),
                retried.get(),
                failed.get(),
                longestMicros.get() / 1_000.0));
    }
}
