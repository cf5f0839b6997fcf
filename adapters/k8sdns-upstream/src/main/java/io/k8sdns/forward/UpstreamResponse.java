package io.k8sdns.forward;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.MXRecord;
import org.xbill.DNS.Message;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.SVCBBase;
import org.xbill.DNS.Type;

/**
 * Parses the response of a server and keeps only the records that belong to the question: the chain of aliases from the question's
 * name, the records at its end, the SOA record of a negative answer, and addresses of the records' targets. Other records, such as name
 * servers or records of other names, are dropped, so that they are neither cached nor trusted.
 */
final class UpstreamResponse {
    private static final int HEADER_LENGTH = 12;

    /** The smallest sizes of a question and of a record, in bytes. */
    private static final int MIN_QUESTION = 5;

    private static final int MIN_RECORD = 11;

    /**
     * The longest chain of aliases that is followed: longer than resolvers return, and short enough to limit the cost of a large
     * message.
     */
    static final int MAX_ALIASES = 64;

    private UpstreamResponse() {}

    /** Returns the RCODE without the part that an OPT record holds. */
    static int rcode(ByteBuffer message) {
        return message.get(message.position() + 3) & 0xF;
    }

    /** Returns whether TC is set. */
    static boolean isTruncated(ByteBuffer message) {
        return (message.get(message.position() + 2) & 0x02) != 0;
    }

    /**
     * A parsed response.
     *
     * @param hasOpt whether the response has an OPT record
     */
    record Content(Answer answer, boolean hasOpt) {}

    /**
     * Parses a response.
     *
     * @param query the query
     * @param zone the zone whose servers were asked
     * @param response the message from position to limit, at least a header long
     * @throws IOException if it cannot be read
     */
    static Content read(UpstreamQuery query, DnsLabels zone, ByteBuffer response) throws IOException {
        requirePossibleCounts(response);
        byte[] bytes = new byte[response.remaining()];
        response.get(response.position(), bytes);
        try {
            Message message = new Message(bytes);
            return new Content(relevant(query, zone, Answer.keepingOrder(message)), message.getOPT() != null);
        } catch (RuntimeException malformed) {
            // dnsjava throws here for some data that it can parse but not serialize; it serializes records to compare
            // them.
            throw new IOException("malformed response: " + malformed, malformed);
        }
    }

    /** Rejects record counts that do not fit in the message, before the parser allocates memory for them. */
    private static void requirePossibleCounts(ByteBuffer response) throws IOException {
        int at = response.position();
        int questions = Short.toUnsignedInt(response.getShort(at + 4));
        int records = Short.toUnsignedInt(response.getShort(at + 6))
                + Short.toUnsignedInt(response.getShort(at + 8))
                + Short.toUnsignedInt(response.getShort(at + 10));
        if (questions * MIN_QUESTION + records * MIN_RECORD > response.remaining() - HEADER_LENGTH) {
            throw new IOException("malformed response: " + records + " records in " + response.remaining() + " bytes");
        }
    }

    private static Answer relevant(UpstreamQuery query, DnsLabels zone, Answer whole) {
        Name name = DnsNames.absolute(query.name());
        List<RecordSet> answer = new ArrayList<>();
        Name last = follow(query, name, zone, whole.answer(), answer);
        boolean isNegative =
                whole.rcode() == Rcode.NXDOMAIN || whole.rcode() == Rcode.NOERROR && !hasData(answer, query);
        List<RecordSet> authority = matching(
                whole.authority(),
                set -> isNegative && set.typeNumber() == Type.SOA && last.subdomain(set.owner())
                        || query.dnssecOk() && isProof(set.typeNumber()));
        List<RecordSet> additional =
                whole.additional().isEmpty() ? List.of() : addresses(whole.additional(), targets(answer));
        return whole.toBuilder()
                .authoritative(false)
                .answer(answer)
                .authority(authority)
                .additional(additional)
                .build();
    }

