package io.k8sdns.verify;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.zone.ZoneLookup;
import io.k8sdns.zone.ZoneRevision;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/**
 * Creates the list of expected answers of a server for a cluster:
 *
 * <ul>
 *   <li>every record set of every zone, except SOA, NS and the address of the name server, which differ between servers;
 *   <li>NODATA for A or AAAA of a name that has only addresses of the other family;
 *   <li>NODATA or NXDOMAIN for {@code _tcp} and {@code _udp} below every Service, which exist if there is a named port;
 *   <li>NXDOMAIN for {@code no-such-name} at the apex, in every namespace and below every Service;
 *   <li>NXDOMAIN for one address without a name in each reverse zone.
 * </ul>
 *
 * <p>A pure function. It looks up every name in the zone, so that the list is correct for all settings.
 */
public final class Expectations {
    private final ZoneRevision revision;
    private final List<Expectation> list = new ArrayList<>();
    private final Map<IpAddress, List<Pod>> podsByAddress = new HashMap<>();

    private Expectations(ZoneRevision revision) {
        this.revision = revision;
    }

    /**
     * Returns the expectations, forward zones first, in a stable order.
     *
     * @param revision the revision of the zone
     * @param objects the objects of the zone
     * @param visibility the visibility of the zone; the list has no expectation about hidden objects
     */
    public static List<Expectation> of(ZoneRevision revision, ClusterSnapshot objects, Visibility visibility) {
        Objects.requireNonNull(revision, "revision");
        Objects.requireNonNull(objects, "objects");
        Objects.requireNonNull(visibility, "visibility");
        Expectations expectations = new Expectations(revision);
        objects.objects(Pod.class)
                .forEach(pod -> pod.ips()
                        .forEach(address -> expectations
                                .podsByAddress
                                .computeIfAbsent(address, any -> new ArrayList<>())
                                .add(pod)));
        for (DnsLabels zone : revision.zones()) {
            if (revision.settings().zones().contains(zone)) {
                expectations.records(zone);
                expectations.absences(zone, objects, visibility);
            } else {
                expectations.ptrRecords(zone);
            }
        }
        return Collections.unmodifiableList(expectations.list);
    }

    /**
     * Returns the expected answers of a server that expands search lists for names below a suffix ({@link
     * io.k8sdns.autopath.AutopathResolver.Builder#byName}): a CNAME to one Service of each namespace, and NXDOMAIN for one name that
     * does not exist.
     *
     * @param revision the revision of the zone
     * @param objects the objects of the zone
     * @param suffix the suffix, for example {@code ap.k8s.io}
     */
    public static List<Expectation> ofAutopath(ZoneRevision revision, ClusterSnapshot objects, DnsLabels suffix) {
        Objects.requireNonNull(revision, "revision");
        Objects.requireNonNull(objects, "objects");
        Objects.requireNonNull(suffix, "suffix");
        List<Expectation> expectations = new ArrayList<>();
        for (DnsLabels zone : revision.settings().zones()) {
            Set<String> namespaces = new TreeSet<>();
            objects.objects(Service.class)
                    .filter(service -> revision.lookup(labels(service), Type.A) instanceof ZoneLookup.Found)
                    .filter(service -> namespaces.add(service.namespace()))
                    .forEach(service -> expectations.add(new Expectation(
                            searched(service.name(), service.namespace(), zone, suffix),
                            RecordType.CNAME,
                            new ExpectedOutcome.Records(Set.of(
                                    DnsNames.absolute(labels(service), zone).toString())),
                            List.of(service.ref()))));
            namespaces.stream()
                    .findFirst()
                    .ifPresent(namespace -> expectations.add(new Expectation(
                            searched("no-such-name", namespace, zone, suffix),
                            RecordType.A,
                            new ExpectedOutcome.NoSuchName(),
                            List.of())));
        }
        return Collections.unmodifiableList(expectations);
    }

