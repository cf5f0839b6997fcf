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
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Header;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;

/**
 * Answers DNS messages: bytes in, bytes out. The host connects it to a transport: a responder opens no socket and starts no
 * thread. Thread-safe.
 *
 * <p>Every message has exactly one outcome, and none is an exception:
 *
 * <table>
 *   <caption>Messages that do not reach the resolver</caption>
 *   <tr><th>message</th><th>outcome</th></tr>
 *   <tr><td>fewer than 12 bytes; a response (QR set)</td><td>dropped, without a response</td></tr>
 *   <tr><td>OPCODE other than QUERY</td><td>NOTIMP</td></tr>
 *   <tr><td>QDCOUNT other than 1; a message that cannot be decoded; bytes after the last record; more than one OPT</td>
 *       <td>FORMERR</td></tr>
 *   <tr><td>EDNS version other than 0 (RFC 6891, 6.1.3)</td><td>BADVERS</td></tr>
 * </table>
 *
 * <p>The resolver answers every other message. If the resolver throws or returns null, if its stage fails, or if its answer
 * cannot be written, the response is SERVFAIL and the cause is reported to {@link Builder#failures}. That
 * includes every {@link Error}. If a resolver throws a {@link VirtualMachineError}, for example {@link OutOfMemoryError},
 * {@link #respond} rethrows it after it has sent the response, because the error concerns the whole process. It does not rethrow
 * a {@link StackOverflowError}, which concerns one question.
 *
 * <p>Each response repeats the id, OPCODE, RD and CD of the query, and the question if it can be decoded. It has an OPT record if
 * and only if the query has one: with the same DO bit, without the client's options, and with the extended error and the options of
 * the answer.
 *
 * <p>A response over UDP has at most 512 bytes, or as many as the client's OPT record allows, up to {@link Builder#udpLimit}; over
 * TCP it has at most 65,535. A larger one is truncated: TC is set if and only if a record of the answer section is missing.
 */
public final class DnsResponder {
    private final DnsResolver resolver;
    private final AddressOrder order;
    private final int udpLimit;
    private final Consumer<Question> tooLarge;
    private final Optional<FastPath> fastPath;
    private final Optional<ResponseObserver> observer;
    private final FailureObserver failures;
    private final UnaryOperator<Client> clients;
    private final LongAdder onSlowPath = new LongAdder();

    /** The session for callers without one; null while a caller uses it, so that concurrent callers create their own. */
    private final AtomicReference<@Nullable DnsSession> shared = new AtomicReference<>();

    private DnsResponder(Builder builder) {
        this.resolver = builder.resolver;
        this.order = new AddressOrder(builder.order, builder.random);
        this.udpLimit = builder.udpLimit;
        this.tooLarge = builder.tooLarge;
        this.observer = builder.observer;
        this.failures = builder.failures;
        this.clients = builder.clients;
        this.fastPath = builder.fast ? Optional.of(new FastPath(order, udpLimit)) : Optional.empty();
    }

    /** Returns a builder of a responder that answers with this resolver. */
    public static Builder builder(DnsResolver resolver) {
        return new Builder(Objects.requireNonNull(resolver, "resolver"));
    }

    /**
     * Returns a new session, for a thread that answers many messages. A session answers ordinary questions about a zone without
     * allocation.
     */
    public DnsSession session() {
        return new DnsSession(this);
    }

    /**
     * Answers a message, for callers without a session. Thread-safe.
     *
     * @param query the message, from position to limit; not changed, and not read after this method has returned
     * @param client the client
     * @param sink called exactly once: with the response, before this method returns if the answer is ready; or with {@link
     *     Sink#drop} if the message gets no response
     */
    public void respond(ByteBuffer query, Client client, Sink sink) {
        DnsSession session = shared.getAndSet(null);
        if (session == null) {
            session = session();
        }
        session.respond(query, client, sink);
        shared.set(session);
    }

    /** Decodes a message into a session and tries the fast path. Returns whether the session holds the response. */
    boolean answer(DnsSession session, ByteBuffer query, Client.Transport transport) {
        // If the next line throws, the session must not keep another client's message.
        session.isQuery = false;
        session.isQuery = session.query.read(query);
        session.transport = transport;
        session.failure = null;
        session.isTried = false;
        if (observer.isPresent()) {
            session.received = observer.get().received();
            session.observer = session.isQuery ? observerOf(session.query, observer.get()) : null;
        }
        return session.isQuery && fastPath.isPresent() && answer(session, null);
    }

    private static ResponseObserver observerOf(QueryReader query, ResponseObserver observer) {
        return query.root() == 0
                ? observer
                : observer.ofQuestion(query.bytes(), Header.LENGTH, query.root(), query.type());
    }

