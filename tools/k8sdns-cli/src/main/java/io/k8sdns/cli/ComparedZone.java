package io.k8sdns.cli;

import static java.util.stream.Collectors.toSet;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.AddressLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneRevision;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.xbill.DNS.Name;

/**
 * One of the two zones that {@code diff} compares.
 *
 * @param sets the record sets
 * @param invented the records with invented addresses, which only manifests and zone files of manifests have
 * @param manifests the manifests, to be read for host names; empty if the records come from elsewhere
 * @param canBeOfPod whether the first label of an endpoint's name can be the name of its Pod
 * @param canHave whether a name is in a zone that this side can have
 */
record ComparedZone(
        List<RecordSet> sets,
        InventedRecords invented,
        List<String> manifests,
        Predicate<Name> canBeOfPod,
        Predicate<Name> canHave) {
    private static final int MAX_LABEL = 63;

    /** The zone above all reverse zones. */
    private static final Name ARPA = Name.fromConstantString("arpa.");

    /**
     * The end of a name that the API server generates (k8s.io/apiserver/pkg/storage/names): five of these characters, after a dash
     * unless the name was too long. No name of a StatefulSet's Pod ends so.
     */
    private static final Pattern GENERATED =
            Pattern.compile(".*(-|.{" + (MAX_LABEL - 5) + "})[bcdfghjklmnpqrstvwxz2456789]{5}");

    ComparedZone {
        sets = List.copyOf(sets);
        manifests = List.copyOf(manifests);
    }

    /** Returns the zone of some objects. */
    static ComparedZone of(
            ClusterSnapshot snapshot,
            InventedRecords invented,
            List<String> manifests,
            RecordRules rules,
            Visibility visibility) {
        ZoneRevision revision = ClusterZone.of(snapshot, rules, visibility).current();
        List<RecordSet> sets = revision.zones().stream()
                .flatMap(zone -> revision.recordSets(zone).stream())
                .toList();
        return new ComparedZone(sets, invented, manifests, namesOfPods(snapshot, rules)::contains, any -> true);
    }

    /** Returns a zone of which only the records are known, and whether its endpoints are named after Pods. */
    static ComparedZone of(List<RecordSet> sets, InventedRecords invented, RecordRules rules) {
        return new ComparedZone(sets, invented, List.of(), any -> rules.readsTargets(), any -> true);
    }

    /**
     * Returns this zone as that of a file, which can have only names of zones with an SOA record in it; any names if it has no SOA record.
     * All reverse zones count as one, because {@code records} prints none without names.
     */
    ComparedZone ofFile() {
        Set<Name> zones = sets.stream()
                .filter(set -> set.type().equals(RecordType.SOA))
                .map(RecordSet::owner)
                .map(zone -> zone.subdomain(ARPA) ? ARPA : zone)
                .collect(toSet());
        return new ComparedZone(
                sets,
                invented,
                manifests,
                canBeOfPod,
                name -> zones.isEmpty() || zones.stream().anyMatch(name::subdomain));
    }

    /** Returns whether a record depends on an object; {@code dns-version.ZONE} and the records about the zone depend on none. */
    boolean hasRecordOfAnObject(ZoneSettings settings) {
        Set<Name> fixed = new HashSet<>();
        for (DnsLabels zone : settings.zones()) {
            for (ClusterName.FixedName name : ClusterName.FixedName.values()) {
                fixed.add(DnsNames.absolute(name.labels(), zone));
            }
        }
        return sets.stream()
                .anyMatch(set -> !set.type().equals(RecordType.SOA)
                        && !set.type().equals(RecordType.NS)
                        && !fixed.contains(set.owner()));
    }

    /** Returns whether a cluster, or other manifests, may have another first label in the name of an endpoint: an address or a Pod name. */
    boolean isChosen(Name endpoint) {
        return invented.isIn(endpoint)
                || AddressLabels.parseEndpointLabel(endpoint.getLabelString(0)).isPresent()
                || hasGeneratedName(endpoint);
    }

    /** Returns whether the first label of the name of an endpoint is the generated name of its Pod. */
    boolean hasGeneratedName(Name endpoint) {
        return GENERATED.matcher(endpoint.getLabelString(0)).matches() && canBeOfPod.test(endpoint);
    }

    private static Set<Name> namesOfPods(ClusterSnapshot snapshot, RecordRules rules) {
        Set<Name> names = new HashSet<>();
        if (rules.readsTargets()) {
            snapshot.objects(EndpointSlice.class)
                    .forEach(slice -> slice.serviceRef()
                            .ifPresent(service -> slice.endpoints().stream()
                                    .filter(endpoint -> endpoint.hostname().isEmpty())
                                    .flatMap(endpoint -> endpoint.targetRef().stream())
                                    .map(ObjectRef::name)
                                    .filter(KubernetesNames::isDnsLabel)
                                    .map(NameSchema.service(
                                            service.name(), service.namespace().orElseThrow())::prepend)
                                    .forEach(labels -> rules.settings().zones().stream()
                                            .filter(labels::fitsBelow)
                                            .forEach(zone -> names.add(DnsNames.absolute(labels, zone))))));
        }
        return names;
    }
}
