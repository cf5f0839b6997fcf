package io.k8sdns.benchmarks;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.zone.ZoneRevision;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Section;

/** A lower bound for the cost of any server that uses dnsjava: records in a map, addresses of SRV targets, no aliases, no shuffling. */
final class DnsjavaServer {
    private static final int PAYLOAD = 1232;

    private final Map<Name, Map<Integer, List<Record>>> names = new HashMap<>();
    private final Set<Name> existing = new HashSet<>();
    private final Map<Name, Record> zones = new HashMap<>();

    DnsjavaServer(ZoneRevision revision) {
        for (DnsLabels zone : revision.zones()) {
            for (RecordSet set : revision.recordSets(zone)) {
                names.computeIfAbsent(set.owner(), any -> new HashMap<>())
                        .put(set.typeNumber(), List.copyOf(set.records()));
                for (Name name = set.owner(); existing.add(name) && name.labels() > 1; ) {
                    name = new Name(name, 1);
                }
            }
            RecordSet soa = revision.recordSets(zone).get(0);
            zones.put(soa.owner(), soa.records().get(0));
        }
    }

    byte[] respond(byte[] wire) throws IOException {
        Message query = new Message(wire);
        Record question = query.getQuestion();
        Message response = new Message(query.getHeader().getID());
        response.getHeader().setFlag(Flags.QR);
        response.getHeader().setFlag(Flags.AA);
        if (query.getHeader().getFlag(Flags.RD)) {
            response.getHeader().setFlag(Flags.RD);
        }
        response.addRecord(question, Section.QUESTION);
        Map<Integer, List<Record>> sets = names.get(question.getName());
        List<Record> found = sets == null ? List.of() : sets.getOrDefault(question.getType(), List.of());
        for (Record record : found) {
            response.addRecord(record, Section.ANSWER);
            if (record instanceof SRVRecord srv) {
                for (List<Record> addresses :
                        names.getOrDefault(srv.getTarget(), Map.of()).values()) {
                    if (addresses.get(0) instanceof ARecord || addresses.get(0) instanceof AAAARecord) {
                        addresses.forEach(address -> response.addRecord(address, Section.ADDITIONAL));
                    }
                }
            }
        }
        if (found.isEmpty()) {
            response.getHeader().setRcode(existing.contains(question.getName()) ? 0 : 3);
            Record soa = null;
            for (Name name = question.getName(); soa == null && name.labels() > 1; ) {
                soa = zones.get(name);
                name = new Name(name, 1);
            }
            if (soa != null) {
                response.addRecord(soa, Section.AUTHORITY);
            }
        }
        if (query.getOPT() != null) {
            response.addRecord(new OPTRecord(PAYLOAD, 0, 0), Section.ADDITIONAL);
        }
        return response.toWire(query.getOPT() == null ? 512 : PAYLOAD);
    }
}
