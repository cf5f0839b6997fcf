package io.k8sdns.wire;

import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/**
 * Answers messages: bytes in, bytes out. A host wires it to its transport; it opens no socket and starts no thread, and
 * any number of threads may use it at once.
 *
 * <p>Every message has exactly one outcome, and none is an exception:
 *
 * <table>
 *   <caption>Outcomes before the resolver is asked</caption>
 *   <tr><th>message</th><th>outcome</th></tr>
 *   <tr><td>fewer than 12 bytes; a response (QR set)</td><td>silence</td></tr>
 *   <tr><td>OPCODE other than QUERY</td><td>NOTIMP</td></tr>
 *   <tr><td>QDCOUNT other than 1; a message that cannot be decoded; bytes behind the last record; more than one OPT</td>
 *       <td>FORMERR</td></tr>
 *   <tr><td>EDNS version other than 0 (RFC 6891, 6.1.3)</td><td>BADVERS</td></tr>
 * </table>
 *
 * <p>Every other message is the resolver's. If the resolver throws or returns null, if its stage fails, or if its answer
 * cannot be written, the response is SERVFAIL and the cause goes to {@link Builder#failures}. That includes every
 * {@link Error}. A {@link VirtualMachineError} that a resolver throws, for example {@link OutOfMemoryError}, is then also
 * thrown to the caller of {@link #respond}, after the response has been sent, because it concerns the whole process. A
 * {@link StackOverflowError} concerns one question and is not.
 *
 * <p>Each response repeats the id, OPCODE, RD and CD of the query, and the question if it can be read. It has an OPT record
 * iff the query has one: with the same DO bit, without the client's options, and with the extended error and the options of the answer.
 *
 * <p>A response over UDP has at most 512 bytes, or as many as the client's OPT record allows, up to {@link Builder#udpLimit};
 * over TCP it has at most 65,535. A larger one is cut: TC is set iff a record of the answer section is missing.
 */
public final class DnsResponder {
    private final DnsResolver resolver;
    private final AnswerOrder order;
    private final Optional<RandomGenerator> random;
    private final int udpLimit;
    private final Consumer<Question> tooLarge;
    private final Optional<FastPath> fastPath;
    private final Optional<ResponseObserver> observer;
    private final FailureObserver failures;
    private final UnaryOperator<Client> clients;
    private final LongAdder onSlowPath = new LongAdder();

    /** The session that callers without one share; when several respond at once, the others get a new one. */
    private final AtomicReference<@Nullable DnsSession> spare = new AtomicReference<>();

    private DnsResponder(Builder builder) {
        this.resolver = builder.resolver;
        this.order = builder.order;
        this.random = builder.random;
        this.udpLimit = builder.udpLimit;
        this.tooLarge = builder.tooLarge;
        this.observer = builder.observer;
        this.failures = builder.failures;
        this.clients = builder.clients;
        this.fastPath = builder.fast && order != AnswerOrder.SHUFFLE
                ? Optional.of(new FastPath(order == AnswerOrder.ROTATE, udpLimit))
                : Optional.empty();
    }

    /** Returns a builder of a responder that asks this resolver. */
    public static Builder builder(DnsResolver resolver) {
        return new Builder(Objects.requireNonNull(resolver, "resolver"));
    }

    /**
     * Returns a new session, for a thread that answers many messages: ordinary questions about a zone are answered from its
     * index without allocating, unless addresses are shuffled.
     */
    public DnsSession session() {
        return new DnsSession(this);
    }

    /**
     * Answers a message, for callers without a session; any number of threads may call it at once.
     *
     * @param query the message, from position to limit; not changed, and not read after this method has returned
     * @param client the client
     * @param sink takes the response, exactly once, before this method returns if the answer is ready; or nothing, when the
     *     message gets no response
     */
    public void respond(ByteBuffer query, Client client, Sink sink) {
        DnsSession session = spare.getAndSet(null);
        if (session == null) {
            session = session();
        }
        session.respond(query, client, sink);
        spare.set(session);
    }

