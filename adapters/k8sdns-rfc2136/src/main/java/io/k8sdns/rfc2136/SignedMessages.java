package io.k8sdns.rfc2136;

import io.k8sdns.federation.external.ChangeResult;
import io.k8sdns.federation.external.ChangeResult.Kind;
import io.k8sdns.federation.external.ExternalZoneException;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.TSIG;
import org.xbill.DNS.TSIGRecord;

/** Sends signed messages, and accepts only responses that are signed with the key. */
final class SignedMessages {
    private static final int MAX_MESSAGE = 65_535;
    private static final int HEADER = 12;
    private static final int ID_COUNT = 65_536;

    /** The maximum number of messages in flight, below the limits of servers (BIND's update-quota: 100). */
    private static final int WINDOW = 32;

    /** Limits the memory for a zone transfer; more records than an external zone has. */
    private static final int MAX_RECORDS = 2_000_000;

    private final TsigKey key;
    private final TSIG tsig;
    private final RandomGenerator random;

    SignedMessages(TsigKey key, Clock clock, RandomGenerator random) {
        this.key = key;
        this.tsig = key.tsig(clock);
        this.random = random;
    }

    /**
     * The outcome of a message.
     *
     * @param message the verified response; null if there is none
     * @param failure why there is no verified response, or the meaning of its RCODE; null if the response is NOERROR
     */
    record MessageOutcome(
            @Nullable Message message, @Nullable ChangeResult failure) {
        static MessageOutcome failed(Kind kind, String text) {
            return new MessageOutcome(null, new ChangeResult(kind, text));
        }
    }

    /** A signed message in wire form. */
    private static final class Request {
        private final byte[] wire;
        private final TSIGRecord signature;

        Request(byte[] wire, TSIGRecord signature) {
            this.wire = wire;
            this.signature = signature;
        }

        byte[] wire() {
            return wire;
        }

        TSIGRecord signature() {
            return signature;
        }
    }

    private Optional<Request> sign(Message message, int id) {
        message.getHeader().setID(id);
        tsig.apply(message, null);
        byte[] wire = message.toWire();
        TSIGRecord signature = message.getTSIG();
        return signature == null || wire.length > MAX_MESSAGE
                ? Optional.empty()
                : Optional.of(new Request(wire, signature));
    }

