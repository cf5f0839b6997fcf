package io.k8sdns.rules;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.records.EndpointNames;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ReversePolicy;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.SrvPort;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.schema.AddressLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.xbill.DNS.DClass;
import org.xbill.DNS.HINFORecord;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.SOARecord;

/**
 * Decides which records the objects of a cluster have, one method for each heading of the specification. Pure: equal inputs give equal
 * outputs, in any order.
 *
 * <p>Two steps, because records depend on more than one object (a weight on all endpoints, a PTR on every Service that
 * shares the address): one object gives {@link Fact facts}, and all facts at one name give its {@link NameData}. No
 * method returns a fact twice; two objects may give the same one.
 *
 * <p>The caller passes published objects only: those in a hidden or missing Namespace have no facts.
 *
 * <p>Source: DNS specification 1.1.0; "DNS for Services and Pods".
 */
@Internal
public final class RecordRules {
    private static final String SCHEMA_VERSION = "1.1.0";

    /** The TTL of the schema version in seconds, as in the specification's example. */
    private static final long SCHEMA_VERSION_TTL = 28800;

    private static final Comparator<Fact.Reverse> BEST_FIRST =
            Comparator.comparing(Fact.Reverse::rank).thenComparing(Fact.Reverse::target);

    /** LABEL.SERVICE.NAMESPACE.svc. */
    private static final int ENDPOINT_LABELS = 4;

    /** The mailbox of each zone's SOA, below the zone. */
    private static final DnsLabels HOSTMASTER = DnsLabels.of("hostmaster");

    private final ZoneSettings settings;

    /** The other zones inside the first forward zone, as labels below it. A name in one of them belongs to that zone. */
    private final List<DnsLabels> zonesInFirst;

    /** Makes the rules for these settings. */
    public RecordRules(ZoneSettings settings) {
        this.settings = Objects.requireNonNull(settings, "settings");
        DnsLabels first = settings.zones().get(0);
        this.zonesInFirst = Stream.concat(
                        settings.zones().stream(),
                        settings.reverseZones().stream().map(ReverseZone::name))
                .flatMap(zone -> zone.below(first).stream())
                .filter(below -> !below.isEmpty())
                .toList();
    }

    /** Returns the settings. */
    public ZoneSettings settings() {
        return settings;
    }

    // ---- which objects are read ----

    /** Returns whether EndpointSlices have facts; if not, they need not be stored. */
    public boolean readsSlices() {
        return settings.endpoints();
    }

    /** Returns whether an endpoint can be named after its Pod; if not, the reference to the Pod need not be stored. */
    public boolean readsTargets() {
        return settings.endpointNames() == EndpointNames.POD;
    }

    /** Returns whether a Service without {@linkplain #publishedEndpoints published endpoints} can be {@linkplain #isIgnored ignored}. */
    public boolean countsEndpoints() {
        return settings.ignoreEmptyServices();
    }

    /** Returns whether Pods have facts; if not, they need not be stored. */
    public boolean readsPods() {
        return settings.pods() == PodsMode.VERIFIED;
    }

    // ---- 2.2 and what every zone has ----