    /** Reads a message into a session and answers it on the fast path; returns whether the session holds the response. */
    boolean answer(DnsSession session, ByteBuffer query, Client.Transport transport) {
        // First of all: if anything below throws, the session must not still hold another client's message.
        session.isQuery = false;
        session.isQuery = session.query.read(query);
        session.transport = transport;
        session.failure = null;
        session.isTried = false;
        session.received = observer.isPresent() ? observer.get().received() : 0;
        if (!session.isQuery || fastPath.isEmpty()) {
            return false;
        }
        return answer(session, null);
    }

    /** Answers the message that a session has read from the resolver's direct answers, for one client or for all clients. */
    private boolean answer(DnsSession session, @Nullable Client client) {
        int length;
        try {
            Optional<DirectAnswers> direct = client == null ? resolver.direct() : resolver.direct(client);
            session.isTried = direct.isPresent();
            length = direct.isEmpty()
                    ? FastPath.SLOW_PATH
                    : fastPath.orElseThrow().answer(direct.get(), session);
        } catch (Throwable thrown) {
            // Reported with the SERVFAIL of the slow path. Throwable: hosts in other languages throw checked
            // exceptions, too.
            session.failure = thrown;
            return false;
        }
        if (length == FastPath.SLOW_PATH) {
            return false;
        }
        session.hold(length);
        if (observer.isPresent()) {
            FastPath.report(observer.get(), session, length);
        }
        return true;
    }

    /** Answers the message that a session has read: from the resolver's direct answers for the client, or on the slow path. */
    void respond(DnsSession session, Client client, Sink sink) {
        boolean isQuestion = session.isQuery && session.query.isQuestion();
        Client known = isQuestion ? known(session, client) : client;
        boolean isUntried = isQuestion && !session.isTried && session.failure == null && fastPath.isPresent();
        if (isUntried && answer(session, known)) {
            sink.response(session.response());
            return;
        }
        onSlowPath.increment();
        int octets = session.query.length();
        if (!session.isQuery) {
            if (observer.isPresent()) {
                observer.get().silence(session.received, client.transport(), octets);
            }
            sink.silence();
            return;
        }
        Query asked = session.query.query();
        int limit = limit(asked, client);
        Reply reply = new Reply(asked, limit, session.received, client.transport(), octets);
        Resolution resolution = new Resolution.Ready(Answer.FAILED);
        Throwable failure = session.failure;
        if (failure == null) {
            try {
                resolution = resolution(asked, known.withResponseLimit(limit));
            } catch (Throwable thrown) {
                // Throwable: hosts in other languages throw checked exceptions, too.
                failure = thrown;
            }
        }
        if (failure != null) {
            failed(asked, failure);
        }
        resolution.deliver(answer -> sink.response(write(reply, answer)), cause -> failed(asked, cause));
        if (failure instanceof VirtualMachineError fatal && !(failure instanceof StackOverflowError)) {
            throw fatal;
        }
    }

    /**
     * Returns the client with the EDNS options and the DO and CD bits of its message, and what the host knows of it. If that
     * fails, the client is unchanged and the answer is SERVFAIL.
     */
    private Client known(DnsSession session, Client client) {
        try {
            Client sender = sender(session.query, client);
            return Objects.requireNonNull(clients.apply(sender), "clients returned null instead of a client");
        } catch (Throwable thrown) {
            session.failure = thrown;
            return client;
        }
    }

    private static Client sender(QueryReader query, Client client) {
        List<EDNSOption> options = query.ednsOptions();
        boolean dnssecOk = query.hasEdns() && query.dnssecOk() != 0;
        if (options.isEmpty()
                && dnssecOk == client.dnssecOk()
                && query.checkingDisabled() == client.checkingDisabled()) {
            return client;
        }
        Client.Builder sender = client.toBuilder().dnssecOk(dnssecOk).checkingDisabled(query.checkingDisabled());
        return (options.isEmpty() ? sender : sender.ednsOptions(options)).build();
    }

    /** Reports why a question is answered with SERVFAIL. */
    private void failed(Query query, Throwable failure) {
        query.question().ifPresent(question -> {
            try {
                failures.failed(question, failure);
            } catch (Throwable ignored) {
                // The observer's own failure must not cost the client its answer.
            }
        });
    }

    /** Returns how many messages took the slow path: were resolved and written in full. */
    public long slowPathCount() {
        return onSlowPath.sum();
    }

