package io.k8sdns.rules;

import io.k8sdns.arguments.KubernetesNames;
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
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.records.EndpointNames;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.SrvPort;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.schema.AddressLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

/**
 * Decides which records the objects of a cluster have. Each heading of section 2 of the specification is named where it is implemented.
 * Pure: equal inputs give equal outputs, in any order.
 *
 * <p>There are two steps, because a record may depend on several objects: a weight on all endpoints, a PTR record on every Service that
 * has the address. First, each object gives {@link Fact facts}. Then all facts at one name give its {@link NameData}. No method returns a
 * fact twice, but two objects may give the same fact.
 *
 * <p>This class decides which object has which facts, and is the entry to the other classes of the rules: {@code EndpointFacts} (the
 * endpoints of a slice), {@code SrvOwners} (the owners of SRV records), {@code NameAssembly} (the second step), {@code ZoneRecords} (what a
 * zone has without any object), {@code SynthesizedNames} (names that are not stored) and {@link NameRecords} (targets that are too long in
 * a zone).
 *
 * <p>The caller passes shown objects only: objects in a hidden or missing Namespace have no facts.
 *
 * <p>The form of names belongs to the schema: fixed labels such as {@code svc}, {@code pod} and {@code dns-version} are in {@link
 * ClusterName.FixedName} and {@link NameSchema}. Which Services publish an endpoint is {@link Service#publishes}.
 *
 * <p>Source: DNS specification 1.1.0; "DNS for Services and Pods".
 */
@Internal
public final class RecordRules {
    private final ZoneSettings settings;
    private final ZoneRecords zones;
    private final NameAssembly assembly;
    private final SynthesizedNames synthesized;

