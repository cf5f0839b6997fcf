package io.k8sdns.zone;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.EndpointNames;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.ReversePolicy;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.SrvPort;
import io.k8sdns.records.ZoneSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/**
 * Clusters of very few names, so that names collide: Services share addresses and hostnames, slices of one Service
 * disagree, Namespaces are added and removed, Services change their type, hostnames are dashed addresses, removals are late.
 * A name that is repeated in a list is more likely than the others.
 */
@SuppressWarnings("exports") // jqwik is no module of the module that tests are patched into
public final class SmallClusters {
    private static final List<String> NAMESPACES = List.of("shop", "shop", "shop", "prod");
    private static final List<String> SERVICES = List.of("web", "web", "web", "db", "192-0-2-1");
    private static final List<String> HOSTNAMES = List.of("web-0", "web-1", "192-0-2-1", "192-0-2-2", "2001-db8--1");
    private static final List<String> PODS = List.of("web-0", "web-1", "web.dotted");
    private static final List<IpAddress> IPV4 = addresses("192.0.2.1", "192.0.2.2", "192.0.2.130", "198.51.100.7");
    private static final List<IpAddress> IPV6 = addresses("2001:db8::1", "2001:db8::2", "2001:db8::", "2001:db8:1::1");
    private static final List<Labels> LABELS =
            List.of(Labels.NONE, new Labels(Map.of("app", "web")), new Labels(Map.of("app", "db")));

    private SmallClusters() {}

    private static List<IpAddress> addresses(String... texts) {
        return Stream.of(texts).map(IpAddress::parse).toList();
    }

    // ---- settings ----

    /** Returns every kind of setting: zones in zones, split and restricted reverse zones, all modes. */
    public static Arbitrary<ZoneSettings> settings() {
        Arbitrary<List<DnsLabels>> zones = Arbitraries.of(
                        List.of("cluster.local"),
                        List.of("cluster.local", "example"),
                        List.of("cluster.local", "shop.svc.cluster.local", "b.a.cluster.local"),
                        List.of("web.shop.svc.cluster.local", "cluster.local"),
                        List.of("10-0-0-1.example"),
                        List.of(("x".repeat(63) + ".").repeat(3) + "y".repeat(40), "cluster.local"),
                        List.of("cluster.local", ("x".repeat(63) + ".").repeat(3) + "y".repeat(35)))
                .map(texts -> texts.stream().map(DnsLabels::parse).toList());
        Arbitrary<List<ReverseZone>> reverseZones = Arbitraries.of(
                        List.of("in-addr.arpa", "ip6.arpa"),
                        List.of("192.0.2.0/24", "2001:db8::/32"),
                        List.of("192.0.2.0/25", "192.0.0.0/12", "2001:db8::/126"),
                        List.of("192.0.2.2/31", "192.0.2.128/25", "2001:db8::1/128", "2001:db8:1::/125"),
                        List.of("in-addr.arpa", "2001:db8::/127"),
                        List.of("in-addr.arpa", "192.0.2.0/26", "192.0.2.128/26", "ip6.arpa", "2001:db8::/64"),
                        List.<String>of())
                .map(texts -> texts.stream()
                        .flatMap(text -> ReverseZone.parse(text).stream())
                        .toList());
        Arbitrary<Integer> endpoints = Arbitraries.frequency(Tuple.of(3, 0), Tuple.of(3, 1), Tuple.of(1, 2));
        Arbitrary<ZoneSettings.Builder> settings = Combinators.combine(
                        zones,
                        reverseZones,
                        Arbitraries.of(PodsMode.class),
                        endpoints,
                        Arbitraries.of(EndpointNames.class),
                        Arbitraries.of(ReversePolicy.class),
                        Arbitraries.of(SrvPort.class),
                        Arbitraries.of(true, true, false))
                .as((forward, reverse, pods, empty, names, policy, srvPort, bareSrv) -> ZoneSettings.builder()
                        .zones(forward)
                        .reverseZones(reverse)
                        .pods(pods)
                        .endpoints(empty != 2)
                        .ignoreEmptyServices(empty == 1)
                        .endpointNames(names)
                        .reversePolicy(policy)
                        .srvPort(srvPort)
                        .bareSrv(bareSrv));
        Arbitrary<Long> ttls = Arbitraries.of(5L, 0L, 65_537L, 0x7FFF_FFFFL);
        return Combinators.combine(settings, ttls, ttls)
                .as((builder, positive, negative) -> builder.ttlSeconds(positive)
                        .negativeTtlSeconds(negative)
                        .build());
    }