    private static DnsLabels labels(Service service) {
        return NameSchema.service(service.name(), service.namespace());
    }

    private static Name searched(String name, String namespace, DnsLabels zone, DnsLabels suffix) {
        String domain = new ClusterSearches(namespace, zone.toString()).autopathDomain(suffix.toString());
        return DnsNames.absolute(DnsLabels.parse(domain).prepend(name));
    }

    private void records(DnsLabels zone) {
        Map<Name, List<RecordSet>> byName = new LinkedHashMap<>();
        for (RecordSet set : revision.recordSets(zone)) {
            byName.computeIfAbsent(set.owner(), any -> new ArrayList<>()).add(set);
        }
        byName.forEach((name, sets) -> {
            DnsLabels labels = DnsNames.labels(name).below(zone).orElseThrow();
            ClusterName meaning = NameSchema.parse(labels);
            if (meaning == ClusterName.FixedName.NAME_SERVER) {
                return;
            }
            List<ObjectRef> objects = objectsOf(meaning, sets);
            for (RecordSet set : sets) {
                if (set.typeNumber() != Type.SOA && set.typeNumber() != Type.NS) {
                    list.add(new Expectation(name, set.type(), data(set), objects));
                }
            }
            Set<Integer> types = new TreeSet<>();
            sets.forEach(set -> types.add(set.typeNumber()));
            if (types.contains(Type.A) != types.contains(Type.AAAA)) {
                absence(zone, labels, types.contains(Type.A) ? RecordType.AAAA : RecordType.A, objects);
            }
        });
    }

    private static ExpectedOutcome data(RecordSet set) {
        Set<String> data = new LinkedHashSet<>();
        set.records().forEach(record -> data.add(Expectation.data(record)));
        return new ExpectedOutcome.Records(data);
    }

    /** Adds an expectation for a name and type if the zone has no such records: NODATA or NXDOMAIN. */
    private void absence(DnsLabels zone, DnsLabels labels, RecordType type, List<ObjectRef> objects) {
        ZoneLookup lookup = revision.lookup(labels, type.number());
        if (lookup instanceof ZoneLookup.NoData) {
            list.add(new Expectation(DnsNames.absolute(labels, zone), type, new ExpectedOutcome.NoData(), objects));
        } else if (lookup instanceof ZoneLookup.NoSuchName) {
            list.add(new Expectation(DnsNames.absolute(labels, zone), type, new ExpectedOutcome.NoSuchName(), objects));
        }
    }

    private void absences(DnsLabels zone, ClusterSnapshot objects, Visibility visibility) {
        noSuchName(zone, DnsLabels.EMPTY, List.of());
        Set<String> shown = new TreeSet<>();
        objects.objects(Namespace.class).filter(visibility::shows).forEach(namespace -> {
            shown.add(namespace.name());
            noSuchName(zone, NameSchema.services(namespace.name()), List.of(namespace.ref()));
        });
        objects.objects(Service.class)
                .filter(service -> shown.contains(service.namespace()) && visibility.shows(service))
                .forEach(service -> {
                    DnsLabels labels = labels(service);
                    List<ObjectRef> refs = List.of(service.ref());
                    absence(zone, labels.prepend(Protocol.TCP.label()), RecordType.A, refs);
                    absence(zone, labels.prepend(Protocol.UDP.label()), RecordType.A, refs);
                    noSuchName(zone, labels, refs);
                });
    }

    /** Expects NXDOMAIN for an unused name below a parent: {@code no-such-name}, or with a number if a Service has that name. */
    private void noSuchName(DnsLabels zone, DnsLabels parent, List<ObjectRef> objects) {
        DnsLabels free = Stream.iterate(1, i -> i + 1)
                .map(i -> parent.prepend(i == 1 ? "no-such-name" : "no-such-name-" + i))
                .filter(labels -> revision.lookup(labels, Type.A) instanceof ZoneLookup.NoSuchName)
                .findFirst()
                .orElseThrow();
        absence(zone, free, RecordType.A, objects);
    }

