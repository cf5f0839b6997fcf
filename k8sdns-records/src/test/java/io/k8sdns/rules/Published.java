package io.k8sdns.rules;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The facts, names and records that the rules derive from objects, assembled without optimizations. */
final class Published {
    private final RecordRules rules;
    private final List<Fact> facts = new ArrayList<>();
    private final Map<OwnerName, NameData> names = new LinkedHashMap<>();

    private Published(RecordRules rules) {
        this.rules = rules;
    }

    static Published of(ClusterObject... objects) {
        return with(ZoneSettings.builder(), objects);
    }

    static Published with(ZoneSettings.Builder settings, ClusterObject... objects) {
        return with(settings.build(), List.of(objects));
    }

    static Published with(ZoneSettings settings, List<? extends ClusterObject> objects) {
        Published published = new Published(new RecordRules(settings));
        objects.forEach(object -> published.facts.addAll(published.facts(object, objects)));
        Map<OwnerName, List<Fact>> byName = new LinkedHashMap<>();
        published.facts.forEach(fact ->
                byName.computeIfAbsent(fact.owner(), name -> new ArrayList<>()).add(fact));
        byName.forEach((name, list) -> published.names.put(name, published.rules.assemble(name, list)));
        return published;
    }

    private List<Fact> facts(ClusterObject object, List<? extends ClusterObject> all) {
        if (object instanceof Namespace namespace) {
            return rules.factsOf(namespace);
        }
        if (object instanceof Pod pod) {
            return rules.factsOf(pod);
        }
        if (object instanceof Service service) {
            int endpoints = all.stream()
                    .filter(EndpointSlice.class::isInstance)
                    .mapToInt(slice -> rules.publishedEndpoints((EndpointSlice) slice, service))
                    .sum();
            return rules.isIgnored(service, endpoints) ? List.of() : rules.factsOf(service);
        }
        if (object instanceof EndpointSlice slice) {
            return all.stream()
                    .filter(Service.class::isInstance)
                    .flatMap(service -> rules.factsOf(slice, (Service) service).stream())
                    .toList();
        }
        return List.of();
    }

    List<Fact> facts() {
        return facts;
    }

    Optional<NameData> at(OwnerName name) {
        return Optional.ofNullable(names.get(name));
    }

    Map<OwnerName, NameData> names() {
        return names;
    }

    private Optional<NameData> at(IpAddress address) {
        return at(new OwnerName.Reverse(address));
    }

    /** Returns the data of a name: its stored data, and data that is computed from an address. */
    Optional<NameData> lookup(String belowZone) {
        DnsLabels labels = DnsLabels.parse(belowZone);
        Optional<NameData> stored = at(new OwnerName.Forward(labels));
        Optional<NameData> synthesized = labels.isEmpty() ? Optional.empty() : rules.synthesized(labels, this::at);
        return stored.isPresent() && synthesized.isPresent()
                ? Optional.of(stored.get().merge(synthesized.get()))
                : stored.or(() -> synthesized);
    }

    boolean exists(String belowZone) {
        return lookup(belowZone).isPresent();
    }

    /** Returns the records of a name below the first zone, as lines. */
    List<String> lines(String belowZone) {
        DnsLabels zone = rules.settings().zones().get(0);
        return lookup(belowZone).stream()
                .flatMap(data -> data
                        .in(zone)
                        .recordSets(
                                DnsNames.absolute(DnsLabels.parse(belowZone), zone),
                                rules.settings().ttlSeconds())
                        .stream())
                .flatMap(RecordSet::lines)
                .toList();
    }

    /** Returns the PTR records of an address, as lines. */
    List<String> ptrRecords(String address) {
        IpAddress ip = IpAddress.parse(address);
        DnsLabels owner = NameSchema.reverseName(ip);
        return at(ip).stream()
                .flatMap(data -> data
                        .in(rules.settings().zones().get(0))
                        .recordSets(DnsNames.absolute(owner), rules.settings().ttlSeconds())
                        .stream())
                .flatMap(RecordSet::lines)
                .toList();
    }

    /** Returns the PTR targets of an address below the zone, in order. */
    List<String> ptrTargets(String address) {
        return at(IpAddress.parse(address)).stream()
                .flatMap(data -> data.ptrTargets().stream())
                .map(DnsLabels::toString)
                .toList();
    }
}