    /** Returns filters by namespace, by its labels, by the labels of an object; usually none. */
    public static Arbitrary<Visibility> visibility() {
        return Arbitraries.of(
                Visibility.ALL,
                Visibility.ALL,
                Visibility.ofNamespaces(Set.of("shop")),
                Visibility.ofNamespacesWith(Selector.parse("app!=web")),
                Visibility.ALL.onlyWith(Selector.parse("app!=web")),
                Visibility.ALL.onlyWith(Selector.parse("app=web")));
    }

    // ---- objects ----

    /** Returns any object. */
    public static Arbitrary<ClusterObject> objects() {
        return Arbitraries.frequencyOf(
                Tuple.of(3, namespaces()),
                Tuple.of(5, services()),
                Tuple.of(8, slices()),
                Tuple.of(3, pods()),
                Tuple.of(1, nodes()));
    }

    private static Arbitrary<Optional<String>> uids() {
        return Arbitraries.of(Optional.empty(), Optional.of("1"), Optional.of("2"));
    }

    private static Arbitrary<Metadata> metadata(List<String> names) {
        return Combinators.combine(Arbitraries.of(NAMESPACES), Arbitraries.of(names), uids(), Arbitraries.of(LABELS))
                .as(Metadata::new);
    }

    private static Arbitrary<Namespace> namespaces() {
        return Combinators.combine(Arbitraries.of(NAMESPACES), uids(), Arbitraries.of(LABELS))
                .as(Namespace::new);
    }

    private static Arbitrary<Node> nodes() {
        return uids().map(uid -> new Node("shop", uid, Labels.NONE, List.of(IPV4.get(0)), List.of(), List.of()));
    }

    private static Arbitrary<Service> services() {
        Arbitrary<List<ServicePort>> ports = Arbitraries.of(
                List.of(),
                List.of(ServicePort.unnamed(Protocol.TCP, 80)),
                List.of(ServicePort.of("http", Protocol.TCP, 80)),
                List.of(ServicePort.of("http", Protocol.TCP, 80), ServicePort.of("dns", Protocol.UDP, 53)),
                List.of(ServicePort.of("http", Protocol.TCP, 80), ServicePort.of("http", Protocol.UDP, 80)),
                List.of(ServicePort.unnamed(Protocol.TCP, 80), ServicePort.unnamed(Protocol.UDP, 80)));
        Arbitrary<List<IpAddress>> clusterIps = Arbitraries.of(
                List.of(),
                List.of(IPV4.get(0)),
                List.of(IPV4.get(1)),
                List.of(IPV4.get(1), IPV6.get(0)),
                List.of(IPV6.get(2)));
        Arbitrary<Service> clusterIp = Combinators.combine(
                        metadata(SERVICES), clusterIps, ports, Arbitraries.of(false, true))
                .as((metadata, ips, list, early) -> ClusterIpService.builder(metadata)
                        .clusterIps(ips)
                        .ports(list)
                        .publishNotReadyAddresses(early)
                        .build());
        Arbitrary<Service> headless = Combinators.combine(metadata(SERVICES), ports, Arbitraries.of(false, true))
                .as((metadata, list, early) -> HeadlessService.builder(metadata)
                        .ports(list)
                        .publishNotReadyAddresses(early)
                        .build());
        Arbitrary<Service> external = Combinators.combine(
                        metadata(SERVICES), Arbitraries.of("www.example.com", "192.0.2.1", "db.shop.svc.cluster.local"))
                .as(ExternalNameService::new);
        return Arbitraries.frequencyOf(Tuple.of(3, clusterIp), Tuple.of(4, headless), Tuple.of(1, external));
    }