    private Resolution resolution(Query query, Client client) {
        if (query.opcode() != Opcode.QUERY) {
            return failure(Rcode.NOTIMP);
        }
        if (query.malformed() || query.question().isEmpty()) {
            return failure(Rcode.FORMERR);
        }
        if (query.edns().isPresent() && query.edns().get().version() != 0) {
            return failure(Rcode.BADVERS);
        }
        return Objects.requireNonNull(
                resolver.resolve(query.question().get(), client), "the resolver returned null instead of a resolution");
    }

    private static Resolution failure(int rcode) {
        return new Resolution.Ready(Answer.failure(rcode));
    }

    private int limit(Query query, Client client) {
        if (client.transport() == Client.Transport.TCP) {
            return MessageWriter.MOST_OCTETS;
        }
        int allowed = query.edns().map(Query.Edns::payload).orElse(Client.MIN_RESPONSE_LIMIT);
        return Math.max(Client.MIN_RESPONSE_LIMIT, Math.min(allowed, udpLimit));
    }

    private ByteBuffer write(Reply reply, Answer answer) {
        Query query = reply.query;
        Function<RecordSet, List<Record>> inOrder =
                answer.isOrdered() ? RecordSet::records : last -> ordered(last, query.id());
        Answer written = answer;
        ByteBuffer response;
        try {
            response = MessageWriter.write(query, answer, reply.limit, inOrder);
            if (reply.limit == MessageWriter.MOST_OCTETS && MessageWriter.isCut(response)) {
                query.question().ifPresent(tooLarge);
            }
        } catch (RuntimeException | Error unwritable) {
            failed(query, unwritable);
            written = Answer.FAILED;
            response = MessageWriter.write(query, written, reply.limit, inOrder);
        }
        if (observer.isPresent()) {
            reply.report(observer.get(), written.rcode(), response);
        }
        return response;
    }

    private List<Record> ordered(RecordSet last, int id) {
        List<Record> records = last.records();
        int count = records.size();
        if (order == AnswerOrder.STABLE
                || count == 1
                || last.typeNumber() != Type.A && last.typeNumber() != Type.AAAA) {
            return records;
        }
        if (order == AnswerOrder.ROTATE) {
            return new Reordered(records, i -> (i + id) % count);
        }
        RandomGenerator generator = random.orElseThrow();
        int[] places = new int[count];
        Arrays.setAll(places, i -> i);
        for (int i = count - 1; i > 0; i--) {
            int other = generator.nextInt(i + 1);
            int place = places[i];
            places[i] = places[other];
            places[other] = place;
        }
        return new Reordered(records, i -> places[i]);
    }

    /** Records in another order. Only those are asked for that are, since of thousands a message has room for few. */
    private static final class Reordered extends AbstractList<Record> {
        private final List<Record> records;
        private final IntUnaryOperator place;

        Reordered(List<Record> records, IntUnaryOperator place) {
            this.records = records;
            this.place = place;
        }

        @Override
        public int size() {
            return records.size();
        }

        @Override
        public Record get(int index) {
            return records.get(place.applyAsInt(index));
        }
    }

    /** The query that a response on the slow path answers, and what its observer is given. */
    private record Reply(Query query, int limit, long received, Client.Transport transport, int queryOctets) {
        void report(ResponseObserver observer, int rcode, ByteBuffer response) {
            observer.response(
                    received,
                    transport,
                    query.question().map(asked -> asked.type().number()).orElse(ResponseObserver.NO_TYPE),
                    query.edns().isPresent() && query.edns().get().dnssecOk(),
                    rcode,
                    MessageWriter.isCut(response),
                    queryOctets,
                    response.remaining());
        }
    }

    /** Takes the outcome of one message: exactly one of its methods is called, once. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Sends a response: before {@code respond} returns if the answer is ready, otherwise later, on whatever thread completes
         * it, for example a forwarder's. An exception that this throws goes to that thread, or to the caller of {@code respond}.
         *
         * @param response the message, from position to limit; valid only until this method returns
         */
        void response(ByteBuffer response);

