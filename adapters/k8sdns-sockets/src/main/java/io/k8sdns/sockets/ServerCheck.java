package io.k8sdns.sockets;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.sockets.parallel.ParallelQuestions;
import io.k8sdns.verify.AnswerDifference;
import io.k8sdns.verify.Expectation;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.WireParseException;

/**
 * Checks a running DNS server, of any kind: sends the question of each {@link Expectation} over UDP and over TCP, and
 * reports which answers differ.
 *
 * <pre>{@code
 * List<Expectation> expectations = Expectations.of(zone.current(), snapshot, Visibility.ALL);
 * ServerCheck.Report report = ServerCheck.of(server).run(expectations);
 * assertThat(report.differences()).isEmpty();
 * }</pre>
 *
 * <p>A truncated answer over UDP is fetched over TCP and compared then. One question is sent at a time, on the calling thread,
 * unless {@link #withConcurrency} is set. Immutable, and can be shared by threads: each run has its own {@link DnsClient}s.
 */
public final class ServerCheck {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(3);

    /** After this many unanswered questions in a row over one transport, the server is considered down. */
    private static final int UNANSWERED_LIMIT = 5;

    private static final int MAX_CONCURRENCY = 1_024;

    private final InetSocketAddress server;
    private final Duration timeout;
    private final int concurrency;
    private final Consumer<Difference> listener;

    private ServerCheck(InetSocketAddress server, Duration timeout, int concurrency, Consumer<Difference> listener) {
        this.server = server;
        this.timeout = timeout;
        this.concurrency = concurrency;
        this.listener = listener;
    }

    /**
     * Returns a check with a timeout of 3 seconds for each answer and without a listener.
     *
     * @param server the server's address and port
     */
    public static ServerCheck of(InetSocketAddress server) {
        return new ServerCheck(Objects.requireNonNull(server, "server"), DEFAULT_TIMEOUT, 1, difference -> {});
    }