    /**
     * 2.2, Record for Schema Version, and the names that exist without any object: the apex, {@code svc}, {@code pod},
     * and the name server with its addresses.
     */
    public List<Fact> apex() {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact.Exists(forward(ClusterName.FixedName.APEX.labels())));
        facts.add(new Fact.Exists(forward(ClusterName.FixedName.SERVICES.labels())));
        facts.add(new Fact.Exists(forward(ClusterName.FixedName.PODS.labels())));
        facts.add(new Fact.Exists(forward(ClusterName.FixedName.DNS.labels())));
        facts.add(new Fact.Text(forward(ClusterName.FixedName.VERSION.labels()), SCHEMA_VERSION, SCHEMA_VERSION_TTL));
        OwnerName nameServer = forward(ClusterName.FixedName.NAME_SERVER.labels());
        settings.nameServerAddresses().stream()
                .distinct()
                .forEach(address -> facts.add(new Fact.Address(nameServer, address)));
        return List.copyOf(facts);
    }

    /**
     * Returns the SOA of a zone: {@code ns.dns.Z hostmaster.Z serial 7200 1800 86400 NEGATIVE}, Z being the zone itself,
     * or the first forward zone for a reverse zone. The specification asks for none; RFC 1035 and RFC 2308 do.
     *
     * @param zone a forward or reverse zone, absolute
     * @param serial the serial, an unsigned 32-bit number
     * @param ttlSeconds the TTL of the record: {@link ZoneSettings#negativeTtlSeconds} in a negative answer, else
     *     {@link ZoneSettings#startOfAuthorityTtlSeconds}
     */
    public RecordSet startOfAuthority(DnsLabels zone, long serial, long ttlSeconds) {
        DnsLabels contact = contactZone(zone);
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

    /**
     * Returns the NS records of a zone: {@code ns.dns.Z}, Z being the zone itself, or the first forward zone for a
     * reverse zone.
     *
     * @param zone a forward or reverse zone, absolute
     */
    public RecordSet nameServers(DnsLabels zone) {
        return RecordSet.of(new NSRecord(
                DnsNames.absolute(zone),
                DClass.IN,
                settings.ttlSeconds(),
                DnsNames.absolute(ClusterName.FixedName.NAME_SERVER.labels(), contactZone(zone))));
    }

    /**
     * Returns the name of a forward zone's name server, whose addresses come first in a list of all records.
     *
     * @param zone a forward zone, absolute
     */
    public static DnsLabels nameServer(DnsLabels zone) {
        return ClusterName.FixedName.NAME_SERVER.labels().append(zone);
    }

    private DnsLabels contactZone(DnsLabels zone) {
        return settings.zones().contains(zone) ? zone : settings.zones().get(0);
    }

    /** Returns the facts of a Namespace: its two names exist, {@code NS.pod} only while pod names are answered. */
    public List<Fact> factsOf(Namespace namespace) {
        Fact services = new Fact.Exists(forward(NameSchema.services(namespace.name())));
        Fact pods = new Fact.Exists(forward(NameSchema.pods(namespace.name())));
        return settings.pods() == PodsMode.DISABLED ? List.of(services) : List.of(services, pods);
    }

    // ---- 2.3, 2.4, 2.5: a Service by itself ----

    /**
     * Returns the facts of a Service by itself: 2.3 or 2.5. A headless Service (2.4) has none: all its facts are those of its slices, and
     * without a published endpoint its name does not exist.
     *
     * @param service the Service, not {@linkplain #isIgnored ignored}
     */
    public List<Fact> factsOf(Service service) {
        if (service instanceof ClusterIpService clusterIp) {
            return clusterIpFacts(clusterIp);
        }
        return service instanceof ExternalNameService external ? externalNameFacts(external) : List.of();
    }

    /**
     * Returns whether a Service and its slices must be skipped, because it has a cluster IP and no published endpoint ({@link ZoneSettings#ignoreEmptyServices}).
     *
     * @param service the Service
     * @param publishedEndpoints the sum of {@link #publishedEndpoints} over its slices
     */
    public boolean isIgnored(Service service, int publishedEndpoints) {
        return countsEndpoints() && service instanceof ClusterIpService && publishedEndpoints == 0;
    }

    /**
     * 2.3, Records for a Service with ClusterIP: 2.3.1 A and AAAA, 2.3.2 SRV, 2.3.3 PTR, for each of its addresses;
     * nothing for a Service without address.
     */
    private List<Fact> clusterIpFacts(ClusterIpService service) {
        if (service.clusterIps().isEmpty()) {
            return List.of();
        }
        DnsLabels name = serviceName(service);
        OwnerName owner = forward(name);
        List<EndpointPort> ports = new ArrayList<>(service.ports().size());
        for (ServicePort port : service.ports()) {
            ports.add(new EndpointPort(port.name(), port.protocol(), OptionalInt.of(port.port())));
        }
        Ports owners = new Ports(owner, name, ports);
        List<Fact> facts = new ArrayList<>(8);
        facts.addAll(owners.protocols);
        for (IpAddress address : service.clusterIps()) {
            facts.add(new Fact.Address(owner, address));
            owners.addTo(facts, name, address);
            addReverse(facts, new OwnerName.Reverse(address), ReverseRank.CLUSTER_IP, name);
        }
        return Collections.unmodifiableList(facts);
    }

    /**
     * 2.5, Records for External Name Services: an alias for any target that is a DNS name. Nothing for an IP literal,
     * which the API takes for a name (it is neither an address record nor an alias), for no target at all, nor for one
     * with a label over 63 bytes, which DNS cannot represent.
     */
    private List<Fact> externalNameFacts(ExternalNameService service) {
        Optional<String> name = targetName(service);
        if (name.isEmpty()) {
            return List.of();
        }
        try {
            DnsLabels target = DnsLabels.parse(name.get());
            return List.of(new Fact.Alias(forward(serviceName(service)), target));
        } catch (InvalidNameException unencodable) {
            return List.of();
        }
    }

    /** Returns the target of an alias: no IP literal. */
    static Optional<String> targetName(ExternalNameService service) {
        return service.externalName()
                .filter(target -> IpAddress.tryParse(target).isEmpty());
    }

    // ---- 2.4, and endpoint names ----

    /**
     * Returns the facts of one EndpointSlice: for a headless Service 2.4.1 A and AAAA, 2.4.2 SRV, 2.4.3 PTR; for a
     * Service with a cluster IP endpoint names and PTR alone ("Any Pods exposed by a Service", DNS for Services and
     * Pods).
     *
     * <p>Nothing for a slice of FQDN addresses, for one that does not name this Service, for a Service that has no
     * name of its own (external name, or no cluster IP), and while endpoints are switched off.
     *
     * @param slice the slice
     * @param owner the Service that the slice names
     */
    public List<Fact> factsOf(EndpointSlice slice, Service owner) {
        if (!readsSlices() || !belongs(slice, owner)) {
            return List.of();
        }
        return owner.fold(
                service -> service.clusterIps().isEmpty() ? List.of() : endpointFacts(slice, service, Optional.empty()),
                service -> endpointFacts(slice, service, Optional.of(headlessPorts(slice, service))),
                service -> List.of());
    }

    /**
     * Returns whether slices have the same facts, and the same number of published endpoints, with one state of their
     * Service as with another: it is of the same kind, publishes the same endpoints, and its ports, where those are
     * read, are the same.
     *
     * @param service the Service
     * @param other the same Service at another time
     */
    public boolean readsSlicesAlike(Service service, Service other) {
        return service.getClass() == other.getClass()
                && service.publishNotReadyAddresses() == other.publishNotReadyAddresses()
                && hasName(service) == hasName(other)
                && (settings.srvPort() == SrvPort.SLICE || service.ports().equals(other.ports()));
    }

    /** Returns false for a Service whose cluster IP is not assigned yet: it has no name, so its endpoints have none. */
    private static boolean hasName(Service service) {
        return !(service instanceof ClusterIpService clusterIp)
                || !clusterIp.clusterIps().isEmpty();
    }

    /**
     * Returns which endpoints of a slice can have facts at a name, so that the others need not be decoded: those with an address, or
     * with a label. Any other name is shared: all published endpoints have facts there, or none has.
     */
    public static EndpointFilter endpointsAt(OwnerName name) {
        if (name instanceof OwnerName.Reverse reverse) {
            return new EndpointFilter(reverse.address(), null);
        }
        DnsLabels labels = ((OwnerName.Forward) name).labels();
        // Below a Service are its endpoints and, with an underscore, its ports.
        if (labels.count() != ENDPOINT_LABELS || ClusterName.PortName.isLabel(labels.label(0))) {
            return EndpointFilter.ALL;
        }
        String label = labels.label(0);
        return new EndpointFilter(AddressLabels.parseEndpointLabel(label).orElse(null), label);
    }

    /**
     * Returns the names at which every endpoint with an SRV target has a fact, one of them at least: the target itself, which is the
     * endpoint's name, or, if that name is synthesized from an address, the reverse name of the address.
     */
    public static List<OwnerName> namesOfTarget(DnsLabels target) {
        OwnerName name = forward(target);
        IpAddress address = endpointsAt(name).address();
        return address == null ? List.of(name) : List.of(name, new OwnerName.Reverse(address));
    }

    /**
     * Returns how many endpoints of a slice are published; what {@link #isIgnored} counts.
     *
     * @param slice the slice
     * @param owner the Service that the slice names
     */
    public int publishedEndpoints(EndpointSlice slice, Service owner) {
        if (!belongs(slice, owner)) {
            return 0;
        }
        return (int) slice.endpoints().stream().filter(owner::publishes).count();
    }

    private static boolean belongs(EndpointSlice slice, Service owner) {
        return slice.namespace().equals(owner.namespace())
                && slice.serviceName().filter(owner.name()::equals).isPresent();
    }

    /**
     * 2.1, <i>hostname</i>: the endpoint's {@code hostname}; else, where endpoints are named by Pods, the name of the
     * object behind it if that is one legal label; else the address with dashes.
     */
    private String endpointLabel(Endpoint endpoint, IpAddress address) {
        return endpoint.hostname()
                .or(() -> readsTargets()
                        ? endpoint.targetRef().map(ObjectRef::name).filter(KubernetesNames::isDnsLabel)
                        : Optional.empty())
                .orElseGet(() -> AddressLabels.of(address));
    }

    /**
     * The ports of 2.4.2: the slice's, with the numbers that listen. By the letter (ports "in the Service") where
     * {@link SrvPort#SERVICE} asks for it: then a slice's port has the number of the Service's port of that name and
     * protocol, even where the slice has no number, and there is no record for a port that the Service does not have.
     */
    private List<EndpointPort> headlessPorts(EndpointSlice slice, HeadlessService service) {
        if (settings.srvPort() == SrvPort.SLICE) {
            return slice.ports();
        }
        List<EndpointPort> ports = new ArrayList<>();
        for (EndpointPort port : slice.ports()) {
            for (ServicePort entry : service.ports()) {
                if (entry.key().equals(port.key())) {
                    ports.add(new EndpointPort(port.name(), port.protocol(), OptionalInt.of(entry.port())));
                }
            }
        }
        return ports;
    }

    /**
     * Returns the facts of each published address of a slice: endpoint name and PTR; for a headless Service also address and
     * SRV at the Service's own names.
     *
     * @param headlessPorts the ports of the SRV records; empty for a Service with a cluster IP
     */
    private List<Fact> endpointFacts(EndpointSlice slice, Service service, Optional<List<EndpointPort>> headlessPorts) {
        if (slice.endpoints().stream().noneMatch(service::publishes)) {
            return List.of();
        }
        EndpointFacts facts = new EndpointFacts(slice, service, headlessPorts);
        for (Endpoint endpoint : slice.endpoints()) {
            if (service.publishes(endpoint)) {
                endpoint.addresses().forEach(address -> facts.add(endpoint, address));
            }
        }
        return facts.distinct();
    }

    /** Collects the facts of the published endpoints of a slice. */
    private final class EndpointFacts {
        private final Service service;
        private final DnsLabels name;
        private final OwnerName owner;

        /** The owners of SRV records; empty for a Service with a cluster IP. */
        private final Optional<Ports> ports;

        private final List<Fact> facts;
        private final Set<IpAddress> seen;
        private boolean hasRepeatedAddress;

        EndpointFacts(EndpointSlice slice, Service service, Optional<List<EndpointPort>> headlessPorts) {
            this.service = service;
            this.name = serviceName(service);
            this.owner = forward(name);
            this.ports = headlessPorts.map(list -> new Ports(owner, name, list));
            this.facts = new ArrayList<>(8 * slice.endpoints().size());
            this.seen = new HashSet<>(2 * slice.endpoints().size());
        }

        void add(Endpoint endpoint, IpAddress address) {
            if (facts.isEmpty()) {
                ports.ifPresent(srvs -> facts.addAll(srvs.protocols));
            }
            hasRepeatedAddress |= !seen.add(address);
            String label = endpointLabel(endpoint, address);
            DnsLabels target = name.prepend(label);
            OwnerName.Reverse reverse = new OwnerName.Reverse(address);
            if (ports.isPresent()) {
                facts.add(new Fact.Address(owner, address));
                ports.get().addTo(facts, target, address);
            }
            facts.add(new Fact.Endpoint(reverse, name));
            if (!AddressLabels.isOf(address, label)) {
                facts.add(new Fact.Address(forward(target), address));
            }
            endpointReverse(endpoint, service).ifPresent(rank -> addReverse(facts, reverse, rank, target));
        }

        /** Returns the facts without repetition. Two are equal only if an address is listed twice. */
        List<Fact> distinct() {
            return hasRepeatedAddress ? facts.stream().distinct().toList() : Collections.unmodifiableList(facts);
        }
    }

    /** 2.4.3, PTR Records: whether an endpoint's address points back to its name, and how good a target that is. */
    private Optional<ReverseRank> endpointReverse(Endpoint endpoint, Service owner) {
        boolean given = switch (settings.reversePolicy()) {
            case ALL, ONE -> true;
            case HEADLESS_ONLY -> owner instanceof HeadlessService;
            case HOSTNAME_ONLY -> endpoint.hostname().isPresent();
        };
        ReverseRank rank = endpoint.hostname().isPresent() ? ReverseRank.HOSTNAME : ReverseRank.ENDPOINT;
        return given ? Optional.of(rank) : Optional.empty();
    }

    /**
     * Nothing points to a target without a forward record: one that is too long for a name of the first zone, or that
     * belongs to another zone within it.
     */
    private void addReverse(List<Fact> facts, OwnerName.Reverse owner, ReverseRank rank, DnsLabels target) {
        if (!target.fitsBelow(settings.zones().get(0))) {
            return;
        }
        for (DnsLabels zone : zonesInFirst) {
            if (target.endsWith(zone)) {
                return;
            }
        }
        facts.add(new Fact.Reverse(owner, rank, target));
    }

    // ---- Pods ----

    /**
     * Returns the facts of a Pod: each of its addresses is taken by a Pod of its namespace, unless the Pod has ended or
     * its state is unknown, when the address may already be another's. One that is being deleted counts until it is
     * gone. Nothing unless pod names are {@linkplain PodsMode#VERIFIED verified}.
     *
     * <p>Source: "DNS for Services and Pods", Pods, A/AAAA records.
     */
    public List<Fact> factsOf(Pod pod) {
        boolean answered = readsPods()
                && pod.phase()
                        .filter(phase ->
                                phase == PodPhase.SUCCEEDED || phase == PodPhase.FAILED || phase == PodPhase.UNKNOWN)
                        .isEmpty();
        return answered
                ? pod.ips().stream()
                        .distinct()
                        .<Fact>map(address -> new Fact.Pod(new OwnerName.Reverse(address), pod.namespace()))
                        .toList()
                : List.of();
    }

    // ---- the second step ----

    /**
     * Assembles all facts at one name: drops duplicates, sorts, computes the weight, chooses PTR targets.
     *
     * <p>Weight of SRV: {@code max(1, floor(100 / n))}, n being the number of distinct pairs of address and port (the
     * specification leaves priority and weight open). Targets of PTR: the cluster IP's owners if there are any, else
     * every endpoint; where one is asked for, the first by rank and name.
     *
     * @param name the name
     * @param facts the facts at this name, in any order; repeated ones count once
     */
    public NameData assemble(OwnerName name, Collection<Fact> facts) {
        NameDataBuilder data = new NameDataBuilder();
        int srvs = 0;
        List<Fact.Reverse> candidates = List.of();
        for (Fact fact : facts) {
            if (fact instanceof Fact.Address address) {
                data.address(address.address());
            } else if (fact instanceof Fact.Srv srv) {
                data.srv(srv.port().port().orElseThrow(), srv.target());
                srvs++;
            } else if (fact instanceof Fact.Alias alias) {
                data.alias(alias.target());
            } else if (fact instanceof Fact.Text text) {
                data.text(text.text(), text.ttlSeconds());
            } else if (fact instanceof Fact.Reverse reverse) {
                candidates = candidates.isEmpty() ? new ArrayList<>(1) : candidates;
                candidates.add(reverse);
            } else if (fact instanceof Fact.Endpoint endpoint) {
                data.publishedBy(endpoint.service());
            } else if (fact instanceof Fact.Pod pod) {
                data.podNamespace(pod.namespace());
            } else if (!(fact instanceof Fact.Exists)) {
                throw new AssertionError(fact);
            }
        }
        data.srvPairs(srvs < 2 ? srvs : pairs(facts));
        if (!candidates.isEmpty()) {
            candidates.sort(BEST_FIRST);
            List<DnsLabels> targets = reverseTargets(candidates);
            targets.forEach(data::pointer);
            if (candidates.size() > targets.size()) {
                candidates.stream()
                        .map(Fact.Reverse::target)
                        .distinct()
                        .filter(target -> !targets.contains(target))
                        .forEach(data::otherPointer);
            }
        }
        return data.build(name);
    }

    /**
     * Returns what {@link #assemble} makes of all facts at a name after a change, from the facts that were added and removed: for names
     * that thousands of endpoints share. The name's facts are addresses, SRV records and its existence, before and after.
     *
     * @param was the data before the change
     * @param added the added facts. Before the change, no fact at this name had an address of theirs
     * @param removed the removed facts. After the change, no fact at this name has an address of theirs; and if an SRV record of theirs
     *     still exists, an added fact makes it, too
     */
    public NameData edit(NameData was, Collection<Fact> added, Collection<Fact> removed) {
        NavigableMap<IpAddress, Boolean> addresses = new TreeMap<>();
        NavigableMap<NameData.Srv, Boolean> srvs = new TreeMap<>();
        edit(addresses, srvs, removed, false);
        edit(addresses, srvs, added, true);
        return was.edited(addresses, srvs, was.srvPairs() + pairs(added) - pairs(removed));
    }

    private static void edit(
            Map<IpAddress, Boolean> addresses,
            Map<NameData.Srv, Boolean> srvs,
            Collection<Fact> facts,
            boolean isThere) {
        for (Fact fact : facts) {
            if (fact instanceof Fact.Address address) {
                addresses.put(address.address(), isThere);
            } else if (fact instanceof Fact.Srv srv) {
                srvs.put(srv.record(), isThere);
            }
        }
    }

    /** Returns the number of distinct pairs of address and port in SRV facts. */
    private static int pairs(Collection<Fact> facts) {
        Set<Map.Entry<IpAddress, EndpointPort>> pairs = new HashSet<>();
        for (Fact fact : facts) {
            if (fact instanceof Fact.Srv srv) {
                pairs.add(Map.entry(srv.address(), srv.port()));
            }
        }
        return pairs.size();
    }

    /** The weight of each SRV record at a name; see {@link #assemble}. */
    public static int srvWeight(int pairs) {
        return Math.max(1, 100 / pairs);
    }

    /**
     * Returns the PTR targets of an address of which a view shows some names only.
     *
     * @param data what {@link #assemble} made at the address
     * @param isVisible whether the view shows a target
     */
    public List<DnsLabels> reverseTargets(NameData data, Predicate<DnsLabels> isVisible) {
        List<DnsLabels> best = data.pointers().stream().filter(isVisible).toList();
        // Where all owners of a cluster IP are hidden, the others are endpoints.
        return best.isEmpty()
                ? data.otherPointers().stream()
                        .filter(isVisible)
                        .limit(settings.reversePolicy() == ReversePolicy.ONE ? 1 : Long.MAX_VALUE)
                        .sorted()
                        .toList()
                : best;
    }

    /** The cluster IP's owners if there are any, else every endpoint; at most the first where one is asked for. */
    private List<DnsLabels> reverseTargets(List<Fact.Reverse> candidates) {
        if (candidates.size() == 1) {
            return List.of(candidates.get(0).target());
        }
        boolean clusterIp = candidates.get(0).rank() == ReverseRank.CLUSTER_IP;
        return candidates.stream()
                .takeWhile(candidate -> !clusterIp || candidate.rank() == ReverseRank.CLUSTER_IP)
                .map(Fact.Reverse::target)
                .limit(settings.reversePolicy() == ReversePolicy.ONE ? 1 : Long.MAX_VALUE)
                .toList();
    }

    // ---- families of names that are parsed and asked for, never stored ----

    /**
     * Returns the data of a pod name or of the dashed name of an endpoint. Neither is stored: the name contains an address, and the name
     * exists if the data at the address have its namespace or Service.
     *
     * @param name a name whose namespace is published
     * @param byAddress what {@link #assemble} made at an address
     * @return empty if the name does not exist, or is of another form
     */
    public Optional<NameData> synthesized(ClusterName name, Function<IpAddress, Optional<NameData>> byAddress) {
        if (name instanceof ClusterName.PodName pod) {
            boolean exists = switch (settings.pods()) {
                case DISABLED -> false;
                case INSECURE -> true;
                case VERIFIED ->
                    byAddress
                            .apply(pod.address())
                            .filter(data -> data.podNamespaces()
                                    .contains(pod.namespace().folded()))
                            .isPresent();
            };
            return exists ? Optional.of(NameData.ofAddress(pod.address())) : Optional.empty();
        }
        if (name instanceof ClusterName.EndpointAddressName endpoint) {
            return byAddress
                    .apply(endpoint.address())
                    .filter(data ->
                            data.publishedBy().contains(endpoint.service().labels()))
                    .map(data -> NameData.ofAddress(endpoint.address()));
        }
        return Optional.empty();
    }

    /** Returns whether {@link #synthesized} can have data for a name; false for nearly all other names, at the cost of reading one label. */
    public static boolean canBeSynthesized(DnsLabels name) {
        return !name.isEmpty() && AddressLabels.canSpell(name.label(0));
    }

    /**
     * Returns the names that exist because of an address and are not stored: its dashed names below the Services that
     * publish it, and its pod names in one spelling. For each, {@link #synthesized} gives the address.
     *
     * @param address the address
     * @param data what {@link #assemble} made at this address
     * @return labels below the zone
     */
    public List<DnsLabels> synthesizedNames(IpAddress address, NameData data) {
        String label = AddressLabels.of(address);
        List<DnsLabels> names = new ArrayList<>();
        data.publishedBy().forEach(service -> names.add(service.prepend(label)));
        data.podNamespaces()
                .forEach(namespace -> names.add(NameSchema.pods(namespace).prepend(label)));
        return names;
    }

    /**
     * Returns the A and AAAA records of the name server, with the addresses that {@link #apex} gives it; empty if it has none.
     *
     * @param owner the name server's name, absolute
     */
    public List<RecordSet> nameServerAddresses(Name owner) {
        OwnerName name = forward(ClusterName.FixedName.NAME_SERVER.labels());
        List<Fact> facts =
                apex().stream().filter(fact -> fact.owner().equals(name)).toList();
        return assemble(name, facts).recordSets(owner, settings.zones().get(0), settings.ttlSeconds());
    }

    /**
     * Returns the answer to a question for type ANY at a name that exists: a HINFO record instead of all records (RFC 8482, 4.2).
     *
     * @param owner the name, absolute
     */
    public RecordSet minimalAny(Name owner) {
        return RecordSet.of(new HINFORecord(owner, DClass.IN, settings.ttlSeconds(), "RFC8482", ""));
    }

    // ---- names ----

    /** Returns whether a port's name leaves room for the underscore before it. */
    static boolean fitsLabel(String port) {
        return port.length() < 63;
    }

    private static DnsLabels serviceName(Service service) {
        return NameSchema.service(service.name(), service.namespace());
    }

    private static OwnerName forward(DnsLabels labels) {
        return new OwnerName.Forward(labels);
    }

    /**
     * The owners of a Service's SRV records: the bare name for every port, {@code _port._proto} for a named one. Ports
     * without a number have none, nor has one whose name leaves no room for its underscore.
     */
    private final class Ports {
        private record Owned(OwnerName owner, EndpointPort port) {}

        /** That {@code _proto} exists, which holds once there is an address. */
        private final List<Fact> protocols = new ArrayList<>(1);

        private final List<Owned> entries;

        Ports(OwnerName bare, DnsLabels service, List<EndpointPort> ports) {
            entries = new ArrayList<>(2 * ports.size());
            List<Protocol> seen = new ArrayList<>(1);
            for (EndpointPort port : ports) {
                if (port.port().isEmpty()) {
                    continue;
                }
                if (settings.bareSrv()) {
                    entries.add(new Owned(bare, port));
                }
                Optional<String> portName = port.name().filter(RecordRules::fitsLabel);
                if (portName.isPresent()) {
                    DnsLabels protocol = service.prepend(port.protocol().label());
                    if (!seen.contains(port.protocol())) {
                        seen.add(port.protocol());
                        protocols.add(new Fact.Exists(forward(protocol)));
                    }
                    entries.add(new Owned(forward(protocol.prepend(ClusterName.PortName.label(portName.get()))), port));
                }
            }
        }

        /** Adds the SRV records of one address of a target. */
        void addTo(List<Fact> facts, DnsLabels target, IpAddress address) {
            for (Owned entry : entries) {
                facts.add(new Fact.Srv(entry.owner(), entry.port(), target, address));
            }
        }
    }
}
