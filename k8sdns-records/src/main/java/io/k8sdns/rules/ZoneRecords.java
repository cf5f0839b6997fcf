package io.k8sdns.rules;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.schema.ClusterName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.xbill.DNS.DClass;
import org.xbill.DNS.HINFORecord;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.SOARecord;

/**
 * The zones of the settings: which names belong to each, and which records each has without any object. The contracts of the methods are
 * in {@link RecordRules}.
 */
final class ZoneRecords {
    private static final String SCHEMA_VERSION = "1.1.0";

    /** The TTL of the schema version in seconds, as in the specification's example. */
    private static final long SCHEMA_VERSION_TTL = 28800;

    /** The maximum TTL of a SOA record in a positive answer, in seconds. */
    private static final long MAX_SOA_TTL = 300;

    /** The mailbox of each zone's SOA, below the zone. */
    private static final DnsLabels HOSTMASTER = DnsLabels.of("hostmaster");

    private final ZoneSettings settings;

    /** The addresses of the name server. */
    private final NameData nameServer;

    /** The other served zones within each forward zone, as labels below it. */
    private final Map<DnsLabels, List<DnsLabels>> zonesWithin = new HashMap<>();

    ZoneRecords(ZoneSettings settings) {
        this.settings = settings;
        NameDataBuilder addresses = new NameDataBuilder();
        settings.nameServerAddresses().forEach(addresses::address);
        nameServer = addresses.build(ClusterName.FixedName.NAME_SERVER.labels());
        for (DnsLabels zone : settings.zones()) {
            zonesWithin.put(zone, zonesWithin(zone));
        }
    }

    private List<DnsLabels> zonesWithin(DnsLabels forwardZone) {
        return Stream.concat(
                        settings.zones().stream(),
                        settings.reverseZones().stream().map(ReverseZone::name))
                .flatMap(zone -> zone.below(forwardZone).stream())
                .filter(below -> !below.isEmpty())
                .toList();
    }

    /** Implements {@link RecordRules#owns}. */
    boolean owns(DnsLabels zone, DnsLabels name) {
        return name.fitsBelow(zone)
                && Objects.requireNonNull(zonesWithin.get(zone), "zone").stream()
                        .noneMatch(name::endsWith);
    }

    /** Implements {@link RecordRules#targetZone}. */
    DnsLabels targetZone(DnsLabels zone) {
        return settings.zones().contains(zone) ? zone : ptrTargetZone();
    }

    /** Implements {@link RecordRules#ptrTargetZone}. */
    DnsLabels ptrTargetZone() {
        return settings.zones().get(0);
    }

    /** 2.2, Record for Schema Version, and the fixed names: implements {@link RecordRules#fixedFacts}. */
    List<Fact> fixedFacts() {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact.Exists(RecordRules.forward(ClusterName.FixedName.APEX.labels())));
        facts.add(new Fact.Exists(RecordRules.forward(ClusterName.FixedName.SERVICES.labels())));
        facts.add(new Fact.Exists(RecordRules.forward(ClusterName.FixedName.PODS.labels())));
        facts.add(new Fact.Exists(RecordRules.forward(ClusterName.FixedName.DNS.labels())));
        facts.add(new Fact.Text(
                RecordRules.forward(ClusterName.FixedName.VERSION.labels()), SCHEMA_VERSION, SCHEMA_VERSION_TTL));
        OwnerName owner = RecordRules.forward(ClusterName.FixedName.NAME_SERVER.labels());
        nameServer.addresses().forEach(address -> facts.add(new Fact.Address(owner, address)));
        return List.copyOf(facts);
    }

    /** Implements {@link RecordRules#startOfAuthority}. */
    RecordSet startOfAuthority(DnsLabels zone, long serial) {
        return startOfAuthority(zone, serial, Math.min(settings.ttlSeconds(), MAX_SOA_TTL));
    }

    /** Implements {@link RecordRules#negativeStartOfAuthority}. */
    RecordSet negativeStartOfAuthority(DnsLabels zone, long serial) {
        return startOfAuthority(zone, serial, settings.negativeTtlSeconds());
    }

    private RecordSet startOfAuthority(DnsLabels zone, long serial, long ttlSeconds) {
        DnsLabels contact = targetZone(zone);
        return RecordSet.of(new SOARecord(
                DnsNames.absolute(zone),
                DClass.IN,
                ttlSeconds,
                DnsNames.absolute(ClusterName.FixedName.NAME_SERVER.labels(), contact),
                DnsNames.absolute(HOSTMASTER, contact),
                serial,
                7200,
                1800,
                86400,
                settings.negativeTtlSeconds()));
    }

    /** Implements {@link RecordRules#nameServers}. */
    RecordSet nameServers(DnsLabels zone) {
        return RecordSet.of(new NSRecord(
                DnsNames.absolute(zone),
                DClass.IN,
                settings.ttlSeconds(),
                DnsNames.absolute(ClusterName.FixedName.NAME_SERVER.labels(), targetZone(zone))));
    }

    /** Implements {@link RecordRules#nameServerAddresses}. */
    List<RecordSet> nameServerAddresses(Name owner) {
        return nameServer.in(ptrTargetZone()).recordSets(owner, settings.ttlSeconds());
    }

    /** Implements {@link RecordRules#minimalAny}. */
    RecordSet minimalAny(Name owner) {
        return RecordSet.of(new HINFORecord(owner, DClass.IN, settings.ttlSeconds(), "RFC8482", ""));
    }
}
