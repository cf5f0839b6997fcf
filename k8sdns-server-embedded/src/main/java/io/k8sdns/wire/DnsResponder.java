package io.k8sdns.wire;

import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;

/** Answers messages: bytes in, bytes out. A host wires it to its transport. */
public final class DnsResponder {
    private final Resolver resolver;

    /** Makes a responder that asks this resolver. */
    public DnsResponder(Resolver resolver) {
        this.resolver = Objects.requireNonNull(resolver, "resolver");
    }

    /**
     * Answers a message.
     *
     * @param query the message, from position to limit; not changed
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

    private static byte[] write(Message query, Record asked, Answer answer) {
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
        add(response, answer.answer(), Section.ANSWER);
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

    private static void add(Message response, List<RecordSet> sets, int section) {
        sets.forEach(set -> set.records().forEach(one -> response.addRecord(one, section)));
    }

    /** Where a response goes; exactly one of its methods is called, once. */
    public interface Sink {
        /** Sends this response, from position to limit. */
        void response(ByteBuffer response);

        /** Sends nothing. */
        void silence();
    }
}