    /**
     * Tries the fast path for the message of a session. Returns whether the session holds the response.
     *
     * @param client the client; null to use only answers that are the same for every client
     */
    private boolean answer(DnsSession session, @Nullable Client client) {
        int length;
        try {
            Optional<DirectAnswers> direct = client == null ? resolver.direct() : resolver.direct(client);
            session.isTried = direct.isPresent();
            length = direct.isEmpty()
                    ? FastPath.SLOW_PATH
                    : fastPath.orElseThrow().answer(direct.get(), session);
        } catch (Throwable thrown) {
            // The slow path reports this failure with its SERVFAIL. Throwable, because hosts in other languages can
            // throw checked exceptions.
            session.failure = thrown;
            return false;
        }
        if (length == FastPath.SLOW_PATH) {
            return false;
        }
        session.hold(length);
        ResponseObserver reported = session.observer;
        if (reported != null) {
            FastPath.report(reported, session, length);
        }
        return true;
    }

    /** Answers the message of a session: on the fast path with the resolver's direct answers for the client, or on the slow path. */
    void respond(DnsSession session, Client client, Sink sink) {
        boolean isQuestion = session.isQuery && session.query.isQuestion();
        Client completed = isQuestion ? complete(session, client) : client;
        boolean isUntried = isQuestion && !session.isTried && session.failure == null && fastPath.isPresent();
        if (isUntried && answer(session, completed)) {
            sink.response(session.response());
            return;
        }
        onSlowPath.increment();
        int queryLength = session.query.length();
        if (!session.isQuery) {
            if (observer.isPresent()) {
                observer.get().drop(session.received, client.transport(), queryLength);
            }
            sink.drop();
            return;
        }
        Query query = session.query.query();
        int limit = limit(query, client);
        PendingResponse pending = new PendingResponse(
                query, limit, session.received, Optional.ofNullable(session.observer), client.transport(), queryLength);
        Resolution resolution = new Resolution.Ready(Answer.FAILED);
        Throwable failure = session.failure;
        if (failure == null) {
            try {
                resolution = resolution(query, completed.withResponseLimit(limit));
            } catch (Throwable thrown) {
                // Throwable, because hosts in other languages can throw checked exceptions.
                failure = thrown;
            }
        }
        if (failure != null) {
            failed(query, failure);
        }
        resolution.deliver(answer -> sink.response(write(pending, answer)), cause -> failed(query, cause));
        if (failure instanceof VirtualMachineError fatal && !(failure instanceof StackOverflowError)) {
            throw fatal;
        }
    }

