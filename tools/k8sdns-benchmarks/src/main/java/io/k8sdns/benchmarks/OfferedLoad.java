package io.k8sdns.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/**
 * A load generator that sends at a fixed rate, independent of the answers: {@code OfferedLoad PORT SERVICES SECONDS RATE...}, with
 * rates in queries per second, 0 for the maximum. Load generators that wait for answers never offer more than the server's capacity.
 *
 * <p>Prints a Markdown row for each rate: offered, answered and lost queries, and the latency of answers in microseconds as seen by
 * this client, whose sending and receiving threads share its processor.
 */
public final class OfferedLoad {
    private static final int IDS = 1 << 16;
    private static final int NAMES = 4_096;

    /** Shorter waits spin, because a parked thread may wake up this much later. */
    private static final long SPIN_NANOS = 100_000;

    /** The default time without an answer after which unanswered queries count as lost. */
    static final Duration QUIET = Duration.ofSeconds(1);

    private final DatagramChannel channel = DatagramChannel.open();
    private final ByteBuffer[] queries = new ByteBuffer[NAMES];

    /** The time at which the query with an id was sent; 0 after its answer. */
    private final AtomicLongArray sent = new AtomicLongArray(IDS);

    private final int[] micros = new int[1 << 24];
    private volatile int answered;

    private final PrintStream out;
    private final Duration quiet;

    OfferedLoad(PrintStream out, int port, int services) throws IOException {
        this(out, port, services, QUIET);
    }

    /**
     * Connects to a server on this machine.
     *
     * @param quiet the time without an answer after which unanswered queries count as lost
     */
    OfferedLoad(PrintStream out, int port, int services, Duration quiet) throws IOException {
        this.out = out;
        this.quiet = quiet;
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 22);
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        for (int i = 0; i < NAMES; i++) {
            byte[] query = Message.newQuery(Record.newRecord(
                            Name.fromConstantString("service-" + i * 7_919L % services + ".shop.svc.cluster.local."),
                            Type.A,
                            DClass.IN))
                    .toWire();
            queries[i] = ByteBuffer.allocateDirect(query.length).put(query).flip();
        }
    }

    /** Offers one rate after the other. */
    public static void main(String[] args) throws Exception {
        for (int i = 3; i < args.length; i++) {
            OfferedLoad load = new OfferedLoad(System.out, Integer.parseInt(args[0]), Integer.parseInt(args[1]));
            load.offer(Double.parseDouble(args[2]), Integer.parseInt(args[i]));
        }
    }

    /** Sends {@code seconds * rate} queries, or at rate 0 as many as possible in that time, and prints the row. */
    void offer(double seconds, int rate) throws Exception {
        Thread receiver = new Thread(this::receive, "receiver");
        receiver.start();
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        long number = rate == 0 ? Long.MAX_VALUE : Math.round(seconds * rate);
        int offered = 0;
        for (; offered < number; offered++) {
            if (rate != 0) {
                waitUntil(begin + (long) (offered * 1e9 / rate));
            } else if (System.nanoTime() >= end) {
                break;
            }
            int id = offered & IDS - 1;
            ByteBuffer query = queries[offered & NAMES - 1];
            query.putShort(0, (short) id);
            sent.set(id, System.nanoTime());
            channel.write(query.rewind());
        }
        double took = Math.max(seconds, (System.nanoTime() - begin) / 1e9);
        awaitAnswers(offered);
        channel.close();
        receiver.join();
        int[] sorted = Arrays.copyOf(micros, answered);
        Arrays.sort(sorted);
        out.println(String.format(
                Locale.ROOT,
                "| %,.0f | %,.0f | %.1f %% | %,d | %,d | %,d |",
                offered / took,
                answered / took,
                100.0 * (offered - answered) / offered,
                at(sorted, 0.5),
                at(sorted, 0.99),
                at(sorted, 0.999)));
    }

    private static void waitUntil(long due) {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            if (left > SPIN_NANOS) {
                LockSupport.parkNanos(left - SPIN_NANOS / 2);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /** Waits until all queries are answered or the quiet time has passed without an answer. */
    private void awaitAnswers(int offered) {
        int before = answered;
        for (long last = System.nanoTime();
                before < offered && System.nanoTime() - last < quiet.toNanos();
                LockSupport.parkNanos(1_000_000)) {
            if (before != answered) {
                before = answered;
                last = System.nanoTime();
            }
        }
    }

    private static int at(int[] sorted, double part) {
        return sorted.length == 0 ? 0 : sorted[(int) (part * (sorted.length - 1))];
    }

    private void receive() {
        ByteBuffer answer = ByteBuffer.allocateDirect(4_096);
        int count = 0;
        try {
            while (true) {
                channel.read(answer.clear());
                long now = System.nanoTime();
                long when = sent.getAndSet(answer.getShort(0) & IDS - 1, 0);
                if (when != 0 && count < micros.length) {
                    micros[count++] = (int) ((now - when) / 1_000);
                    answered = count;
                }
            }
        } catch (AsynchronousCloseException over) {
            // The channel is closed after the last rate.
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