    /**
     * Returns this check with another timeout.
     *
     * @param value the time for one answer; within it the question is sent three times over UDP
     * @throws IllegalArgumentException if it is zero or negative
     */
    public ServerCheck withTimeout(Duration value) {
        Objects.requireNonNull(value, "timeout");
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException("timeout: not positive: " + value);
        }
        return new ServerCheck(server, value, concurrency, listener);
    }

    /**
     * Returns this check with another number of questions that are sent at the same time, each on its own thread. The first
     * question is sent alone. Differences are still reported in the order of the questions, on the thread that runs the check.
     *
     * @param value the number of questions, 1 to 1024
     * @throws IllegalArgumentException if it is another number
     */
    public ServerCheck withConcurrency(int value) {
        if (value < 1 || value > MAX_CONCURRENCY) {
            throw new IllegalArgumentException("concurrency: not in 1 to " + MAX_CONCURRENCY + ": " + value);
        }
        return new ServerCheck(server, timeout, value, listener);
    }

    /**
     * Returns this check with a listener, for progress: each difference is passed to it as soon as it is found, on the
     * thread that runs the check.
     */
    public ServerCheck withListener(Consumer<Difference> value) {
        return new ServerCheck(server, timeout, concurrency, Objects.requireNonNull(value, "listener"));
    }

    /**
     * Sends all questions, in order, and compares the answers. A question that gets no answer is a difference.
     *
     * @param expectations the questions and what they should return
     * @return the number of names and the differences
     * @throws IOException if the server does not answer the first question, or five questions in a row over one transport; the
     *     message names the server. Or if the thread is interrupted; its interrupt status remains set
     */
    public Report run(List<Expectation> expectations) throws IOException {
        List<Expectation> questions = Copies.list("expectations", expectations);
        List<Difference> differences = new ArrayList<>();
        Consumer<List<Difference>> found = some -> some.forEach(difference -> {
            differences.add(difference);
            listener.accept(difference);
        });
        Counters counters = new Counters();
        int alone = concurrency == 1 ? questions.size() : Math.min(1, questions.size());
        try (Run run = new Run(counters)) {
            for (Expectation expectation : questions.subList(0, alone)) {
                found.accept(run.ask(expectation));
            }
        }
        if (alone < questions.size()) {
            ParallelQuestions.ask(
                    questions.subList(alone, questions.size()),
                    concurrency,
                    "k8sdns-check",
                    () -> new Run(counters),
                    found);
        }
        long names = questions.stream().map(Expectation::name).distinct().count();
        return new Report(Math.toIntExact(names), differences);
    }

    /**
     * The difference between one answer and its expectation.
     *
     * @param answer what differs
     * @param transports the transports over which this was found; both if the answers over UDP and TCP were equal
     */
    public record Difference(AnswerDifference answer, Set<Transport> transports) {
        /** Checks the components and copies the set. */
        public Difference {
            Objects.requireNonNull(answer, "answer");
            if (Copies.set("transports", transports).isEmpty()) {
                throw new IllegalArgumentException("transports is empty: pass at least one");
            }
            transports = Collections.unmodifiableSet(EnumSet.copyOf(transports));
        }

        /** Returns the question and what it should return. */
        public Expectation expectation() {
            return answer.expectation();
        }

        /** Returns what differs, for example {@code missing 10.96.0.11; not expected 10.96.0.10}. */
        public String text() {
            return answer.toString();
        }

        /**
         * Returns one line: the objects behind the name, the question, the transport if it is only one, and the difference.
         * For example {@code Service shop/web: web.shop.svc.cluster.local. A over TCP: expected 10.96.0.11, got NXDOMAIN}.
         */
        @Override
        public String toString() {
            return line(text());
        }

        /** Returns the same line with another text of the difference. */
        @Internal
        public String line(String text) {
            String over = transports.size() > 1
                    ? ""
                    : " over " + transports.iterator().next();
            return expectation() + over + ": " + text;
        }
    }

    /**
     * The result of a check.
     *
     * @param names the number of different names that were queried
     * @param differences what differs, in the order of the questions; empty if the server answers as expected
     */
    public record Report(int names, List<Difference> differences) {
        /** Copies the list. */
        public Report {
            differences = Copies.list("differences", differences);
        }

        /** Returns a summary: {@code 42 names, 0 differences}. */
        @Override
        public String toString() {
            return counted(names, "name") + ", " + counted(differences.size(), "difference");
        }

        private static String counted(int number, String noun) {
            return number + " " + noun + (number == 1 ? "" : "s");
        }
    }

    /** The number of questions of a check, and of those in a row that were not answered, over each transport. */
    private static final class Counters {
        private final Map<Transport, Integer> unanswered = new EnumMap<>(Transport.class);
        private int asked;

        /** Returns the number of the next question, from 1. */
        synchronized int next() {
            return ++asked;
        }

        synchronized void answered(Transport transport) {
            unanswered.remove(transport);
        }

        /** Returns whether a question without an answer ends the check. */
        synchronized boolean isLast(Transport transport) {
            return asked == 1 || unanswered.merge(transport, 1, Integer::sum) == UNANSWERED_LIMIT;
        }
    }

    /** The sockets of one thread. */
    private final class Run implements ParallelQuestions.QuestionClient<Expectation, List<Difference>> {
        private final DnsClient client = new DnsClient();
        private final Counters counters;

        Run(Counters counters) {
            this.counters = counters;
        }

        @Override
        public List<Difference> ask(Expectation expectation) throws IOException {
            Optional<AnswerDifference> udp = ask(expectation, Transport.UDP);
            Optional<AnswerDifference> tcp = ask(expectation, Transport.TCP);
            List<Difference> found = new ArrayList<>();
            if (udp.equals(tcp)) {
                udp.ifPresent(one -> found.add(new Difference(one, EnumSet.allOf(Transport.class))));
            } else {
                udp.ifPresent(one -> found.add(new Difference(one, Set.of(Transport.UDP))));
                tcp.ifPresent(one -> found.add(new Difference(one, Set.of(Transport.TCP))));
            }
            return found;
        }

        private Optional<AnswerDifference> ask(Expectation expectation, Transport transport) throws IOException {
            // A response that has already arrived is read without waiting, so that the interrupt would not be noticed.
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted while checking " + AddressText.of(server));
            }
            byte[] query = expectation.query(counters.next() & 0xFFFF).toWire();
            byte[] response;
            try {
                response = client.exchange(query, server, transport, timeout);
            } catch (IOException failed) {
                return unanswered(expectation, transport, failed);
            }
            counters.answered(transport);
            Message message;
            try {
                message = new Message(response);
            } catch (WireParseException malformed) {
                return Optional.of(
                        AnswerDifference.ofNoAnswer(expectation, "malformed answer: " + malformed.getMessage()));
            }
            return transport == Transport.UDP && message.getHeader().getFlag(Flags.TC)
                    ? ask(expectation, Transport.TCP)
                    : expectation.difference(message);
        }

        private Optional<AnswerDifference> unanswered(Expectation expectation, Transport transport, IOException failed)
                throws IOException {
            if (Thread.currentThread().isInterrupted() || counters.isLast(transport)) {
                throw failed;
            }
            return Optional.of(AnswerDifference.ofNoAnswer(expectation, "no answer: " + failed.getMessage()));
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }
}
