package io.k8sdns.cli;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The records of zones as a tree: zone, namespace, Service or the Pods of the namespace, name, records. In a reverse zone a network
 * stands for the namespace and an address for the Service.
 *
 * @param zones the zones, in the order of {@code records}
 */
record ZoneTree(List<Zone> zones) {
    private static final String PODS = "Pods by address";

    /** The group of all other names. It is sorted before every namespace and network. */
    private static final String ITSELF = "";

    /** The number of labels below a network of addresses: the networks are /16 and /64. */
    private static final int IPV4_HOST_LABELS = 2;

    private static final int IPV6_HOST_LABELS = 16;

    /** A zone. */
    record Zone(String name, List<Group> groups) {}

    /**
     * A namespace, a network of a reverse zone, or the zone itself.
     *
     * @param kind what the label is: {@code namespace} or {@code network}; empty for the zone itself, with an empty label
     */
    record Group(String kind, String label, List<Entry> entries) {}

    /**
     * A Service, the Pods of a namespace, an address, or a name of the zone itself.
     *
     * @param kind what the label is: {@code Service}, {@code address} or empty
     */
    record Entry(String kind, String label, List<Owner> owners) {}

    /** A name and its records. */
    record Owner(String name, List<Line> lines) {
        boolean isInvented() {
            return lines.stream().anyMatch(Line::isInvented);
        }
    }

    /**
     * A record.
     *
     * @param mark what is invented in it, for example {@code invented address}; empty if nothing is
     */
    record Line(String type, String ttl, String data, String mark) {
        boolean isInvented() {
            return !mark.isEmpty();
        }
    }

    /** Returns the number of names. */
    int nameCount() {
        return zones.stream()
                .flatMap(zone -> zone.groups().stream())
                .mapToInt(ZoneTree::nameCount)
                .sum();
    }

    /** Returns the number of names in a group. */
    static int nameCount(Group group) {
        return group.entries().stream().mapToInt(entry -> entry.owners().size()).sum();
    }

    /** The group and the entry of a name in its zone. */
    private record TreePath(String groupKind, String group, String entryKind, String entry) {}

    /** Collects the record sets of zones. */
    static final class Builder {
        private final InventedRecords invented;
        private final List<Zone> zones = new ArrayList<>();

        Builder(InventedRecords invented) {
            this.invented = invented;
        }

        /** Adds a zone with all its record sets. */
        Builder zone(DnsLabels zone, List<RecordSet> sets) {
            Map<String, Group> groups = new TreeMap<>();
            Map<List<String>, Entry> entries = new HashMap<>();
            Map<String, Owner> owners = new HashMap<>();
            for (RecordSet set : sets) {
                owners.computeIfAbsent(set.owner().toString(), name -> {
                            Owner owner = new Owner(name, new ArrayList<>());
                            TreePath path = path(DnsNames.labels(set.owner()), zone);
                            entries.computeIfAbsent(List.of(path.group(), path.entry()), any -> {
                                        Entry entry = new Entry(path.entryKind(), path.entry(), new ArrayList<>());
                                        groups.computeIfAbsent(
                                                        path.group(),
                                                        label -> new Group(path.groupKind(), label, new ArrayList<>()))
                                                .entries()
                                                .add(entry);
                                        return entry;
                                    })
                                    .owners()
                                    .add(owner);
                            return owner;
                        })
                        .lines()
                        .addAll(lines(set));
            }
            zones.add(new Zone(zone.toString(), List.copyOf(groups.values())));
            return this;
        }

        /** Returns the tree. */
        ZoneTree build() {
            return new ZoneTree(List.copyOf(zones));
        }

        private List<Line> lines(RecordSet set) {
            return set.lines()
                    .map(record -> {
                        String[] fields = OutputObject.recordFields(record);
                        return new Line(fields[3], fields[1], fields[4], invented.mark(record));
                    })
                    .toList();
        }

        private static TreePath path(DnsLabels name, DnsLabels zone) {
            DnsLabels below = name.below(zone).orElse(DnsLabels.EMPTY);
            Optional<IpNetwork> address = NameSchema.parseReverse(name);
            if (below.count() > 0 && address.isPresent()) {
                int skipped =
                        Math.min(below.count(), address.get().base().isIpv4() ? IPV4_HOST_LABELS : IPV6_HOST_LABELS);
                return new TreePath(
                        "network",
                        NameSchema.parseReverse(name.skip(skipped))
                                .map(IpNetwork::toString)
                                .orElseThrow(),
                        "address",
                        address.get().base().toString());
            }
            ClusterName parsed = NameSchema.parse(below);
            if (parsed instanceof ClusterName.PodName pod) {
                return new TreePath("namespace", pod.namespace().toString(), "", PODS);
            }
            return parsed.serviceName()
                    .map(service -> new TreePath(
                            "namespace",
                            service.namespace().toString(),
                            "Service",
                            service.service().toString()))
                    .orElseGet(() -> new TreePath("", ITSELF, "", name.toString()));
        }
    }
}
