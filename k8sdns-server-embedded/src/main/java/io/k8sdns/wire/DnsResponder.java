package io.k8sdns.wire;

import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Answers messages: bytes in, bytes out. A host wires it to its transport. */
public final class DnsResponder {
    private final Resolver resolver;
    private final AnswerOrder order;
    private final Optional<RandomGenerator> random;

    private DnsResponder(Builder builder) {
        this.resolver = builder.resolver;
        this.order = builder.order;
        this.random = builder.random;
    }

    /** Returns a builder of a responder that asks this resolver. */
    public static Builder builder(Resolver resolver) {
        return new Builder(Objects.requireNonNull(resolver, "resolver"));
    }

    /**
     * Answers a message.
     *
     * @param query the message, from position to limit; not changed, and not read after this method has returned
     * @param client who asks
     * @param sink takes the response, exactly once, before this method returns when the answer is at hand; or nothing,
     *     when the message deserves silence
     */
    public void respond(ByteBuffer query, Client client, Sink sink) {
        Message message;
        try {
            message = new Message(query.duplicate());
        } catch (IOException malformed) {
            sink.silence();
            return;
        }
        Record asked = message.getQuestion();
        if (message.getHeader().getFlag(Flags.QR)
                || asked == null
                || message.getHeader().getOpcode() != Opcode.QUERY) {
            sink.silence();
            return;
        }
        Question question = new Question(asked.getName(), asked.getType(), asked.getDClass());
        resolver.resolve(question, client)
                .deliver(answer -> sink.response(ByteBuffer.wrap(write(message, asked, answer))));
    }

    private byte[] write(Message query, Record asked, Answer answer) {
        Message response = new Message(query.getHeader().getID());
        response.getHeader().setFlag(Flags.QR);
        if (answer.authoritative()) {
            response.getHeader().setFlag(Flags.AA);
        }
        if (query.getHeader().getFlag(Flags.RD)) {
            response.getHeader().setFlag(Flags.RD);
        }
        response.getHeader().setRcode(answer.rcode() & 0xF);
        response.addRecord(asked, Section.QUESTION);
        int sets = answer.answer().size();
        for (int i = 0; i < sets; i++) {
            RecordSet set = answer.answer().get(i);
            List<Record> records =
                    i == sets - 1 ? ordered(set, query.getHeader().getID()) : set.records();
            records.forEach(one -> response.addRecord(one, Section.ANSWER));
        }
        add(response, answer.authority(), Section.AUTHORITY);
        add(response, answer.additional(), Section.ADDITIONAL);
        byte[] bytes = response.toWire();
        if (bytes.length <= 65535) {
            return bytes;
        }
        Message failure = new Message(query.getHeader().getID());
        failure.getHeader().setFlag(Flags.QR);
        failure.getHeader().setRcode(Rcode.SERVFAIL);
        return failure.toWire();
    }

    private List<Record> ordered(RecordSet set, int id) {
        if (order == AnswerOrder.STABLE || set.type() != Type.A && set.type() != Type.AAAA) {
            return set.records();
        }
        List<Record> records = new ArrayList<>(set.records());
        if (order == AnswerOrder.ROTATE) {
            Collections.rotate(records, -(id % records.size()));
            return records;
        }
        RandomGenerator generator = random.orElseThrow();
        for (int i = records.size() - 1; i > 0; i--) {
            Collections.swap(records, i, generator.nextInt(i + 1));
        }
        return records;
    }

    private static void add(Message response, List<RecordSet> sets, int section) {
        sets.forEach(set -> set.records().forEach(one -> response.addRecord(one, section)));
    }

    /** Where a response goes; exactly one of its methods is called, once. */
    public interface Sink {
        /**
         * Sends a response.
         *
         * @param response the message, from position to limit; the sink's only until this method returns
         */
        void response(ByteBuffer response);

        /** Sends nothing. */
        void silence();
    }

    /** Collects what a responder needs. */
    public static final class Builder {
        private final Resolver resolver;
        private AnswerOrder order = AnswerOrder.ROTATE;
        private Optional<RandomGenerator> random = Optional.empty();

        private Builder(Resolver resolver) {
            this.resolver = resolver;
        }

        /** Sets the order of addresses; {@link AnswerOrder#ROTATE} unless set. */
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
            random = Optional.of(value);
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
