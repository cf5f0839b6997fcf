package io.k8sdns.rules;

import io.k8sdns.dnsjava.AddressRecords;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import java.util.List;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

/**
 * Data of a name as records of one zone.
 *
 * @param owner the owner name, absolute
 * @param zone the zone that SRV and PTR targets are in
 * @param ttl the TTL in seconds
 */
record NameRecords(NameData data, Name owner, DnsLabels zone, long ttl) {
    /** Returns the records of a type; none of a target that would be too long in the zone. */
    List<Record> of(int type) {
        return switch (type) {
            case Type.A -> addresses(IpFamily.IPV4);
            case Type.AAAA -> addresses(IpFamily.IPV6);
            case Type.SRV -> services();
            case Type.PTR ->
                data.pointers(zone).stream()
                        .<Record>map(target -> new PTRRecord(owner, DClass.IN, ttl, DnsNames.absolute(target, zone)))
                        .toList();
            case Type.CNAME ->
                data.alias().stream()
                        .<Record>map(target -> new CNAMERecord(owner, DClass.IN, ttl, DnsNames.absolute(target)))
                        .toList();
            case Type.TXT ->
                data.text().stream()
                        .<Record>map(text -> new TXTRecord(owner, DClass.IN, ttl, text.text()))
                        .toList();
            default -> List.of();
        };
    }

    private List<Record> addresses(IpFamily family) {
        int count = data.addressCount(family);
        return count == 0
                ? List.of()
                : new AddressRecords(data.packed(), data.addressesAt(family), count, family, owner, ttl);
    }

    private List<Record> services() {
        int weight = data.srvWeight();
        return data.srvs(zone).stream()
                .<Record>map(srv -> new SRVRecord(
                        owner, DClass.IN, ttl, 0, weight, srv.port(), DnsNames.absolute(srv.target(), zone)))
                .toList();
    }
}
