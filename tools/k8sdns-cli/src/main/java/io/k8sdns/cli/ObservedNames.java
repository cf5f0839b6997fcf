package io.k8sdns.cli;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpAddress;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.schema.AddressLabels;
import io.k8sdns.schema.NameSchema;
import java.util.HashSet;
import java.util.Set;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;

/**
 * Finds the names that one zone makes of real addresses and Pods where the other zone has invented ones: reverse names, names such as
 * {@code 10-244-0-9.shop.pod.cluster.local}, and with {@code --endpoint-names pod} names such as {@code
 * web-7d9f8c6b5-x2bqz.web.shop.svc.cluster.local}, but no hostnames. The other zone has names of the same objects with other addresses or Pods, so that
 * they cannot be compared, also if either zone has real addresses beside invented ones. A name that both zones have can. Of a Pod behind
 * several Services, one of these is enough: the reverse name does not vanish with another one.
 */
final class ObservedNames {
    private record Addresses(Name name, RecordType type) {}

    private ObservedNames() {}

    /** Returns such names of a zone. */
    static Set<Name> of(ComparedZone zone, ComparedZone other) {
        Set<Addresses> invented = new HashSet<>();
        Set<Addresses> inventedBelow = new HashSet<>();
        for (RecordSet set : other.sets()) {
            if (isAddresses(set) && other.invented().isIn(set.owner())) {
                inventedBelow.add(parent(set));
            } else if (isAddresses(set) && set.records().stream().allMatch(other.invented()::holds)) {
                invented.add(new Addresses(set.owner(), set.type()));
            }
        }
        Set<Name> both = new HashSet<>();
        other.sets().forEach(set -> both.add(set.owner()));
        Set<Name> names = new HashSet<>();
        for (RecordSet set : zone.sets()) {
            if (!both.contains(set.owner()) && isMadeOfPod(set, zone) && inventedBelow.contains(parent(set))) {
                names.add(set.owner());
            }
        }
        Set<Name> reverse = new HashSet<>();
        for (RecordSet set : zone.sets()) {
            if (set.type().equals(RecordType.PTR)) {
                NameSchema.parseReverse(DnsNames.labels(set.owner()))
                        .map(network -> network.base().isIpv4() ? RecordType.A : RecordType.AAAA)
                        .filter(type -> !both.contains(set.owner())
                                && set.records().stream()
                                        .map(record -> ((PTRRecord) record).getTarget())
                                        .anyMatch(target -> names.contains(target)
                                                || invented.contains(new Addresses(target, type))))
                        .ifPresent(type -> reverse.add(set.owner()));
            }
        }
        names.addAll(reverse);
        return names;
    }

    private static boolean isAddresses(RecordSet set) {
        return set.type().equals(RecordType.A) || set.type().equals(RecordType.AAAA);
    }

    /** Returns whether the first label of a name is its address or the generated name of a Pod. */
    private static boolean isMadeOfPod(RecordSet set, ComparedZone zone) {
        if (!isAddresses(set) || set.owner().labels() <= 1) {
            return false;
        }
        String label = set.owner().getLabelString(0);
        return zone.hasGeneratedName(set.owner()) || set.records().stream().anyMatch(record -> isLabel(label, record));
    }

    private static boolean isLabel(String label, Record record) {
        return AddressLabels.of(IpAddress.parse(record.rdataToString())).equals(label);
    }

    private static Addresses parent(RecordSet set) {
        return new Addresses(new Name(set.owner(), 1), set.type());
    }
}