        /** Sends nothing: the message is to be ignored. For transports that reserve resources for each response. */
        default void silence() {}
    }

    /** Collects what a responder needs. */
    public static final class Builder {
        private final DnsResolver resolver;
        private AnswerOrder order = AnswerOrder.ROTATE;
        private Optional<RandomGenerator> random = Optional.empty();
        private int udpLimit = MessageWriter.PAYLOAD;
        private Consumer<Question> tooLarge = question -> {};
        private Optional<ResponseObserver> observer = Optional.empty();
        private FailureObserver failures = FailureObserver.NONE;
        private UnaryOperator<Client> clients = client -> client;
        private boolean fast = true;

        private Builder(DnsResolver resolver) {
            this.resolver = resolver;
        }

        /** Sets the order of addresses, except of an {@linkplain Answer#isOrdered ordered} answer; {@link AnswerOrder#ROTATE} unless set. */
        public Builder order(AnswerOrder value) {
            order = Objects.requireNonNull(value, "order");
            return this;
        }

        /**
         * Sets the randomness of {@link AnswerOrder#SHUFFLE}.
         *
         * @param value used by every thread that calls {@link DnsResponder#respond}
         */
        public Builder random(RandomGenerator value) {
            random = Optional.of(Objects.requireNonNull(value, "random"));
            return this;
        }

        /**
         * Sets the largest size of a response over UDP, in bytes; by default 1232, which no network fragments.
         *
         * @param bytes 512 to 65535
         */
        public Builder udpLimit(int bytes) {
            if (bytes < Client.MIN_RESPONSE_LIMIT || bytes > MessageWriter.MOST_OCTETS) {
                throw new IllegalArgumentException("not a size of UDP responses (512 to 65535): " + bytes);
            }
            udpLimit = bytes;
            return this;
        }

        /**
         * Sets a listener for answers of more than 65,535 bytes, which are cut over TCP, too; none by default.
         *
         * @param value called with the question, in the thread that answers it; must be quick and must not throw
         */
        public Builder tooLarge(Consumer<Question> value) {
            tooLarge = Objects.requireNonNull(value, "tooLarge");
            return this;
        }

        /**
         * Sets the observer of every outcome, for metrics; none by default.
         *
         * @param value called by every thread that answers
         */
        public Builder observer(ResponseObserver value) {
            observer = Optional.of(Objects.requireNonNull(value, "observer"));
            return this;
        }

        /**
         * Sets the observer of failures: of a resolver that throws, returns null or whose stage fails, and of an answer
         * that cannot be written. {@link FailureObserver#NONE} unless set. Failures of a forwarder go to {@link
         * io.k8sdns.upstream.ForwardingResolver.Builder#failures} instead.
         *
         * <pre>{@code
         * DnsResponder.builder(resolver).failures((question, cause) -> log.warn(question + ": " + cause)).build();
         * }</pre>
         *
         * @param value called by every thread that answers
         */
        public Builder failures(FailureObserver value) {
            failures = Objects.requireNonNull(value, "failures");
            return this;
        }

        /**
         * Sets a function that adds to a client what the host knows of it, for example the namespace of the Pod that has its
         * address. Transports such as {@code DnsServer} and the handlers for Netty know the address only. A client of which the
         * host knows nothing is returned as it is; so is every client by default.
         *
         * <p>Called for each question whose answer depends on the client, by every thread that answers, so it must be quick. The
         * client that it takes has the EDNS options and the DO and CD bits of the message. If it throws, the answer is SERVFAIL and
         * the exception goes
         * to {@link #failures}.
         *
         * @param value for example {@code client -> client.toBuilder().namespace("shop").build()}
         */
        public Builder clients(UnaryOperator<Client> value) {
            clients = Objects.requireNonNull(value, "clients");
            return this;
        }

        /** Turns the fast path off, so that tests can compare it with the slow path. */
        Builder slowPathOnly() {
            fast = false;
            return this;
        }

        /**
         * Returns the responder.
         *
         * @throws IllegalStateException if it should shuffle and has no randomness
         */
        public DnsResponder build() {
            if (order == AnswerOrder.SHUFFLE && random.isEmpty()) {
                throw new IllegalStateException("AnswerOrder.SHUFFLE needs random(..)");
            }
            return new DnsResponder(this);
        }
    }
}