    private static Arbitrary<EndpointSlice> slices() {
        Arbitrary<Optional<String>> serviceNames = Arbitraries.of(
                Optional.of("web"), Optional.of("web"), Optional.of("db"), Optional.of("192-0-2-1"), Optional.empty());
        Arbitrary<List<EndpointPort>> ports = Arbitraries.of(
                List.of(),
                List.of(EndpointPort.of("http", Protocol.TCP, 8080)),
                List.of(EndpointPort.of("http", Protocol.TCP, 8081), EndpointPort.of("dns", Protocol.UDP, 53)),
                List.of(EndpointPort.of("http", Protocol.UDP, 8080)),
                List.of(EndpointPort.of("http", Protocol.UDP, 8080), EndpointPort.of("http", Protocol.TCP, 8080)),
                List.of(EndpointPort.unnamed(Protocol.TCP, 80)),
                List.of(EndpointPort.unnamed(Protocol.TCP, 80), EndpointPort.unnamed(Protocol.UDP, 80)),
                List.of(EndpointPort.everyPort("http", Protocol.TCP)));
        return Arbitraries.of(AddressType.IPV4, AddressType.IPV4, AddressType.IPV6, AddressType.FQDN)
                .flatMap(type -> Combinators.combine(
                                metadata(List.of("web-a", "web-b", "web-c", "web-d", "web-e")),
                                serviceNames,
                                endpoints(type),
                                ports)
                        .as((metadata, service, endpoints, list) -> {
                            EndpointSlice.Builder slice = EndpointSlice.builder(metadata)
                                    .addressType(type)
                                    .endpoints(endpoints)
                                    .ports(list);
                            service.ifPresent(slice::service);
                            return slice.build();
                        }));
    }

    private static Arbitrary<List<Endpoint>> endpoints(AddressType type) {
        if (type == AddressType.FQDN) {
            return Arbitraries.just(List.of());
        }
        Arbitrary<List<IpAddress>> addresses = Arbitraries.of(type == AddressType.IPV4 ? IPV4 : IPV6)
                .list()
                .ofMinSize(1)
                .ofMaxSize(2);
        Arbitrary<Optional<Boolean>> ready =
                Arbitraries.of(Optional.empty(), Optional.of(true), Optional.of(true), Optional.of(false));
        Arbitrary<Optional<String>> hostnames = Arbitraries.of(HOSTNAMES).optional(0.5);
        Arbitrary<Optional<ObjectRef>> targets = Arbitraries.of(PODS)
                .map(name -> ObjectRef.of(Pod.KIND, "shop", name))
                .optional(0.3);
        return Combinators.combine(addresses, ready, hostnames, targets)
                .as((ips, isReady, hostname, target) -> {
                    Endpoint.Builder endpoint = Endpoint.builder(ips);
                    isReady.ifPresent(endpoint::ready);
                    hostname.ifPresent(endpoint::hostname);
                    target.ifPresent(endpoint::targetRef);
                    return endpoint.build();
                })
                .list()
                .ofMaxSize(3);
    }

    private static Arbitrary<Pod> pods() {
        Arbitrary<List<IpAddress>> ips = Arbitraries.of(
                List.of(),
                List.of(IPV4.get(0)),
                List.of(IPV4.get(3)),
                List.of(IPV4.get(0), IPV6.get(0)),
                List.of(IPV6.get(2)));
        return Combinators.combine(
                        metadata(PODS),
                        Arbitraries.of(PodPhase.class).optional(0.8),
                        ips,
                        Arbitraries.of("ClusterFirst", "Default", "Custom").optional())
                .as((metadata, phase, list, policy) -> {
                    Pod.Builder pod = Pod.builder(metadata).ready(true).ips(list);
                    phase.ifPresent(pod::phase);
                    policy.ifPresent(word -> pod.dnsPolicy(word));
                    return pod.build();
                });
    }

    /** Returns clusters of the Namespaces and any objects. */
    public static Arbitrary<ClusterSnapshot> snapshots() {
        return objects().list().ofMinSize(4).ofMaxSize(24).map(objects -> {
            List<ClusterObject> all = new ArrayList<>();
            NAMESPACES.forEach(name -> all.add(Namespace.of(name)));
            all.addAll(objects);
            return ClusterSnapshot.of(all);
        });
    }

    // ---- changes ----

    /** Returns sequences of changes: objects put and put again, removed with their own UID, another one or none. */
    public static Arbitrary<List<ClusterChange>> histories() {
        Arbitrary<ClusterChange> puts = objects().map(ClusterChange.Put::new);
        Arbitrary<ClusterChange> removes =
                Combinators.combine(objects(), uids()).as((object, uid) -> new ClusterChange.Remove(object.ref(), uid));
        return Arbitraries.frequencyOf(Tuple.of(4, puts), Tuple.of(1, removes))
                .list()
                .ofMinSize(10)
                .ofMaxSize(40);
    }

