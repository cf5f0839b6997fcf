package io.k8sdns.rules;

import io.k8sdns.dnsjava.AddressRecords;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

/**
 * The records that the data of a name give in one zone. A record whose target would be longer than 255 bytes in this zone is omitted. Each
 * call creates its records again.
 */
@Internal
public final class NameRecords {
    private final NameData data;
    private final DnsLabels zone;

    /**
     * Creates the records.
     *
     * @param data the data of the name
     * @param zone the zone that SRV and PTR targets are in
     */
    NameRecords(NameData data, DnsLabels zone) {
        this.data = data;
        this.zone = Objects.requireNonNull(zone, "zone");
    }

    /**
     * Returns all record sets, in the order of their type numbers.
     *
     * @param owner the owner name, absolute
     * @param ttlSeconds the TTL in seconds; a text has its own
     */
    public List<RecordSet> recordSets(Name owner, long ttlSeconds) {
        return IntStream.of(Type.A, Type.CNAME, Type.PTR, Type.TXT, Type.AAAA, Type.SRV)
                .mapToObj(type -> recordSet(type, owner, ttlSeconds))
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * Returns the record set of one type; empty if there is none.
     *
     * @param type the type number
     * @param owner the owner name, absolute
     * @param ttlSeconds the TTL in seconds; a text has its own
     */
    public Optional<RecordSet> recordSet(int type, Name owner, long ttlSeconds) {
        if (type == Type.TXT) {
            return data.text().map(text -> text(text, owner));
        }
        List<Record> records = switch (type) {
            case Type.A -> addresses(IpFamily.IPV4, owner, ttlSeconds);
            case Type.AAAA -> addresses(IpFamily.IPV6, owner, ttlSeconds);
            case Type.SRV -> services(owner, ttlSeconds);
            case Type.PTR ->
                ptrTargets().stream()
                        .<Record>map(
                                target -> new PTRRecord(owner, DClass.IN, ttlSeconds, DnsNames.absolute(target, zone)))
                        .toList();
            case Type.CNAME ->
                data.alias().stream()
                        .<Record>map(target -> new CNAMERecord(owner, DClass.IN, ttlSeconds, DnsNames.absolute(target)))
                        .toList();
            default -> List.of();
        };
        return records.isEmpty()
                ? Optional.empty()
                : Optional.of(new RecordSet(owner, RecordType.of(type), ttlSeconds, records));
    }

    private static RecordSet text(NameData.Text text, Name owner) {
        long ttl = text.ttlSeconds();
        return new RecordSet(
                owner,
                RecordType.of(Type.TXT),
                ttl,
                List.of(new TXTRecord(owner, DClass.IN, ttl, escaped(text.text()))));
    }

    /** Returns a text of one character for each byte in the form that dnsjava parses: with an escape for all but printable ASCII. */
    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char one = text.charAt(i);
            if (one < ' ' || one > '~' || one == '\\') {
                escaped.append(String.format(Locale.ROOT, "\\%03d", (int) one));
            } else {
                escaped.append(one);
            }
        }
        return escaped.toString();
    }

    private List<Record> addresses(IpFamily family, Name owner, long ttl) {
        int count = data.addressCount(family);
        return count == 0
                ? List.of()
                : new AddressRecords(data.packed(), data.addressesAt(family), count, family, owner, ttl);
    }

    private List<Record> services(Name owner, long ttl) {
        int weight = data.srvWeight();
        List<Record> records = new ArrayList<>();
        for (NameData.Srv srv : data.srvs()) {
            if (fits(srv)) {
                Name target = DnsNames.absolute(srv.target(), zone);
                records.add(new SRVRecord(owner, DClass.IN, ttl, 0, weight, srv.port(), target));
            }
        }
        return records;
    }

    /** Returns the SRV records whose targets fit into a name of the zone. */
    private List<NameData.Srv> srvs() {
        return data.srvs().stream().filter(this::fits).toList();
    }

    private boolean fits(NameData.Srv srv) {
        return srv.target().fitsBelow(zone);
    }

    /** Returns the PTR targets that fit into a name of the zone. */
    private List<DnsLabels> ptrTargets() {
        return data.ptrTargets().stream()
                .filter(target -> target.fitsBelow(zone))
                .toList();
    }

    /**
     * Returns whether other data give the same records, at the same name and in the same zone. Whether the name exists, and which Services
     * and Pods have an address, does not matter.
     *
     * @param other the records of the other data in this zone
     */
    public boolean areSameAs(NameRecords other) {
        return data.hasSameSection(other.data, PackedName.A)
                && data.hasSameSection(other.data, PackedName.AAAA)
                && data.alias().equals(other.data.alias())
                && data.text().equals(other.data.text())
                && ptrTargets().equals(other.ptrTargets())
                && haveSameSrvs(other);
    }

    private boolean haveSameSrvs(NameRecords other) {
        if (data.srvCount() == 0 && other.data.srvCount() == 0) {
            return true;
        }
        List<NameData.Srv> mine = srvs();
        return mine.equals(other.srvs()) && (mine.isEmpty() || data.srvWeight() == other.data.srvWeight());
    }
}
