package io.k8sdns.sockets;

import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * A zone of a few kinds of names: {@code big*.test.} has 5,000 addresses, more than a message can carry; {@code later*.test.} is
 * answered when the test completes it with {@link Asked#complete()}; {@code blocks.test.} blocks its thread until then; {@code broken.test.}
 * throws; {@code interrupts.test.} leaves the thread interrupted; every other name has one address.
 */
final class TestZone implements DnsResolver {
    static final int BIG = 5_000;

    /** The maximum time that a test waits; only a hanging test reaches it. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Limits that no test reaches, even on a slow machine. */
    static final ServerLimits PATIENT = ServerLimits.builder()
            .idle(Duration.ofHours(1))
            .receive(Duration.ofHours(1))
            .answer(Duration.ofHours(1))
            .send(Duration.ofHours(1))
            .drain(PATIENCE)
            .build();

    /** A question that is pending until {@link #answer()} completes. */
    record Asked(Question question, Client client, CompletableFuture<Answer> answer) {
        void complete() {
            answer.complete(one(question.name()));
        }
    }

    private final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    private final AtomicBoolean blocking = new AtomicBoolean(true);
    private final AtomicInteger bigAsked = new AtomicInteger();
    private final List<Record> big = IntStream.range(0, BIG)
            .mapToObj(i -> address(name("big.test."), 10, 0, i >> 8, i & 0xFF))
            .toList();

    @Override
    public Resolution resolve(Question question, Client client) {
        String label = question.name().getLabelString(0);
        if (label.startsWith("later") || label.startsWith("blocks") && blocking.get()) {
            Asked waiting = new Asked(question, client, new CompletableFuture<>());
            asked.add(waiting);
            return label.startsWith("later")
                    ? new Resolution.Pending(waiting.answer())
                    : new Resolution.Ready(waiting.answer().join());
        }
        if (label.startsWith("broken")) {
            throw new AssertionError("a resolver of a host");
        }
        if (label.startsWith("interrupts")) {
            Thread.currentThread().interrupt();
        }
        if (label.startsWith("big")) {
            bigAsked.incrementAndGet();
            return new Resolution.Ready(Answer.builder(0)
                    .authoritative()
                    .answer(List.of(new RecordSet(question.name(), RecordType.A, 5, big)))
                    .build());
        }
        return new Resolution.Ready(one(question.name()));
    }

    DnsResponder responder() {
        return DnsResponder.builder(this).build();
    }

    /** Returns a responder whose datagrams have as many bytes as the client accepts. */
    DnsResponder responderOfLargeDatagrams() {
        return DnsResponder.builder(this).udpLimit(65_535).build();
    }

    /** Returns the next pending question. */
    Asked nextAsked() throws InterruptedException {
        Asked next = asked.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        if (next == null) {
            throw new AssertionError("nothing was asked");
        }
        return next;
    }

    /** Ends the blocking of {@code blocks.test.}, which then has one address. */
    void stopBlocking() {
        blocking.set(false);
    }

    boolean hasAsked() {
        return !asked.isEmpty();
    }

    /** Returns how often names of 5,000 addresses were queried. */
    int bigAsked() {
        return bigAsked.get();
    }

    DnsServer serve(ServerLimits limits) throws IOException {
        return serve(limits, 2);
    }

    DnsServer serve(ServerLimits limits, int udpThreads) throws IOException {
        return DnsServer.builder(List.of(loopback(0)), responder())
                .limits(limits)
                .udpThreads(udpThreads)
                .start();
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(ip("127.0.0.1"), port);
    }

    static InetAddress ip(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    static Name name(String text) {
        return Name.fromConstantString(text);
    }

    static byte[] query(int id, String name) {
        Message query = Message.newQuery(Record.newRecord(name(name), Type.A, DClass.IN));
        query.getHeader().setID(id);
        return query.toWire();
    }

    /** Returns a query that accepts responses of this many bytes. */
    static byte[] query(int id, String name, int bytes) {
        Message query = Message.newQuery(Record.newRecord(name(name), Type.A, DClass.IN));
        query.getHeader().setID(id);
        query.addRecord(new OPTRecord(bytes, 0, 0), Section.ADDITIONAL);
        return query.toWire();
    }

    static Message parsed(byte[] response) {
        try {
            return new Message(response);
        } catch (IOException malformed) {
            throw new AssertionError(malformed);
        }
    }

    private static Answer one(Name name) {
        return Answer.builder(0)
                .authoritative()
                .answer(List.of(RecordSet.of(address(name, 192, 0, 2, 1))))
                .build();
    }

    private static Record address(Name owner, int... octets) {
        try {
            return new ARecord(owner, DClass.IN, 5, InetAddress.getByAddress(new byte[] {
                (byte) octets[0], (byte) octets[1], (byte) octets[2], (byte) octets[3]
            }));
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
