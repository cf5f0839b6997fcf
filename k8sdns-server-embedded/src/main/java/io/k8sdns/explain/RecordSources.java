package io.k8sdns.explain;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PortKey;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;

/**
 * Finds the object and the field that make a record, and the section that describes it.
 *
 * <p>{@code RecordRules} decides whether an object makes a record: an object is the source if a cluster with this object alone has
 * the record. Only objects whose name or address is in the owner name are tried, because a zone is made for each. The field and
 * the section are found here, by the kind of object and the type of the record, because facts do not carry them; a record that has no
 * case here has only the object.
 */
final class RecordSources {
    private static final String SCHEMA_VERSION = "specification 2.2";
    private static final String CLUSTER_IP = "specification 2.3.";
    private static final String HEADLESS = "specification 2.4.";
    private static final String EXTERNAL_NAME = "specification 2.5";
    private static final String OF_PODS = "DNS for Services and Pods, A/AAAA records";
    private static final String OF_COREDNS = "CoreDNS, plugin kubernetes; not in the specification";

    /** The sections about the records that a zone has without any object, at its apex and at {@code dns-version}. */
    private static final Map<RecordType, String> OF_ZONES = Map.of(
            RecordType.TXT,
            SCHEMA_VERSION,
            RecordType.NS,
            "RFC 1035, section 3.3.11",
            RecordType.SOA,
            "RFC 1035, section 3.3.13");

    /** The number of the heading for a type, the same in 2.3 and 2.4. */
    private static final Map<RecordType, String> SUBSECTIONS =
            Map.of(RecordType.A, "1", RecordType.AAAA, "1", RecordType.SRV, "2", RecordType.PTR, "3");

    private final ClusterSnapshot cluster;
    private final ZoneSettings settings;

    RecordSources(ClusterSnapshot cluster, ZoneSettings settings) {
        this.cluster = cluster;
        this.settings = settings;
    }

    /**
     * A cluster with one object that may make records.
     *
     * @param object the object
     * @param owner the Service of an EndpointSlice, which is in the cluster, too; empty for other objects
     * @param resolver answers from the cluster
     */
    private record SingleObjectCluster(ClusterObject object, Optional<Service> owner, ResolverChain resolver) {}

