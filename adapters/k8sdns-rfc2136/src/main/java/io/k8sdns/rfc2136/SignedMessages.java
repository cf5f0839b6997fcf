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

/** Signs messages, sends them, and believes no answer that is not signed with the key. */
final class SignedMessages {
    private static final int MAX_MESSAGE = 65_535;
    private static final int HEADER = 12;
    private static final int ID_COUNT = 65_536;

    /** Servers take so many updates at a time (BIND's update-quota: 100). */
    private static final int WINDOW = 32;

    /** More records than a zone of this kind has; a limit of memory. */
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
     * What became of a message.
     *
     * @param message the answer, signed; null if there is none that can be believed
     * @param failure why there is none, or the meaning of its RCODE; null if it is NOERROR
     */
    record Outcome(@Nullable Message message, @Nullable ChangeResult failure) {
        static Outcome failed(Kind kind, String text) {
            return new Outcome(null, new ChangeResult(kind, text));
        }
    }

    /** A message as it was sent. */
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
     * Sends messages and returns an outcome for each, in order. If the connection fails, those without an answer have failed.
     *
     * @param messages at most 65,536
     */
    List<Outcome> exchange(DnsStream stream, List<? extends Message> messages) {
        Map<Integer, Request> requests = new HashMap<>();
        Map<Integer, Outcome> outcomes = new HashMap<>();
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
                                    id, Outcome.failed(Kind.PERMANENT, "the records do not fit in one message")));
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
                Outcome outcome = Outcome.failed(Kind.TRANSIENT, DnsFailures.text(failed));
                requests.keySet().forEach(id -> outcomes.put(id, outcome));
            }
        }
        List<Outcome> inOrder = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            inOrder.add(
                    Optional.ofNullable(outcomes.get((first + i) % ID_COUNT)).orElseThrow());
        }
        return inOrder;
    }

    private Outcome outcome(Request request, byte[] received) {
        Message message;
        try {
            message = new Message(received);
        } catch (IOException malformed) {
            return Outcome.failed(Kind.PERMANENT, "the answer is malformed: " + DnsFailures.text(malformed));
        }
        // dnsjava's resolver only logs this.
        int verified = tsig.verify(message, received, request.signature());
        Optional<ChangeResult> failure = failure(message, verified == Rcode.NOERROR);
        return new Outcome(verified == Rcode.NOERROR ? message : null, failure.orElse(null));
    }

    /** Returns what is wrong with an answer; empty if it is signed, and NOERROR. */
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
                            ? "the answer " + rcode + " is not signed"
                            : "the signature of the answer " + rcode + " is wrong"));
        }
        return switch (message.getRcode()) {
            case Rcode.NOERROR -> Optional.empty();
            case Rcode.SERVFAIL -> Optional.of(new ChangeResult(Kind.TRANSIENT, rcode));
            case Rcode.YXDOMAIN -> Optional.of(new ChangeResult(Kind.CONFLICT, "the name is in use (YXDOMAIN)"));
            case Rcode.YXRRSET ->
                Optional.of(new ChangeResult(Kind.CONFLICT, "the name has an owner record already (YXRRSET)"));
            case Rcode.NXRRSET ->
                Optional.of(new ChangeResult(Kind.CONFLICT, "the owner record is missing, or another one (NXRRSET)"));
            case Rcode.NXDOMAIN ->
                Optional.of(new ChangeResult(Kind.CONFLICT, "the owner record is missing (NXDOMAIN)"));
            default -> Optional.of(new ChangeResult(Kind.PERMANENT, rcode));
        };
    }

    /**
     * Transfers a zone.
     *
     * @param query the AXFR query
     * @return its records; empty if the server does not allow it to this key
     * @throws ExternalZoneException if the server does not answer, or not as it should
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

    /** The messages of one zone transfer. */
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
                    throw new ExternalZoneException("zone transfer: does not begin with an SOA record", false);
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
         * Returns whether the key may not transfer the zone. Knot DNS says BADKEY then, as if it did not know the key; whether that is
         * so, the next message shows.
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