    private void ptrRecords(DnsLabels zone) {
        Set<IpAddress> named = new TreeSet<>();
        for (RecordSet set : revision.recordSets(zone)) {
            if (set.typeNumber() == Type.PTR) {
                NameSchema.parseReverse(DnsNames.labels(set.owner())).ifPresent(one -> named.add(one.base()));
                list.add(new Expectation(set.owner(), set.type(), data(set), targets(set)));
            }
        }
        revision.settings().reverseZones().stream()
                .filter(reverse -> reverse.name().equals(zone))
                .findFirst()
                .flatMap(reverse -> unused(reverse, named))
                .ifPresent(free -> list.add(new Expectation(
                        DnsNames.absolute(NameSchema.reverseName(free)),
                        RecordType.PTR,
                        new ExpectedOutcome.NoSuchName(),
                        List.of())));
    }

    /** Returns an address without a name, next to one that has a name; after it if possible, otherwise before it; empty if all have one. */
    private static Optional<IpAddress> unused(ReverseZone zone, Set<IpAddress> named) {
        List<IpAddress> descending = new ArrayList<>(named);
        Collections.reverse(descending);
        for (int step : new int[] {1, -1}) {
            for (IpAddress address : descending) {
                Optional<IpAddress> next =
                        neighbour(address, step).filter(one -> zone.contains(one) && !named.contains(one));
                if (next.isPresent()) {
                    return next;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<IpAddress> neighbour(IpAddress address, int step) {
        byte[] bytes = address.bytes();
        byte[] sum = new BigInteger(1, bytes).add(BigInteger.valueOf(step)).toByteArray();
        byte[] neighbour = new byte[bytes.length];
        int significant = Math.min(sum.length, bytes.length);
        System.arraycopy(sum, sum.length - significant, neighbour, bytes.length - significant, significant);
        return Optional.of(IpAddress.ofBytes(neighbour)).filter(one -> one.family() == address.family());
    }

    /** Returns the Services of the PTR targets. */
    private List<ObjectRef> targets(RecordSet set) {
        Set<ObjectRef> objects = new LinkedHashSet<>();
        DnsLabels zone = revision.rules().ptrTargetZone();
        for (Record record : set.records()) {
            if (record instanceof PTRRecord pointer) {
                DnsNames.labels(pointer.getTarget())
                        .below(zone)
                        .ifPresent(labels -> objects.addAll(objectsOf(NameSchema.parse(labels), List.of())));
            }
        }
        return List.copyOf(objects);
    }

    /** Returns the Service of a name; for names of endpoints and Pods also the Pods with their addresses. */
    private List<ObjectRef> objectsOf(ClusterName meaning, List<RecordSet> sets) {
        List<ObjectRef> service =
                meaning.serviceName().map(ClusterName.ServiceName::ref).stream().toList();
        if (meaning instanceof ClusterName.EndpointName endpoint) {
            return withPods(service, endpoint.service().namespace().folded(), sets);
        }
        if (meaning instanceof ClusterName.EndpointAddressName endpoint) {
            return withPods(service, endpoint.service().namespace().folded(), sets);
        }
        if (meaning instanceof ClusterName.PodName pod) {
            return withPods(List.of(), pod.namespace().folded(), sets);
        }
        return service;
    }

    private List<ObjectRef> withPods(List<ObjectRef> first, String namespace, List<RecordSet> sets) {
        Set<ObjectRef> objects = new LinkedHashSet<>(first);
        for (RecordSet set : sets) {
            for (Record record : set.records()) {
                if (record.getType() == Type.A || record.getType() == Type.AAAA) {
                    podsByAddress.getOrDefault(IpAddress.ofBytes(record.rdataToWireCanonical()), List.of()).stream()
                            .filter(pod -> pod.namespace().equals(namespace))
                            .forEach(pod -> objects.add(pod.ref()));
                }
            }
        }
        return List.copyOf(objects);
    }
}