    List<Source> of(List<RecordSet> sets) {
        List<Source> sources = new ArrayList<>();
        for (RecordSet set : sets) {
            Map<String, SingleObjectCluster> makers = makers(set);
            Optional<Name> zone = zone(DnsNames.labels(set.owner()));
            List<String> lines = set.lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                Record record = set.records().get(i);
                SingleObjectCluster maker = makers.get(data(record));
                if (maker == null) {
                    sources.add(new Source(lines.get(i), zone, Optional.empty(), "", ruleOfZone(set)));
                } else {
                    FieldLocation location = location(maker, record);
                    sources.add(new Source(
                            lines.get(i),
                            zone,
                            Optional.of(location.object()),
                            location.field(),
                            rule(maker, set.type())));
                }
            }
        }
        return sources;
    }

    /** Returns the longest zone of the server that a name is in. */
    private Optional<Name> zone(DnsLabels owner) {
        return Stream.concat(
                        settings.zones().stream(),
                        settings.reverseZones().stream().map(ReverseZone::name))
                .filter(zone -> owner.below(zone).isPresent())
                .map(DnsNames::absolute)
                .max(Comparator.comparingInt(Name::labels));
    }

    /** Returns the object and the field that make a record; for a Pod whose name is invented, the template of its workload. */
    private FieldLocation location(SingleObjectCluster maker, Record record) {
        return maker.object instanceof Pod pod && PodOrigins.hasInventedName(pod)
                ? new FieldLocation(pod.workload().orElseThrow(), "spec.template")
                : new FieldLocation(maker.object.ref(), field(maker, record));
    }

    /** Returns the first object that makes each record at the name and of the type of a record set, by its data. */
    private Map<String, SingleObjectCluster> makers(RecordSet set) {
        Map<String, SingleObjectCluster> makers = new HashMap<>();
        for (SingleObjectCluster candidate : candidates(DnsNames.labels(set.owner()))) {
            WhatIf.lookup(candidate.resolver, set.owner(), set.type()).answer().stream()
                    .filter(found ->
                            found.owner().equals(set.owner()) && found.type().equals(set.type()))
                    .flatMap(found -> found.records().stream())
                    .forEach(record -> makers.putIfAbsent(data(record), candidate));
        }
        return makers;
    }

    /** Returns the data of a record; without the weight of an SRV record, which depends on other objects. */
    private static String data(Record record) {
        return record instanceof SRVRecord srv ? srv.getPort() + " " + srv.getTarget() : record.rdataToString();
    }

    /** Returns the section that describes records of no object; "" if it is unknown here. */
    private String ruleOfZone(RecordSet set) {
        boolean isNameServer = parsed(DnsNames.labels(set.owner())).anyMatch(ClusterName.FixedName.NAME_SERVER::equals);
        return isNameServer ? OF_COREDNS : OF_ZONES.getOrDefault(set.type(), "");
    }

    /** Returns the objects that may make records at a name. */
    private List<SingleObjectCluster> candidates(DnsLabels name) {
        Optional<IpAddress> reverse = NameSchema.reverseAddress(name);
        if (reverse.isPresent()) {
            IpAddress address = reverse.get();
            return Stream.concat(
                            cluster.objects(ClusterIpService.class)
                                    .filter(service -> service.clusterIps().contains(address))
                                    .map(service -> clusterOf(service, Optional.empty())),
                            cluster.objects(EndpointSlice.class)
                                    .filter(slice -> slice.endpoints().stream()
                                            .anyMatch(one -> one.addresses().contains(address)))
                                    .flatMap(slice ->
                                            owner(slice).stream().map(owner -> clusterOf(slice, Optional.of(owner)))))
                    .toList();
        }
        return parsed(name).flatMap(this::candidates).toList();
    }

    /** Returns the meanings of a name in the zones that it is in. */
    private Stream<ClusterName> parsed(DnsLabels name) {
        return settings.zones().stream()
                .flatMap(zone -> name.below(zone).stream())
                .map(NameSchema::parse);
    }

    private Stream<SingleObjectCluster> candidates(ClusterName name) {
        if (name instanceof ClusterName.PodName pod) {
            return cluster.objects(Pod.class)
                    .filter(one -> one.namespace().equals(lower(pod.namespace()))
                            && one.ips().contains(pod.address()))
                    .map(one -> clusterOf(one, Optional.empty()));
        }
        return name.serviceName().flatMap(service -> cluster.get(service.ref())).map(Service.class::cast).stream()
                .flatMap(service -> Stream.concat(
                        // The cluster of a Service may have its slices, but a Service makes no name of an endpoint.
                        isEndpoint(name) ? Stream.empty() : Stream.of(clusterOf(service, Optional.empty())),
                        cluster.objects(EndpointSlice.class)
                                .filter(slice -> slice.belongsTo(service))
                                .map(slice -> clusterOf(slice, Optional.of(service)))));
    }

    private static boolean isEndpoint(ClusterName name) {
        return name instanceof ClusterName.EndpointName || name instanceof ClusterName.EndpointAddressName;
    }

    private Optional<Service> owner(EndpointSlice slice) {
        return slice.serviceRef().flatMap(cluster::get).map(Service.class::cast);
    }

    private SingleObjectCluster clusterOf(ClusterObject object, Optional<Service> owner) {
        List<ClusterObject> objects = new ArrayList<>(List.of(object));
        object.ref()
                .namespace()
                .flatMap(name -> cluster.get(ObjectRef.of(Namespace.KIND, name)))
                .ifPresent(objects::add);
        owner.ifPresent(objects::add);
        if (owner.isEmpty() && settings.ignoreEmptyServices() && object instanceof Service service) {
            // Without its endpoints the Service would be ignored.
            cluster.objects(EndpointSlice.class)
                    .filter(slice -> slice.belongsTo(service))
                    .forEach(objects::add);
        }
        ClusterSnapshot single = ClusterSnapshot.of(objects);
        return new SingleObjectCluster(object, owner, WhatIf.resolver(single, settings, Visibility.ALL));
    }

    /** Returns the field that gives a record; "" for a record without an address that is no SRV record. */
    private String field(SingleObjectCluster maker, Record record) {
        Optional<IpAddress> address = address(record);
        if (maker.object instanceof ExternalNameService) {
            return "spec.externalName";
        }
        if (maker.object instanceof ClusterIpService service) {
            return record instanceof SRVRecord srv
                    ? "spec.ports[" + indexOf(service.ports().stream().map(port -> isSource(port, srv))) + "]"
                    : address.map(one ->
                                    "spec.clusterIPs[" + service.clusterIps().indexOf(one) + "]")
                            .orElse("");
        }
        if (maker.object instanceof Pod pod) {
            return address.map(one -> "status.podIPs[" + pod.ips().indexOf(one) + "]")
                    .orElse("");
        }
        if (maker.object instanceof EndpointSlice slice) {
            if (record instanceof SRVRecord srv) {
                Service owner = maker.owner.orElseThrow();
                return "ports[" + indexOf(slice.ports().stream().map(port -> isSource(port, owner, srv))) + "]";
            }
            return address.map(one -> endpointField(slice, one)).orElse("");
        }
        return "";
    }

    /** Returns whether a port of a Service gives an SRV record. */
    private boolean isSource(ServicePort port, SRVRecord srv) {
        return portKey(srv).map(port.key()::equals).orElseGet(() -> port.port() == srv.getPort());
    }

    /** Returns whether a port of an EndpointSlice gives an SRV record. */
    private boolean isSource(EndpointPort port, Service owner, SRVRecord srv) {
        Optional<PortKey> key = portKey(srv);
        if (key.isPresent()) {
            return port.key().equals(key.get());
        }
        return new RecordRules(settings).srvNumbers(port, owner).anyMatch(number -> number == srv.getPort());
    }

    /** Returns the name and the protocol of the port that owns an SRV record; empty at the Service's own name. */
    private Optional<PortKey> portKey(SRVRecord srv) {
        return parsed(DnsNames.labels(srv.getName()))
                .filter(ClusterName.PortName.class::isInstance)
                .map(ClusterName.PortName.class::cast)
                .map(name -> new PortKey(Optional.of(lower(name.port())), name.protocol()))
                .findFirst();
    }

    private String endpointField(EndpointSlice slice, IpAddress address) {
        for (int i = 0; i < slice.endpoints().size(); i++) {
            Endpoint endpoint = slice.endpoints().get(i);
            if (endpoint.addresses().contains(address)) {
                String target =
                        endpoint.targetRef().map(ref -> " of " + described(ref)).orElse("");
                return "endpoints[" + i + "].addresses[" + endpoint.addresses().indexOf(address) + "]" + target;
            }
        }
        return "endpoints";
    }

    /** Returns the target of an endpoint; for a Pod whose name is invented, its workload. */
    private String described(ObjectRef target) {
        return cluster.get(target)
                .filter(object -> object instanceof Pod pod && PodOrigins.hasInventedName(pod))
                .flatMap(pod -> ((Pod) pod).workload())
                .map(workload -> "a Pod of " + workload)
                .orElseGet(target::toString);
    }

    private static int indexOf(Stream<Boolean> matches) {
        return matches.toList().indexOf(true);
    }

    /** Returns the address in the data of a record, or of the reverse name that owns a PTR record. */
    private static Optional<IpAddress> address(Record record) {
        if (record instanceof ARecord || record instanceof AAAARecord) {
            return IpAddress.tryParse(record.rdataToString());
        }
        return record instanceof PTRRecord
                ? NameSchema.reverseAddress(DnsNames.labels(record.getName()))
                : Optional.empty();
    }

    /**
     * Returns the section that describes the records of a type of an object; "" if it is unknown here. The headings are those that
     * RecordRules names.
     */
    private static String rule(SingleObjectCluster maker, RecordType type) {
        if (maker.object instanceof Pod) {
            return OF_PODS;
        }
        if (maker.object instanceof ExternalNameService) {
            return EXTERNAL_NAME;
        }
        String section = SUBSECTIONS.getOrDefault(type, "");
        if (section.isEmpty()) {
            return "";
        }
        if (maker.object instanceof ClusterIpService) {
            return CLUSTER_IP + section;
        }
        boolean isHeadless =
                maker.owner.filter(HeadlessService.class::isInstance).isPresent();
        if (isHeadless) {
            return HEADLESS + section;
        }
        // Endpoints of a Service with a cluster IP: the specification has no names of theirs.
        return type.equals(RecordType.PTR) ? OF_COREDNS : OF_PODS;
    }

    static String lower(Object label) {
        return label.toString().toLowerCase(Locale.ROOT);
    }
}