    /** Makes the rules for these settings. */
    public RecordRules(ZoneSettings settings) {
        this.settings = Objects.requireNonNull(settings, "settings");
        this.zones = new ZoneRecords(settings);
        this.assembly = new NameAssembly(settings.reversePolicy());
        this.synthesized = new SynthesizedNames(settings.pods());
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

    /** Returns whether endpoints can be named after their Pods; if not, the references to Pods need not be stored. */
    public boolean readsTargets() {
        return settings.endpointNames() == EndpointNames.POD;
    }

    /** Returns whether a Service without {@linkplain #publishedEndpoints published endpoints} can be {@linkplain #isIgnored ignored}. */
    public boolean ignoresEmptyServices() {
        return settings.ignoreEmptyServices();
    }

    /** Returns whether Pods have facts; if not, they need not be stored. */
    public boolean readsPods() {
        return settings.pods() == PodsMode.VERIFIED;
    }

    // ---- 2.2: the zone by itself ----

    /**
     * Returns the facts that do not depend on an object. 2.2, Record for Schema Version, and the names that always exist: the apex, {@code
     * svc}, {@code pod}, and the name server with its addresses.
     */
    public List<Fact> fixedFacts() {
        return zones.fixedFacts();
    }

    // ---- Namespaces ----

    /** Returns the facts of a Namespace: its two names exist, {@code NS.pod} only while pod names are answered. */
    public List<Fact> factsOf(Namespace namespace) {
        Fact services = new Fact.Exists(forward(NameSchema.services(namespace.name())));
        Fact pods = new Fact.Exists(forward(NameSchema.pods(namespace.name())));
        return settings.pods() == PodsMode.DISABLED ? List.of(services) : List.of(services, pods);
    }

    // ---- 2.3, 2.4, 2.5: a Service by itself ----

    /**
     * Returns the facts of a Service by itself: 2.3 or 2.5. A headless Service (2.4) has none: its slices give all its facts, and without
     * a published endpoint its name does not exist.
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
     * Returns whether a Service and its slices must be skipped, because it has a cluster IP and no published endpoint ({@link
     * ZoneSettings#ignoreEmptyServices}).
     *
     * @param service the Service
     * @param publishedEndpoints the sum of {@link #publishedEndpoints} over its slices
     */
    public boolean isIgnored(Service service, int publishedEndpoints) {
        return ignoresEmptyServices() && service instanceof ClusterIpService && publishedEndpoints == 0;
    }

    /**
     * 2.3, Records for a Service with ClusterIP: 2.3.1 A and AAAA, 2.3.2 SRV, 2.3.3 PTR, for each of its addresses. A Service without an
     * address has no facts.
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
        SrvOwners srvOwners = new SrvOwners(settings.bareSrv(), name, ports);
        List<Fact> facts = new ArrayList<>(8);
        facts.addAll(srvOwners.protocols());
        for (IpAddress address : service.clusterIps()) {
            facts.add(new Fact.Address(owner, address));
            srvOwners.addTo(facts, name, address);
            addPtrCandidate(facts, new OwnerName.Reverse(address), PtrRank.CLUSTER_IP, name);
        }
        return Collections.unmodifiableList(facts);
    }

    /**
     * 2.5, Records for External Name Services: an alias, if the target is a DNS name. There is no alias without a target, for an IP address
     * (the API accepts it as a name, but it is not a DNS name), and for a target with a label over 63 bytes, which DNS cannot represent.
     */
    private List<Fact> externalNameFacts(ExternalNameService service) {
        Optional<String> name = service.targetName();
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

    // ---- 2.4, and endpoint names ----

    /**
     * Returns the facts of one EndpointSlice. For a headless Service they are 2.4.1 A and AAAA, 2.4.2 SRV, 2.4.3 PTR; for a Service with a
     * cluster IP only endpoint names and PTR ("Any Pods exposed by a Service", DNS for Services and Pods).
     *
     * <p>These have no facts: a slice of FQDN addresses, a slice that does not name this Service, a slice of a Service without addresses of
     * its own (external name, or no cluster IP yet), and every slice if {@link ZoneSettings#endpoints} is false.
     *
     * @param slice the slice
     * @param owner the Service that the slice names
     */
    public List<Fact> factsOf(EndpointSlice slice, Service owner) {
        if (!readsSlices() || publishedEndpoints(slice, owner) == 0) {
            return List.of();
        }
        return owner.fold(
                service -> service.clusterIps().isEmpty() ? List.of() : EndpointFacts.of(this, slice, service),
                service -> EndpointFacts.of(this, slice, service),
                service -> List.of());
    }

    /**
     * Returns whether two versions of a Service give its slices the same facts and the same number of published endpoints. This
     * requires the same kind, the same {@code publishNotReadyAddresses}, an assigned cluster IP in both versions or in neither (other kinds
     * always have names) and, if the rules read them, the same ports.
     *
     * @param service the Service
     * @param other the same Service at another time
     */
    public boolean readsSlicesAlike(Service service, Service other) {
        return service.getClass() == other.getClass()
                && service.publishNotReadyAddresses() == other.publishNotReadyAddresses()
                && hasServiceName(service) == hasServiceName(other)
                && (settings.srvPort() == SrvPort.SLICE || service.ports().equals(other.ports()));
    }

    /** Returns false for a Service whose cluster IP is not yet assigned: the Service and its endpoints have no names. */
    private static boolean hasServiceName(Service service) {
        return !(service instanceof ClusterIpService clusterIp)
                || !clusterIp.clusterIps().isEmpty();
    }

    /**
     * Returns the number of published endpoints of a slice, which {@link #isIgnored} needs; 0 if the slice does not name the Service.
     *
     * @param slice the slice
     * @param owner the Service
     */
    public int publishedEndpoints(EndpointSlice slice, Service owner) {
        if (!slice.belongsTo(owner)) {
            return 0;
        }
        return (int) slice.endpoints().stream().filter(owner::publishes).count();
    }

    /**
     * 2.1, <i>hostname</i>: returns the label of an endpoint that is not its address: its {@code hostname}; without one, if endpoints are
     * named after Pods, the name of the object that {@code targetRef} names, provided that it is one valid label. Otherwise empty.
     */
    public Optional<String> endpointName(Endpoint endpoint) {
        return endpoint.hostname()
                .or(() -> readsTargets()
                        ? endpoint.targetRef().map(ObjectRef::name).filter(KubernetesNames::isDnsLabel)
                        : Optional.empty());
    }

    /**
     * 2.4.2: returns the numbers of the SRV records of a headless Service that a port of its slice gives. That is the number on which the
     * endpoints listen; a port without a number has no record.
     *
     * <p>With {@link SrvPort#SERVICE}, the letter of the specification (ports "in the Service"), it is that of the Service's port with the
     * same name and protocol, even if the slice gives no number. A port that the Service does not have has no record.
     */
    public IntStream srvNumbers(EndpointPort port, Service owner) {
        return settings.srvPort() == SrvPort.SLICE
                ? port.port().stream()
                : owner.ports().stream()
                        .filter(one -> one.key().equals(port.key()))
                        .mapToInt(ServicePort::port);
    }

    /** 2.4.3: returns whether the name of a Service's endpoint can be a PTR target; see {@link ZoneSettings#reversePolicy}. */
    public boolean canBePtrTarget(Endpoint endpoint, Service owner) {
        return switch (settings.reversePolicy()) {
            case ALL, ONE -> true;
            case HEADLESS_ONLY -> owner instanceof HeadlessService;
            case HOSTNAME_ONLY -> endpoint.hostname().isPresent();
        };
    }

    /**
     * 2.3.3, 2.4.3: adds a candidate for the PTR targets of an address, if it has an address record: if its name {@linkplain #owns
     * belongs} to the zone of targets.
     */
    void addPtrCandidate(List<Fact> facts, OwnerName.Reverse owner, PtrRank rank, DnsLabels target) {
        if (owns(ptrTargetZone(), target)) {
            facts.add(new Fact.PtrCandidate(owner, rank, target));
        }
    }

    // ---- Pods ----

    /**
     * Returns the facts of a Pod: a Pod of its namespace has each of its addresses. A Pod that has ended, or whose phase is unknown, has no
     * facts, because its addresses may already belong to another Pod. A Pod that is being deleted has facts until it is removed. Pods have
     * facts only if pod names are {@linkplain PodsMode#VERIFIED verified}.
     *
     * <p>Source: "DNS for Services and Pods", Pods, A/AAAA records.
     */
    public List<Fact> factsOf(Pod pod) {
        return readsPods() && hasPodName(pod)
                ? pod.ips().stream()
                        .distinct()
                        .<Fact>map(address -> new Fact.PodAddress(new OwnerName.Reverse(address), pod.namespace()))
                        .toList()
                : List.of();
    }

    /** Returns whether the phase of a Pod allows a pod name: unless its addresses may already belong to another Pod. */
    public static boolean hasPodName(Pod pod) {
        return pod.phase().map(RecordRules::hasPodName).orElse(true);
    }

    /** Returns whether a phase allows a pod name. */
    public static boolean hasPodName(PodPhase phase) {
        return switch (phase) {
            case PENDING, RUNNING -> true;
            case SUCCEEDED, FAILED, UNKNOWN -> false;
        };
    }

    // ---- the second step ----

    /**
     * Assembles all facts at one name, as {@code NameAssembly} describes: removes duplicates, sorts, computes the weight, chooses PTR
     * targets, one alias and one text.
     *
     * @param name the name
     * @param facts the facts at this name, in any order; duplicates have no effect
     */
    public NameData assemble(OwnerName name, Collection<Fact> facts) {
        return assembly.assemble(name, facts);
    }

    /**
     * Returns the data of a name after a change, computed from the data before and the facts that the change added and removed. The result
     * is equal to that of {@link #assemble} with all facts after the change, but takes less time for a name that thousands of endpoints
     * share. Only for changes that {@link #canEdit} allows.
     *
     * @param was the data before the change
     * @param added the added facts
     * @param removed the removed facts
     */
    public NameData edit(NameData was, Collection<Fact> added, Collection<Fact> removed) {
        return NameAssembly.edit(was, added, removed);
    }

    /**
     * Returns whether {@link #edit} may compute the data of a name after a change. The name is {@linkplain EndpointFilter#isShared shared},
     * and the change concerns only the endpoints that it adds and removes:
     *
     * <ul>
     *   <li>No endpoint of the name had an added address before. (One had it if a Pod moves to another slice.)
     *   <li>No endpoint has a removed address any more. (One has it if the address is listed twice.)
     *   <li>No endpoint has the target of a removed SRV record any more, unless that record is also added. (One has it if two endpoints
     *       share a hostname.)
     * </ul>
     *
     * @param name a name where only slices have facts, before and after the change
     * @param added the added facts at the name
     * @param removed the removed facts at the name
     * @param hadFactAt returns whether a slice with a fact at {@code name} before the change had one at another name, too
     * @param hasFactAt the same after the change
     */
    public static boolean canEdit(
            OwnerName name,
            Collection<Fact> added,
            Collection<Fact> removed,
            Predicate<OwnerName> hadFactAt,
            Predicate<OwnerName> hasFactAt) {
        return NameAssembly.canEdit(name, added, removed, hadFactAt, hasFactAt);
    }

    /**
     * Returns the weight of each SRV record at a name, so that all of them have together about 100.
     *
     * @param pairs the number of distinct pairs of address and port at the name; at a federated name, of targets that are equally near
     */
    public static int srvWeight(int pairs) {
        return NameAssembly.srvWeight(pairs);
    }

    /**
     * Returns the data of a reverse name in a view that hides some names; empty if the name does not exist there.
     *
     * @param data the data of the address
     * @param isVisible whether the view shows a target
     */
    public Optional<NameData> visible(NameData data, Predicate<DnsLabels> isVisible) {
        return assembly.visible(data, isVisible);
    }

    /**
     * Returns whether the reverse name of an address exists: only with a PTR record, even if a Pod or an endpoint has the address. The
     * partial reverse name of a network exists if and only if the reverse name of an address in it does.
     *
     * @param data the result of {@link #assemble} for the address
     */
    public static boolean hasReverseName(NameData data) {
        return data.has(Type.PTR);
    }

    /**
     * Returns whether the reverse name of an address exists, like {@link #hasReverseName(NameData)}.
     *
     * @param found a cursor at the data of the address
     */
    public static boolean hasReverseName(StoredName found) {
        return found.has(Type.PTR);
    }

    // ---- names that are synthesized, not stored ----

    /**
     * Returns the data of a pod name or of the dashed name of an endpoint. Neither is stored: the name contains an address, and the name
     * exists if the data at the address have its namespace or Service.
     *
     * @param name the labels below the zone, at least one; the {@linkplain #parentOfSynthesized parent} is stored, so that its namespace
     *     is shown
     * @param byAddress returns the data of an address; empty if there are none
     * @return the data; empty if the name does not exist or has another form
     */
    public Optional<NameData> synthesized(DnsLabels name, Function<IpAddress, Optional<NameData>> byAddress) {
        return synthesized.data(name, byAddress);
    }

    /** Returns whether {@link #synthesized} can have data for a name. Reads only the first label; false for nearly all other names. */
    public static boolean canBeSynthesized(DnsLabels name) {
        return !name.isEmpty() && canBeSynthesized(name.toWire(), 0);
    }

    /**
     * Like {@link #canBeSynthesized(DnsLabels)}, for a name in wire form with at least one label; allocates nothing.
     *
     * @param bytes holds the name
     * @param from the offset of the length byte of the first label
     */
    public static boolean canBeSynthesized(byte[] bytes, int from) {
        return AddressLabels.canSpell(bytes, from + 1, from + 1 + bytes[from]);
    }

    /**
     * Returns the parent of a synthesized name: a Service's name, or {@code NS.pod}. The synthesized name exists only if the parent is
     * stored.
     *
     * @param name a name that {@linkplain #canBeSynthesized can be synthesized}
     */
    public static DnsLabels parentOfSynthesized(DnsLabels name) {
        return name.skip(1);
    }

    /**
     * Returns the names that exist because of an address and are not stored: its dashed names below the Services that publish it, and its
     * pod names, each in one spelling. For each of them {@link #synthesized} returns the address.
     *
     * @param address the address
     * @param data the data of this address
     * @return labels below the zone
     */
    public List<DnsLabels> synthesizedNames(IpAddress address, NameData data) {
        return SynthesizedNames.of(address, data);
    }

    // ---- zones, and the records that each has without any object ----

    /** Returns whether only the apex of a zone owns records of a type: SOA and NS. Every apex does. */
    public static boolean isApexType(int type) {
        return type == Type.SOA || type == Type.NS;
    }

    /**
     * Returns the SOA record of a zone: {@code ns.dns.Z hostmaster.Z serial 7200 1800 86400 NEGATIVE}, where Z is the zone itself, or for
     * a reverse zone the first forward zone. RFC 1035 and RFC 2308 require it; the specification does not mention it. Its TTL is that of
     * the other records, at most 300 seconds.
     *
     * @param zone a forward or reverse zone, absolute
     * @param serial the serial, an unsigned 32-bit number
     */
    public RecordSet startOfAuthority(DnsLabels zone, long serial) {
        return zones.startOfAuthority(zone, serial);
    }

    /**
     * Returns the SOA record of a zone for the authority section of a negative answer: like {@link #startOfAuthority}, with the
     * negative TTL (RFC 2308, section 3).
     *
     * @param zone a forward or reverse zone, absolute
     * @param serial the serial, an unsigned 32-bit number
     */
    public RecordSet negativeStartOfAuthority(DnsLabels zone, long serial) {
        return zones.negativeStartOfAuthority(zone, serial);
    }

    /**
     * Returns the NS record of a zone: {@code ns.dns.Z}, where Z is the zone itself, or for a reverse zone the first forward zone.
     *
     * @param zone a forward or reverse zone, absolute
     */
    public RecordSet nameServers(DnsLabels zone) {
        return zones.nameServers(zone);
    }

    /**
     * Returns the name of a forward zone's name server, whose addresses come first in a list of all records.
     *
     * @param zone a forward zone, absolute
     */
    public static DnsLabels nameServer(DnsLabels zone) {
        return ClusterName.FixedName.NAME_SERVER.labels().append(zone);
    }

    /**
     * Returns the A and AAAA records of the name server, with the addresses that {@link #fixedFacts} gives it.
     *
     * @param owner the name server's name, absolute
     */
    public List<RecordSet> nameServerAddresses(Name owner) {
        return zones.nameServerAddresses(owner);
    }

    /**
     * Returns the answer to a question for type ANY at a name that exists: a HINFO record instead of all records (RFC 8482, 4.2).
     *
     * @param owner the name, absolute
     */
    public RecordSet minimalAny(Name owner) {
        return zones.minimalAny(owner);
    }

    /**
     * Returns whether a name belongs to a forward zone: it has at most 255 bytes there, and is not in another served zone within it.
     *
     * @param zone a forward zone, absolute
     * @param name labels below the zone
     */
    public boolean owns(DnsLabels zone, DnsLabels name) {
        return zones.owns(zone, name);
    }

    /**
     * Returns the zone of the names that a zone's records refer to (SRV and PTR targets, the name server, the mailbox): the zone itself, or
     * the {@linkplain #ptrTargetZone first forward zone} for a reverse zone.
     *
     * @param zone a forward or reverse zone, absolute
     */
    public DnsLabels targetZone(DnsLabels zone) {
        return zones.targetZone(zone);
    }

    /** Returns the zone of all PTR targets: the first forward zone, absolute. */
    public DnsLabels ptrTargetZone() {
        return zones.ptrTargetZone();
    }

    // ---- names ----

    static DnsLabels serviceName(Service service) {
        return NameSchema.service(service.name(), service.namespace());
    }

    static OwnerName forward(DnsLabels labels) {
        return new OwnerName.Forward(labels);
    }
}
