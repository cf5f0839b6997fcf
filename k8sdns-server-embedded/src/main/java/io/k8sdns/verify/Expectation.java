package io.k8sdns.verify;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

/**
 * A question of class IN and its expected outcome.
 *
 * <p>Compares the data of records, names case-insensitively. Of SRV records compares only port and target, because the specification
 * does not define priority and weight. Does not compare TTLs and order.
 *
 * @param name the name, absolute
 * @param type the type
 * @param outcome the expected outcome
 * @param objects the Kubernetes objects that the name belongs to; empty for a name that does not depend on objects
 */
public record Expectation(Name name, RecordType type, ExpectedOutcome outcome, List<ObjectRef> objects) {
    /** The UDP payload size in the query's OPT record, in bytes (DNS flag day 2020). */
    private static final int UDP_PAYLOAD = 1232;

    /** Checks the name and copies the list. */
    @Internal
    public Expectation {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(outcome, "outcome");
        objects = Copies.list("objects", objects);
        if (!name.isAbsolute()) {
            throw new IllegalArgumentException("not absolute: " + name);
        }
    }

    /**
     * Returns the query, with EDNS, and with RD set so that a forwarding cache answers it, too.
     *
     * @param id the message id, 0 to 65535
     */
    public Message query(int id) {
        Message query = new Message(id);
        query.getHeader().setFlag(Flags.RD);
        query.addRecord(Record.newRecord(name, type.number(), DClass.IN), Section.QUESTION);
        query.addRecord(new OPTRecord(UDP_PAYLOAD, 0, 0), Section.ADDITIONAL);
        return query;
    }

    /**
     * Compares a response with the expected outcome.
     *
     * @param response the response; a truncated one differs
     * @return what differs; empty if nothing does
     */
    public Optional<AnswerDifference> difference(Message response) {
        Set<String> actual = new TreeSet<>();
        List<String> others = new ArrayList<>();
        List<String> faults = new ArrayList<>();
        for (Record record : response.getSection(Section.ANSWER)) {
            if (record.getDClass() != DClass.IN) {
                faults.add("class " + DClass.string(record.getDClass()) + " of " + data(record));
            } else if (record.getType() != type.number() || !record.getName().equals(name)) {
                others.add(Type.string(record.getType()) + " " + data(record));
            } else if (!actual.add(data(record))) {
                faults.add("more than once " + data(record));
            }
        }
        if (response.getHeader().getFlag(Flags.TC)) {
            faults.add("truncated (TC is set)");
        }
        AnswerDifference difference =
                new AnswerDifference(this, OptionalInt.of(response.getRcode()), actual, others, faults);
        return difference.matches() && faults.isEmpty() ? Optional.empty() : Optional.of(difference);
    }

    /** Returns the compared part of a record, as text. */
    @Internal
    public static String data(Record record) {
        Objects.requireNonNull(record, "record");
        if (record instanceof SRVRecord srv) {
            return "port " + srv.getPort() + " at " + folded(srv.getTarget().toString());
        }
        String line = RecordSet.of(record).lines().findFirst().orElseThrow();
        String data = line.split(" ", 5)[4];
        return record instanceof TXTRecord ? data : folded(data);
    }

    private static String folded(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** Returns the objects, the name and the type: {@code Service shop/cart: cart.shop.svc.cluster.local. A}. */
    @Override
    public String toString() {
        return (objects.isEmpty()
                        ? ""
                        : AnswerDifference.list(
                                        objects.stream()
                                                .map(ObjectRef::toString)
                                                .toList(),
                                        UnaryOperator.identity())
                                + ": ")
                + name + " "
                + type;
    }
}