    /** Returns changes of two slices of one Service, which move two addresses from one name to another. */
    public static Arbitrary<List<ClusterChange>> renamings() {
        Arbitrary<Endpoint> endpoints = Combinators.combine(
                        Arbitraries.of(IPV4.subList(0, 2)),
                        Arbitraries.of("192-0-2-1", "192-0-2-2", "web-0").optional(0.5))
                .as((address, hostname) -> {
                    Endpoint.Builder endpoint = Endpoint.builder(address);
                    hostname.ifPresent(endpoint::hostname);
                    return endpoint.build();
                });
        Arbitrary<ClusterChange> slices = Combinators.combine(
                        Arbitraries.of("web-a", "web-a", "web-b"),
                        endpoints.list().ofMaxSize(2))
                .as((name, list) -> new ClusterChange.Put(EndpointSlice.builder("shop", name)
                        .service("web")
                        .endpoints(list)
                        .build()));
        List<ClusterChange> first = List.of(
                new ClusterChange.Put(Namespace.of("shop")), new ClusterChange.Put(HeadlessService.of("shop", "web")));
        return slices.list()
                .ofMinSize(10)
                .ofMaxSize(30)
                .map(changes -> Stream.concat(first.stream(), changes.stream()).toList());
    }

    /** Returns the objects that remain after all changes. */
    public static ClusterSnapshot after(List<ClusterChange> history) {
        Map<ObjectRef, ClusterObject> objects = new LinkedHashMap<>();
        for (ClusterChange change : history) {
            if (change instanceof ClusterChange.Put put) {
                objects.put(put.object().ref(), put.object());
            } else if (change instanceof ClusterChange.Remove remove) {
                ClusterObject present = objects.get(remove.ref());
                boolean another = present != null
                        && present.uid().isPresent()
                        && remove.uid().isPresent()
                        && !Objects.equals(present.uid(), remove.uid());
                if (!another) {
                    objects.remove(remove.ref());
                }
            }
        }
        return ClusterSnapshot.of(objects.values());
    }

    // ---- questions ----

    /** Returns names below a zone, most of a form of the schema, many of them existing; letters of either case. */
    public static Arbitrary<DnsLabels> names() {
        Arbitrary<String> namespace = Arbitraries.of("shop", "prod", "SHOP", "none");
        Arbitrary<String> service = Arbitraries.of("web", "db", "192-0-2-1", "WEB", "none");
        Arbitrary<String> label = Arbitraries.of(
                "web-0",
                "web-1",
                "Web-0",
                "192-0-2-1",
                "192-0-2-2",
                "192-0-2-130",
                "198-51-100-7",
                "2001-db8--1",
                "2001-DB8--2",
                "2001-db8--0",
                "2001-db8-0-0-0-0-0-1",
                "2001-db8-1--1",
                "_tcp",
                "_udp",
                "x");
        Arbitrary<DnsLabels> services =
                Combinators.combine(service, namespace).as((svc, ns) -> DnsLabels.of(svc, ns, "svc"));
        Arbitrary<DnsLabels> belowServices =
                Combinators.combine(label, services).as((one, of) -> of.prepend(one));
        Arbitrary<DnsLabels> ports = Combinators.combine(
                        Arbitraries.of("_http", "_dns", "_", "http"), Arbitraries.of("_tcp", "_udp", "tcp"), services)
                .as((port, protocol, of) -> of.prepend(protocol).prepend(port));
        Arbitrary<DnsLabels> pods = Combinators.combine(label, namespace).as((one, ns) -> DnsLabels.of(one, ns, "pod"));
        Arbitrary<DnsLabels> others = Arbitraries.of(
                        "",
                        "svc",
                        "pod",
                        "dns",
                        "ns.dns",
                        "dns-version",
                        "shop.svc",
                        "prod.pod",
                        "none.svc",
                        "x",
                        "ns.svc.x",
                        "svc\\.shop.svc")
                .map(DnsLabels::parse);
        Arbitrary<DnsLabels> schemaNames = Arbitraries.oneOf(services, belowServices, ports, pods, others);
        return Arbitraries.frequencyOf(
                Tuple.of(9, schemaNames),
                Tuple.of(1, Combinators.combine(label, schemaNames).as((one, of) -> of.prepend(one))));
    }

    /** Returns addresses that are used, and one that is not. */
    public static Arbitrary<IpAddress> addresses() {
        return Arbitraries.of(Stream.of(IPV4, IPV6, addresses("203.0.113.9"))
                .flatMap(List::stream)
                .toList());
    }
}