    private static boolean hasData(List<RecordSet> sets, UpstreamQuery query) {
        for (RecordSet set : sets) {
            if (isData(set, query)) {
                return true;
            }
        }
        return false;
    }

    private static List<RecordSet> addresses(List<RecordSet> sets, Set<Name> owners) {
        return matching(
                sets,
                set -> (set.typeNumber() == Type.A || set.typeNumber() == Type.AAAA) && owners.contains(set.owner()));
    }

    private static List<RecordSet> matching(List<RecordSet> sets, Predicate<RecordSet> wanted) {
        return sets.isEmpty() ? sets : sets.stream().filter(wanted).toList();
    }

    /** Adds the chain of aliases from a name and the records at its end; returns the last name. */
    private static Name follow(
            UpstreamQuery query, Name first, DnsLabels zone, List<RecordSet> sets, List<RecordSet> matching) {
        Name name = first;
        List<Name> visited = new ArrayList<>(1);
        while (!visited.contains(name) && visited.size() < MAX_ALIASES) {
            visited.add(name);
            Name target = null;
            for (RecordSet set : sets) {
                if (!set.owner().equals(name)) {
                    if (DnsNames.labels(set.owner()).endsWith(zone) && isDnameAbove(set, name, sets, query)) {
                        addOnce(matching, set);
                    }
                    continue;
                }
                boolean alias = isAlias(set, query);
                if (alias || isAskedFor(set, query)) {
                    matching.add(set);
                }
                if (alias && set.records().size() == 1) {
                    target = ((CNAMERecord) set.records().get(0)).getTarget();
                }
            }
            // For ANY an alias alone is an answer, so a target without records is not part of it.
            if (target == null || query.type().number() == Type.ANY && !hasOwner(sets, target)) {
                return name;
            }
            name = target;
        }
        return name;
    }

    /** Returns whether a set is the DNAME from which the server synthesized the CNAME of a name (RFC 6672, 3.1), or its signature. */
    private static boolean isDnameAbove(RecordSet set, Name name, List<RecordSet> sets, UpstreamQuery query) {
        if (!name.subdomain(set.owner())) {
            return false;
        }
        return set.typeNumber() == Type.DNAME
                || query.dnssecOk()
                        && set.typeNumber() == Type.RRSIG
                        && sets.stream()
                                .anyMatch(one -> one.typeNumber() == Type.DNAME
                                        && one.owner().equals(set.owner()));
    }

    private static void addOnce(List<RecordSet> matching, RecordSet set) {
        if (!matching.contains(set)) {
            matching.add(set);
        }
    }

    private static boolean isAlias(RecordSet set, UpstreamQuery query) {
        return set.typeNumber() == Type.CNAME && query.type().number() != Type.CNAME;
    }

    private static boolean hasOwner(List<RecordSet> sets, Name owner) {
        return sets.stream().anyMatch(set -> set.owner().equals(owner));
    }

    private static boolean isData(RecordSet set, UpstreamQuery query) {
        int asked = query.type().number();
        return set.typeNumber() == asked || asked == Type.ANY;
    }

    private static boolean isAskedFor(RecordSet set, UpstreamQuery query) {
        return isData(set, query) || query.dnssecOk() && set.typeNumber() == Type.RRSIG;
    }

    private static boolean isProof(int type) {
        return type == Type.RRSIG || type == Type.NSEC || type == Type.NSEC3 || type == Type.DS;
    }

    /** Returns the names whose addresses belong in the additional section. */
    static Set<Name> targets(List<RecordSet> answer) {
        Set<Name> targets = new HashSet<>();
        for (RecordSet set : answer) {
            for (Record one : set.records()) {
                if (one instanceof SRVRecord srv) {
                    targets.add(srv.getTarget());
                } else if (one instanceof MXRecord mx) {
                    targets.add(mx.getTarget());
                } else if (one instanceof NSRecord ns) {
                    targets.add(ns.getTarget());
                } else if (one instanceof SVCBBase service) {
                    targets.add(service.getTargetName());
                }
            }
        }
        return targets;
    }
}