    /**
     * Returns the client with EDNS, its options and the DO and CD bits of its message, completed by {@link Builder#clients}. If
     * that function fails, returns the client unchanged and records the failure, so that the answer is SERVFAIL.
     */
    private Client complete(DnsSession session, Client client) {
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
                && query.hasEdns() == client.hasEdns()
                && dnssecOk == client.dnssecOk()
                && query.checkingDisabled() == client.checkingDisabled()) {
            return client;
        }
        Client.Builder sender =
                client.toBuilder().edns(query.hasEdns()).dnssecOk(dnssecOk).checkingDisabled(query.checkingDisabled());
        return (options.isEmpty() ? sender : sender.ednsOptions(options)).build();
    }

    /** Reports the cause of a SERVFAIL. */
    private void failed(Query query, Throwable failure) {
        query.question().ifPresent(question -> {
            try {
                failures.failed(question, failure);
            } catch (Throwable ignored) {
                // A failing observer must not prevent the response.
            }
        });
    }

    /** Returns the number of messages that the fast path did not answer. */
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
            return MessageWriter.MAX_MESSAGE_BYTES;
        }
        int allowed = query.edns().map(Query.Edns::payload).orElse(Client.MIN_RESPONSE_LIMIT);
        return Math.max(Client.MIN_RESPONSE_LIMIT, Math.min(allowed, udpLimit));
    }

    private ByteBuffer write(PendingResponse pending, Answer answer) {
        Query query = pending.query;
        Function<RecordSet, List<Record>> inOrder =
                answer.isOrdered() ? RecordSet::records : last -> order.ordered(last, query.id());
        Answer written = answer;
        ByteBuffer response;
        try {
            response = MessageWriter.write(query, answer, pending.limit, inOrder);
            if (pending.limit == MessageWriter.MAX_MESSAGE_BYTES && MessageWriter.isTruncated(response)) {
                query.question().ifPresent(tooLarge);
            }
        } catch (RuntimeException | Error unwritable) {
            failed(query, unwritable);
            written = Answer.FAILED;
            response = MessageWriter.write(query, written, pending.limit, inOrder);
        }
        if (pending.observer.isPresent()) {
            pending.report(pending.observer.get(), written.rcode(), response);
        }
        return response;
    }

    /** A response of the slow path that has not been written yet: its query, its size limit, and the values for its observer. */
    private record PendingResponse(
            Query query,
            int limit,
            long received,
            Optional<ResponseObserver> observer,
            Client.Transport transport,
            int queryLength) {
        void report(ResponseObserver observer, int rcode, ByteBuffer response) {
            observer.response(
                    received,
                    transport,
                    query.question().map(one -> one.type().number()).orElse(ResponseObserver.NO_TYPE),
                    query.edns().isPresent() && query.edns().get().dnssecOk(),
                    rcode,
                    MessageWriter.isTruncated(response),
                    queryLength,
                    response.remaining());
        }
    }

    /** Receives the outcome of one message: the responder calls exactly one of its methods, once. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Sends a response. Called before {@code respond} returns if the answer is ready, otherwise later, on the thread that
         * completes the answer, for example a forwarder's. An exception of this method reaches that thread, or the caller of {@code
         * respond}.
         *
         * @param response the message, from position to limit; valid only until this method returns
         */
        void response(ByteBuffer response);

        /** Reports that the message gets no response, for transports that reserve resources for each response. */
        default void drop() {}
    }

    /** Collects the settings of a responder. */
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

        /**
         * Sets the order of addresses, {@link AnswerOrder#ROTATE} by default; {@linkplain Answer#isOrdered ordered} answers keep theirs.
         */
        public Builder order(AnswerOrder value) {
            order = Objects.requireNonNull(value, "order");
            return this;
        }

        /**
         * Sets the random generator of {@link AnswerOrder#SHUFFLE}.
         *
         * @param value thread-safe; every thread that calls {@link DnsResponder#respond} uses it. For example {@code () ->
         *     ThreadLocalRandom.current().nextLong()}, which the threads do not share, as they would a {@link java.util.Random}
         */
        public Builder random(RandomGenerator value) {
            random = Optional.of(Objects.requireNonNull(value, "random"));
            return this;
        }

        /**
         * Sets the largest size of a response over UDP, in bytes; 1232 by default, which avoids IP fragmentation on practically all
         * networks.
         *
         * @param bytes 512 to 65535
         */
        public Builder udpLimit(int bytes) {
            if (bytes < Client.MIN_RESPONSE_LIMIT || bytes > MessageWriter.MAX_MESSAGE_BYTES) {
                throw new IllegalArgumentException("not a size of UDP responses (512 to 65535): " + bytes);
            }
            udpLimit = bytes;
            return this;
        }

        /**
         * Sets a listener for answers of more than 65,535 bytes, which are truncated over TCP, too; none by default.
         *
         * @param value called with the question, on the thread that answers it; must return quickly and must not throw
         */
        public Builder tooLarge(Consumer<Question> value) {
            tooLarge = Objects.requireNonNull(value, "tooLarge");
            return this;
        }

        /**
         * Sets the observer of every outcome, for metrics; none by default.
         *
         * @param value every thread that answers calls it
         */
        public Builder observer(ResponseObserver value) {
            observer = Optional.of(Objects.requireNonNull(value, "observer"));
            return this;
        }

        /**
         * Sets the observer of failures, {@link FailureObserver#NONE} by default. It receives the failure of a resolver that
         * throws, returns null or whose stage fails, and of an answer that cannot be written. {@link
         * io.k8sdns.upstream.ForwardingResolver.Builder#failures} receives the failures of a forwarder instead.
         *
         * <pre>{@code
         * DnsResponder.builder(resolver).failures((question, cause) -> log.warn(question + ": " + cause)).build();
         * }</pre>
         *
         * @param value every thread that answers calls it
         */
        public Builder failures(FailureObserver value) {
            failures = Objects.requireNonNull(value, "failures");
            return this;
        }

        /**
         * Sets a function that completes a client with facts that only the host has, for example the namespace of the Pod with
         * the client's address. Transports such as {@code DnsServer} and the handlers for Netty provide only the address. The
         * function returns an unknown client unchanged; the default returns every client unchanged.
         *
         * <p>Every thread that answers calls it, for each question whose answer depends on the client, so it must be fast. Its
         * argument has the EDNS options and the DO and CD bits of the message. If it throws, the answer is SERVFAIL and the
         * exception is reported to {@link #failures}.
         *
         * @param value for example {@code client -> client.toBuilder().namespace("shop").build()}
         */
        public Builder clients(UnaryOperator<Client> value) {
            clients = Objects.requireNonNull(value, "clients");
            return this;
        }

        /** Disables the fast path, so that tests can compare it with the slow path. */
        Builder slowPathOnly() {
            fast = false;
            return this;
        }

        /**
         * Returns the responder.
         *
         * @throws IllegalStateException if the order is {@link AnswerOrder#SHUFFLE} and no random generator is set
         */
        public DnsResponder build() {
            if (order == AnswerOrder.SHUFFLE && random.isEmpty()) {
                throw new IllegalStateException("AnswerOrder.SHUFFLE needs random(..)");
            }
            return new DnsResponder(this);
        }
    }
}
