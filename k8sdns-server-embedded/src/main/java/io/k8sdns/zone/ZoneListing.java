package io.k8sdns.zone;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Lists all records of a revision, zone by zone; see {@link ZoneRevision#recordSets}. */
final class ZoneListing {
    private final ZoneRevision revision;
    private final RecordRules rules;
    private final ZoneSettings settings;

    ZoneListing(ZoneRevision revision) {
        this.revision = revision;
        this.rules = revision.rules();
        this.settings = revision.settings();
    }

    /** Returns the zones that have records: the forward zones, then the reverse zones with a PTR record. */
    List<DnsLabels> zones() {
        return Stream.concat(
                        settings.zones().stream(),
                        reverseZones().filter(zone -> !reverseNames(zone).isEmpty()))
                .toList();
    }

    /** Returns all records of one zone, in the order of {@link ZoneRevision#recordSets}. */
    List<RecordSet> recordSets(DnsLabels zone) {
        Map<DnsLabels, NameData> owned = names(zone);
        DnsLabels nameServer = RecordRules.nameServer(zone);
        List<RecordSet> sets = new ArrayList<>();
        sets.add(rules.startOfAuthority(zone, revision.serial()));
        sets.add(rules.nameServers(zone));
        NameData glue = owned.remove(nameServer);
        if (glue != null) {
            sets.addAll(recordSets(nameServer, glue, zone));
        }
        owned.forEach((name, data) -> sets.addAll(recordSets(name, data, zone)));
        return sets;
    }

    private Stream<DnsLabels> reverseZones() {
        return settings.reverseZones().stream().map(ReverseZone::name);
    }

    /** Returns the data of the names of a zone, by absolute name, sorted. */
    private Map<DnsLabels, NameData> names(DnsLabels zone) {
        if (settings.zones().contains(zone)) {
            return forwardNames(zone);
        }
        if (reverseZones().anyMatch(zone::equals)) {
            return reverseNames(zone);
        }
        throw new IllegalArgumentException("zone " + zone + " is not served by this server (zones: "
                + Stream.concat(settings.zones().stream(), reverseZones())
                        .map(DnsLabels::toString)
                        .collect(Collectors.joining(", "))
                + ")");
    }

    private Map<DnsLabels, NameData> forwardNames(DnsLabels zone) {
        Map<DnsLabels, NameData> owned = new TreeMap<>();
        Consumer<DnsLabels> add = labels -> {
            NameData data = revision.data(labels);
            if (data != null && rules.owns(zone, labels)) {
                owned.put(labels.append(zone), data);
            }
        };
        revision.names().forEach(packed -> add.accept(NameData.ofPacked(packed).firstName()));
        revision.addresses()
                .forEach((address, packed) -> rules.synthesizedNames(address, NameData.ofPacked(packed))
                        .forEach(add));
        return owned;
    }

    private Map<DnsLabels, NameData> reverseNames(DnsLabels zone) {
        Map<DnsLabels, NameData> owned = new TreeMap<>();
        revision.addresses().forEach((address, packed) -> {
            NameData data = NameData.ofPacked(packed);
            if (RecordRules.hasReverseName(data) && isIn(zone, address)) {
                owned.put(NameSchema.reverseName(address), data);
            }
        });
        return owned;
    }

    private boolean isIn(DnsLabels zone, IpAddress address) {
        return revision.servedZones()
                .reverseZoneOf(address)
                .filter(reverse -> reverse.name().equals(zone))
                .isPresent();
    }

    private List<RecordSet> recordSets(DnsLabels name, NameData data, DnsLabels zone) {
        return data.in(rules.targetZone(zone)).recordSets(DnsNames.absolute(name), settings.ttlSeconds());
    }
}