    /**
     * Sends messages and returns an outcome for each, in order. If the connection fails, messages without a response fail.
     *
     * @param messages at most 65,536
     */
    List<MessageOutcome> exchange(DnsStream stream, List<? extends Message> messages) {
        Map<Integer, Request> requests = new HashMap<>();
        Map<Integer, MessageOutcome> outcomes = new HashMap<>();
        List<byte[]> wires = new ArrayList<>();
        int first = random.nextInt(ID_COUNT);
        for (int i = 0; i < messages.size(); i++) {
            int id = (first + i) % ID_COUNT;
            sign(messages.get(i), id)
                    .ifPresentOrElse(
                            request -> {
                                requests.put(id, request);
                                wires.add(request.wire());
                            },
                            () -> outcomes.put(
                                    id,
                                    MessageOutcome.failed(Kind.PERMANENT, "the records do not fit in one message")));
        }
        if (!requests.isEmpty()) {
            try {
                stream.exchange(wires, WINDOW, received -> {
                    int id = received.length < HEADER ? -1 : (received[0] & 0xFF) << 8 | received[1] & 0xFF;
                    Request request = requests.remove(id);
                    if (request != null) {
                        outcomes.put(id, outcome(request, received));
                    }
                    return requests.isEmpty();
                });
            } catch (IOException failed) {
                MessageOutcome outcome = MessageOutcome.failed(Kind.TRANSIENT, DnsFailures.text(failed));
                requests.keySet().forEach(id -> outcomes.put(id, outcome));
            }
        }
        List<MessageOutcome> inOrder = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            inOrder.add(
                    Optional.ofNullable(outcomes.get((first + i) % ID_COUNT)).orElseThrow());
        }
        return inOrder;
    }

    private MessageOutcome outcome(Request request, byte[] received) {
        Message message;
        try {
            message = new Message(received);
        } catch (IOException malformed) {
            return MessageOutcome.failed(Kind.PERMANENT, "the response is malformed: " + DnsFailures.text(malformed));
        }
        // Verified here, because dnsjava's resolver only logs a failed verification.
        int verified = tsig.verify(message, received, request.signature());
        Optional<ChangeResult> failure = failure(message, verified == Rcode.NOERROR);
        return new MessageOutcome(verified == Rcode.NOERROR ? message : null, failure.orElse(null));
    }

    /** Returns the failure that a response means; empty if it is verified and NOERROR. */
    private Optional<ChangeResult> failure(Message message, boolean isVerified) {
        TSIGRecord signature = message.getTSIG();
        int error = signature == null ? Rcode.NOERROR : signature.getError();
        String rcode = Rcode.string(message.getRcode());
        if (error == Rcode.BADKEY) {
            return Optional.of(
                    new ChangeResult(Kind.PERMANENT, "the server does not know the key " + key + " (BADKEY)"));
        }
        if (error == Rcode.BADSIG) {
            return Optional.of(
                    new ChangeResult(Kind.PERMANENT, "the server has another secret for the key " + key + " (BADSIG)"));
        }
        if (error == Rcode.BADTIME) {
            return Optional.of(
                    new ChangeResult(Kind.TRANSIENT, "the clocks of this host and the server differ (BADTIME)"));
        }
        if (!isVerified) {
            Kind kind = message.getRcode() == Rcode.SERVFAIL ? Kind.TRANSIENT : Kind.PERMANENT;
            return Optional.of(new ChangeResult(
                    kind,
                    signature == null
                            ? "the response " + rcode + " is not signed"
                            : "the signature of the response " + rcode + " is wrong"));
        }
        return switch (message.getRcode()) {
            case Rcode.NOERROR -> Optional.empty();
            case Rcode.SERVFAIL -> Optional.of(new ChangeResult(Kind.TRANSIENT, rcode));
            case Rcode.YXDOMAIN -> Optional.of(new ChangeResult(Kind.CONFLICT, "the name is in use (YXDOMAIN)"));
            case Rcode.YXRRSET ->
                Optional.of(new ChangeResult(Kind.CONFLICT, "the name has an owner record already (YXRRSET)"));
            case Rcode.NXRRSET ->
                Optional.of(new ChangeResult(Kind.CONFLICT, "the owner record is missing or differs (NXRRSET)"));
            case Rcode.NXDOMAIN ->
                Optional.of(new ChangeResult(Kind.CONFLICT, "the owner record is missing (NXDOMAIN)"));
            default -> Optional.of(new ChangeResult(Kind.PERMANENT, rcode));
        };
    }

    /**
     * Transfers a zone.
     *
     * @param query the AXFR query
     * @return its relevant records; empty if the server refuses the transfer
     * @throws ExternalZoneException if the server does not answer, or the transfer is invalid
     */
    Optional<List<Record>> transfer(DnsStream stream, Message query) throws ExternalZoneException {
        Request request = sign(query, random.nextInt(ID_COUNT)).orElseThrow();
        Transfer transfer = new Transfer(query.getHeader().getID(), request);
        try {
            stream.exchange(List.of(request.wire()), 1, transfer);
        } catch (ExternalZoneException failed) {
            throw failed;
        } catch (IOException failed) {
            throw new ExternalZoneException(DnsFailures.text(failed), true);
        }
        return transfer.isRefused ? Optional.empty() : Optional.of(transfer.records);
    }

    /** Receives the messages of one zone transfer. */
    private final class Transfer implements DnsStream.Received {
        private final int id;
        private final Request request;
        private final TSIG.StreamVerifier verifier;
        private final List<Record> records = new ArrayList<>();
        private int soas;
        private boolean isRefused;

        Transfer(int id, Request request) {
            this.id = id;
            this.request = request;
            this.verifier = new TSIG.StreamVerifier(tsig, request.signature());
        }

        @Override
        public boolean message(byte[] received) throws IOException {
            Message message = new Message(received);
            if (message.getHeader().getID() != id || !message.getHeader().getFlag(Flags.QR)) {
                return false;
            }
            if (message.getRcode() != Rcode.NOERROR) {
                isRefused = isRefusal(message);
                if (!isRefused) {
                    boolean isVerified = tsig.verify(message, received, request.signature()) == Rcode.NOERROR;
                    ChangeResult why = failure(message, isVerified).orElseThrow();
                    throw new ExternalZoneException("zone transfer: " + why.text(), why.kind() == Kind.TRANSIENT);
                }
                return true;
            }
            for (Record one : message.getSection(Section.ANSWER)) {
                if (records.isEmpty() && soas == 0 && !(one instanceof SOARecord)) {
                    throw new ExternalZoneException("zone transfer does not begin with an SOA record", false);
                }
                if (one instanceof SOARecord) {
                    soas++;
                } else if (ZoneNames.isRelevant(one)) {
                    records.add(one);
                }
            }
            if (verifier.verify(message, received, soas > 1) != Rcode.NOERROR) {
                throw new ExternalZoneException(
                        "zone transfer: the signature is missing or wrong: " + verifier.getErrorMessage(), false);
            }
            if (records.size() > MAX_RECORDS) {
                throw new ExternalZoneException("zone transfer: more than " + MAX_RECORDS + " records", false);
            }
            return soas > 1;
        }

        /**
         * Returns whether the server refuses the zone transfer. Knot DNS then answers BADKEY as for an unknown key; if the key really
         * is unknown, the next message fails.
         */
        private static boolean isRefusal(Message message) {
            TSIGRecord signature = message.getTSIG();
            int error = signature == null ? Rcode.NOERROR : signature.getError();
            int rcode = message.getRcode();
            return (error == Rcode.NOERROR || error == Rcode.BADKEY)
                    && (rcode == Rcode.REFUSED || rcode == Rcode.NOTAUTH || rcode == Rcode.NOTIMP);
        }
    }
}
