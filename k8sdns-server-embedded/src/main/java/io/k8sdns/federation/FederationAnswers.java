package io.k8sdns.federation;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.federation.FederatedName.Area;
import io.k8sdns.federation.FederationKey.ServiceKey;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.ClusterName.FixedName;
import io.k8sdns.schema.ClusterName.PortName;
import io.k8sdns.schema.NameSchema;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Type;

/**
 * Answers the questions of clients in one cluster from one content of the store.
 *
 * <p>The same names exist for every client; their addresses depend on the client's cluster. So a name that has no address for this
 * client is NODATA, never NXDOMAIN.
 */
final class FederationAnswers {
    /**
     * The serial of the SOA. It is constant, so that all servers of a store give the same answer; zone transfers, which would use
     * it, are not served.
     */
    private static final long SERIAL = 1;

    private final Settings settings;
    private final FederationContent content;
    private final Optional<String> source;
    private boolean dependsOnLookups;

    /**
     * The settings of a zone.
     *
     * @param zone the zone, absolute
     * @param rules the rules for SOA and NS records, with the TTLs and the addresses of the name server
     * @param hostNames the resolver of load balancers' host names; null if they are not looked up
     */
    record Settings(
            DnsLabels zone, RecordRules rules, @Nullable DnsResolver hostNames) {
        long ttlSeconds() {
            return rules.settings().ttlSeconds();
        }
    }

    /** The distance between the client and a shard, nearest first. */
    private enum Distance {
        OWN_CLUSTER(0),
        SAME_ZONE(10),
        SAME_REGION(20),
        OTHER_REGION(30);

        /** The priority of SRV records, which clients obey even if a resolver shuffles the records. */
        private final int priority;

        Distance(int priority) {
            this.priority = priority;
        }
    }

    /**
     * The labels before a Service.
     *
     * @param port the label of a port, with its underscore; null if there is none
     * @param protocol the label of a protocol, with its underscore; null if there is none
     * @param rest the labels between these and the Service: none, a cluster, or a host and a cluster
     */
    private record Prefix(@Nullable String port, @Nullable String protocol, DnsLabels rest) {
        static Prefix of(DnsLabels labels) {
            if (labels.isEmpty() || !PortName.isLabel(labels.label(0))) {
                return new Prefix(null, null, labels);
            }
            if (labels.count() == 1 || !PortName.isLabel(labels.label(1))) {
                return new Prefix(null, labels.foldedLabel(0), labels.skip(1));
            }
            return new Prefix(labels.foldedLabel(0), labels.foldedLabel(1), labels.skip(2));
        }

        boolean isOfPorts() {
            return protocol != null;
        }

        boolean matches(ServicePort one) {
            return one.name().isPresent()
                    && one.protocol().label().equals(protocol)
                    && (port == null || port.equals(PortName.label(one.name().get())));
        }

        /** Returns whether one of the shards has this name. Every shard has the name without a port. */
        boolean existsIn(Map<String, Shard> shards) {
            return !isOfPorts()
                    || shards.values().stream()
                            .flatMap(shard -> shard.ports().stream())
                            .anyMatch(this::matches);
        }
    }

    /**
     * A question about a Service.
     *
     * @param prefix the labels before the Service
     * @param from the location of the client's cluster
     */
    private record ServiceQuestion(Question question, ServiceKey key, Prefix prefix, ClusterLocation from) {}

    /** The addresses of one shard for the client, and the host names of its load balancer, which must still be looked up. */
    private record Candidate(Distance distance, List<IpAddress> addresses, List<DnsLabels> hostNames) {}

    /** A port of a shard, for an SRV record: the target's name and its addresses. */
    private record ShardPort(Distance distance, Name name, int port, List<RecordSet> addresses) {}

    /** A host name that is being looked up. */
    private record Lookup(Distance distance, CompletableFuture<Answer> answer) {}

    /**
     * Creates the answers for the clients of one cluster.
     *
     * @param source the cluster, which must be in the content; empty for clients of an unknown cluster
     */
    FederationAnswers(Settings settings, FederationContent content, Optional<String> source) {
        this.settings = settings;
        this.content = content;
        this.source = source;
    }

    /**
     * Answers a question of class IN.
     *
     * @param below the labels of its name below the zone
     */
    Resolution resolve(Question question, DnsLabels below) {
        if (below.isEmpty()) {
            return new Resolution.Ready(apex(question));
        }
        if (below.equals(FixedName.NAME_SERVER.labels()) || below.equals(FixedName.DNS.labels())) {
            return new Resolution.Ready(nameServer(question, below));
        }
        Optional<FederatedName> name = FederatedName.parse(below);
        if (name.isEmpty() || content.isEmpty() || !isKnown(name.get())) {
            return new Resolution.Ready(noSuchName());
        }
        return name.get().service().isPresent() ? service(question, name.get()) : existing(question);
    }

    private boolean isKnown(FederatedName name) {
        return name.area().map(content::hasArea).orElse(true)
                && name.federation().map(content::hasFederation).orElse(true)
                && name.namespace()
                        .map(namespace -> content.hasNamespace(name.federation().orElseThrow(), namespace))
                        .orElse(true);
    }

    // ---- names of a Service ----

    private Resolution service(Question question, FederatedName name) {
        ServiceKey key = new ServiceKey(
                name.federation().orElseThrow(),
                name.namespace().orElseThrow(),
                name.service().orElseThrow());
        Map<String, Shard> all = content.shards(key);
        Prefix prefix = Prefix.of(name.prefix());
        if (all.isEmpty() || name.area().isPresent() && !prefix.rest().isEmpty()) {
            return new Resolution.Ready(noSuchName());
        }
        ClusterLocation from = source.map(own -> content.location(own, Optional.ofNullable(all.get(own))))
                .orElse(ClusterLocation.UNKNOWN);
        ServiceQuestion asked = new ServiceQuestion(question, key, prefix, from);
        if (!prefix.rest().isEmpty()) {
            return belowService(asked, all);
        }
        Map<String, Shard> members = members(all, name.area());
        return members.isEmpty() ? ofWiderArea(question, name, prefix, all) : ofShards(asked, members);
    }

    /** Returns the shards in an area; all shards if there is no area. */
    private Map<String, Shard> members(Map<String, Shard> all, Optional<Area> area) {
        if (area.isEmpty()) {
            return all;
        }
        Map<String, Shard> members = new LinkedHashMap<>();
        all.forEach((cluster, shard) -> {
            if (area.get().contains(content.location(cluster, Optional.of(shard)))) {
                members.put(cluster, shard);
            }
        });
        return members;
    }

    /**
     * Answers a name of an area without shards with a CNAME to the same name in the next wider area: the region of a zone, or the
     * whole federation.
     */
    private Resolution ofWiderArea(Question question, FederatedName name, Prefix prefix, Map<String, Shard> all) {
        Optional<Area> wider = name.area().orElseThrow().wider();
        Map<String, Shard> members = members(all, wider);
        if (!prefix.existsIn(members.isEmpty() ? all : members)) {
            return new Resolution.Ready(noSuchName());
        }
        if (prefix.isOfPorts() && prefix.port() == null) {
            return existing(question);
        }
        DnsLabels asked = question.labels();
        int labels = name.prefix().count() + 4;
        DnsLabels target = asked.first(labels)
                .append(wider.map(area -> DnsLabels.of(area.region())).orElse(DnsLabels.EMPTY))
                .append(settings.zone());
        RecordSet alias = RecordSet.of(
                new CNAMERecord(question.name(), DClass.IN, settings.ttlSeconds(), DnsNames.absolute(target)));
        if (isFor(question, Type.CNAME) || isFor(question, Type.ANY)) {
            return new Resolution.Ready(found(List.of(alias)));
        }
        return resolve(
                        new Question(target, question.type(), question.dnsClass()),
                        target.below(settings.zone()).orElseThrow())
                .map(answer -> answer.toBuilder()
                        .answer(Stream.concat(Stream.of(alias), answer.answer().stream())
                                .toList())
                        .build());
    }

    /** Answers a name of one shard, or of one of its endpoints. */
    private Resolution belowService(ServiceQuestion asked, Map<String, Shard> all) {
        Prefix prefix = asked.prefix();
        Question question = asked.question();
        String cluster = clusterName(prefix.rest());
        Shard shard = all.get(cluster);
        if (shard != null) {
            return ofShards(asked, Map.of(cluster, shard));
        }
        if (prefix.isOfPorts()) {
            return new Resolution.Ready(noSuchName());
        }
        Shard above = all.get(clusterName(prefix.rest().skip(1)));
        if (above != null) {
            List<Endpoint> hosts = above.endpoints().stream()
                    .filter(endpoint ->
                            endpoint.hostname().equals(Optional.of(prefix.rest().foldedLabel(0))))
                    .toList();
            if (!hosts.isEmpty()) {
                return ofHosts(question, clusterName(prefix.rest().skip(1)), hosts);
            }
        }
        // Names of clusters can have several labels, whose ancestors exist.
        return all.keySet().stream().anyMatch(one -> one.endsWith("." + cluster))
                ? existing(question)
                : new Resolution.Ready(noSuchName());
    }

    /** Returns labels as a cluster name. A dot inside a label is escaped, so that the result equals no cluster name. */
    private static String clusterName(DnsLabels labels) {
        return labels.toString().toLowerCase(Locale.ROOT);
    }

    private Resolution ofHosts(Question question, String cluster, List<Endpoint> hosts) {
        Optional<IpFamily> family = family(question);
        if (family.isEmpty() || !isOwn(cluster)) {
            return existing(question);
        }
        List<IpAddress> addresses = hosts.stream()
                .flatMap(host -> of(host.addresses(), family.get()))
                .toList();
        return addresses(question, List.of(new Candidate(Distance.OWN_CLUSTER, addresses, List.of())));
    }

    /** Answers a name of one or more shards. */
    private Resolution ofShards(ServiceQuestion asked, Map<String, Shard> shards) {
        Prefix prefix = asked.prefix();
        Question question = asked.question();
        if (!prefix.existsIn(shards)) {
            return new Resolution.Ready(noSuchName());
        }
        if (prefix.isOfPorts()) {
            return prefix.port() != null && isFor(question, Type.SRV)
                    ? new Resolution.Ready(targets(asked, shards))
                    : existing(question);
        }
        Optional<IpFamily> family = family(question);
        if (family.isEmpty()) {
            return existing(question);
        }
        List<Candidate> candidates = new ArrayList<>();
        shards.forEach((cluster, shard) -> candidates.add(candidate(asked, cluster, shard, family.get())));
        return addresses(question, candidates);
    }

    // ---- addresses ----

    private boolean isOwn(String cluster) {
        return source.filter(cluster::equals).isPresent();
    }

    private Distance distance(ClusterLocation from, String cluster, Shard shard) {
        if (isOwn(cluster)) {
            return Distance.OWN_CLUSTER;
        }
        ClusterLocation to = content.location(cluster, Optional.of(shard));
        if (from.sharesZoneWith(to)) {
            return Distance.SAME_ZONE;
        }
        return from.sharesRegionWith(to) ? Distance.SAME_REGION : Distance.OTHER_REGION;
    }

    /**
     * Returns the addresses of a shard for the client. A client in the same cluster receives the cluster IPs of the family. If
     * there are none, it receives the endpoints of a headless Service, and if there are none either, the same addresses as clients
     * of other clusters.
     */
    private Candidate candidate(ServiceQuestion asked, String cluster, Shard shard, IpFamily family) {
        Distance distance = distance(asked.from(), cluster, shard);
        if (isOwn(cluster)) {
            List<IpAddress> inside = of(shard.clusterAddresses(), family).toList();
            if (inside.isEmpty()) {
                inside = shard.endpoints().stream()
                        .flatMap(endpoint -> of(endpoint.addresses(), family))
                        .toList();
            }
            if (!inside.isEmpty()) {
                return new Candidate(distance, inside, List.of());
            }
        }
        return new Candidate(distance, of(shard.externalAddresses(), family).toList(), shard.hostNames());
    }

    private static Stream<IpAddress> of(List<IpAddress> addresses, IpFamily family) {
        return addresses.stream().filter(address -> address.family() == family);
    }

    private static Optional<IpFamily> family(Question question) {
        return switch (question.type().number()) {
            case Type.A -> Optional.of(IpFamily.IPV4);
            case Type.AAAA -> Optional.of(IpFamily.IPV6);
            default -> Optional.empty();
        };
    }

    private Resolution addresses(Question question, List<Candidate> candidates) {
        List<Lookup> lookups = new ArrayList<>();
        DnsResolver resolver = settings.hostNames();
        if (resolver != null) {
            for (Candidate candidate : candidates) {
                for (DnsLabels host : candidate.hostNames()) {
                    lookups.add(new Lookup(candidate.distance(), lookUp(resolver, host, question.type())));
                }
            }
        }
        dependsOnLookups |= !lookups.isEmpty();
        CompletableFuture<Void> all =
                CompletableFuture.allOf(lookups.stream().map(Lookup::answer).toArray(CompletableFuture[]::new));
        return all.isDone()
                ? new Resolution.Ready(addresses(question, candidates, lookups))
                : new Resolution.Pending(all.thenApply(done -> addresses(question, candidates, lookups)));
    }

    /** Returns whether the answer depends on a lookup of a host name and must not be cached. */
    boolean dependsOnLookups() {
        return dependsOnLookups;
    }

    /** Looks up a host name, without the client's options. Names of this zone fail, because they would be a loop. */
    private CompletableFuture<Answer> lookUp(DnsResolver resolver, DnsLabels host, RecordType type) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        if (host.endsWith(settings.zone())) {
            answer.complete(Answer.FAILED);
            return answer;
        }
        try {
            resolver.resolve(new Question(host, type, DClass.IN), Client.IN_PROCESS)
                    .deliver(answer::complete);
        } catch (RuntimeException failed) {
            // A failure is SERVFAIL for this host name only, so that the addresses of the other load balancers are
            // found.
            answer.complete(Answer.FAILED);
        }
        return answer;
    }

    private Answer addresses(Question question, List<Candidate> candidates, List<Lookup> lookups) {
        SortedMap<Distance, Set<IpAddress>> groups = new TreeMap<>();
        for (Candidate candidate : candidates) {
            groups.computeIfAbsent(candidate.distance(), any -> new LinkedHashSet<>())
                    .addAll(candidate.addresses());
        }
        long ttlSeconds = settings.ttlSeconds();
        boolean isFailed = false;
        for (Lookup lookup : lookups) {
            Answer answer = lookup.answer().join();
            isFailed |= answer.rcode() != Rcode.NOERROR && answer.rcode() != Rcode.NXDOMAIN;
            for (RecordSet set : answer.answer()) {
                ttlSeconds = Math.min(ttlSeconds, set.ttlSeconds());
            }
            Set<IpAddress> group = groups.computeIfAbsent(lookup.distance(), any -> new LinkedHashSet<>());
            answer.addresses().stream()
                    .map(IpAddress::parse)
                    .filter(address -> Optional.of(address.family()).equals(family(question)))
                    .forEach(group::add);
        }
        List<RecordSet> sets = sets(question.name(), groups, ttlSeconds);
        if (sets.isEmpty()) {
            // NODATA would be cached by the client, although the addresses are only unknown.
            return isFailed ? Answer.FAILED : noData();
        }
        return found(sets);
    }

    /** Returns one set for each group, nearest first. An address in several groups is only in the nearest set. */
    private static List<RecordSet> sets(Name owner, SortedMap<Distance, Set<IpAddress>> groups, long ttlSeconds) {
        List<RecordSet> sets = new ArrayList<>();
        Set<IpAddress> sent = new LinkedHashSet<>();
        for (Set<IpAddress> group : groups.values()) {
            List<Record> records = group.stream()
                    .filter(sent::add)
                    .map(address -> record(owner, address, ttlSeconds))
                    .toList();
            if (!records.isEmpty()) {
                sets.add(RecordSet.of(records));
            }
        }
        return sets;
    }

    private static Record record(Name owner, IpAddress address, long ttlSeconds) {
        try {
            InetAddress data = InetAddress.getByAddress(address.bytes());
            return address.isIpv4()
                    ? new ARecord(owner, DClass.IN, ttlSeconds, data)
                    : new AAAARecord(owner, DClass.IN, ttlSeconds, data);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    // ---- ports ----

    private Answer targets(ServiceQuestion asked, Map<String, Shard> shards) {
        Question question = asked.question();
        List<ShardPort> ports = new ArrayList<>();
        shards.forEach((cluster, shard) -> ports.addAll(portsIn(asked, cluster, shard)));
        if (ports.isEmpty()) {
            return noData();
        }
        List<Record> records = new ArrayList<>();
        Set<RecordSet> additional = new LinkedHashSet<>();
        for (ShardPort target : ports) {
            int alike = (int) ports.stream()
                    .filter(one -> one.distance() == target.distance())
                    .count();
            records.add(new SRVRecord(
                    question.name(),
                    DClass.IN,
                    settings.ttlSeconds(),
                    target.distance().priority,
                    RecordRules.srvWeight(alike),
                    target.port(),
                    target.name()));
            additional.addAll(target.addresses());
        }
        return Answer.builder(Rcode.NOERROR)
                .authoritative()
                .answer(List.of(RecordSet.of(records)))
                .additional(List.copyOf(additional))
                .build();
    }

    /** Returns the matching ports of a shard; empty if the shard cannot be reached, or its name is too long. */
    private List<ShardPort> portsIn(ServiceQuestion asked, String cluster, Shard shard) {
        ServiceKey key = asked.key();
        DnsLabels below = DnsLabels.parse(cluster)
                .append(NameSchema.federatedService(key.service(), key.namespace(), key.federation()));
        if (!below.fitsBelow(settings.zone())) {
            return List.of();
        }
        Name name = DnsNames.absolute(below, settings.zone());
        List<RecordSet> addresses = new ArrayList<>();
        boolean isReachable = false;
        for (IpFamily family : IpFamily.values()) {
            Candidate candidate = candidate(asked, cluster, shard, family);
            addresses.addAll(sets(
                    name,
                    new TreeMap<>(Map.of(candidate.distance(), new LinkedHashSet<>(candidate.addresses()))),
                    settings.ttlSeconds()));
            isReachable |=
                    settings.hostNames() != null && !candidate.hostNames().isEmpty();
        }
        if (!isReachable && addresses.isEmpty()) {
            return List.of();
        }
        Distance distance = distance(asked.from(), cluster, shard);
        return shard.ports().stream()
                .filter(asked.prefix()::matches)
                .map(port -> new ShardPort(distance, name, port.port(), addresses))
                .toList();
    }

    // ---- the zone's own names ----

    private Answer apex(Question question) {
        return switch (question.type().number()) {
            case Type.SOA -> found(List.of(settings.rules().startOfAuthority(settings.zone(), SERIAL)));
            case Type.NS ->
                found(List.of(settings.rules().nameServers(settings.zone()))).toBuilder()
                        .additional(settings.rules()
                                .nameServerAddresses(DnsNames.absolute(RecordRules.nameServer(settings.zone()))))
                        .build();
            default -> empty(question);
        };
    }

    private Answer nameServer(Question question, DnsLabels below) {
        List<RecordSet> sets = below.equals(FixedName.DNS.labels())
                ? List.of()
                : settings.rules().nameServerAddresses(question.name()).stream()
                        .filter(set -> set.type().equals(question.type()))
                        .toList();
        return sets.isEmpty() ? empty(question) : found(sets);
    }

    // ---- answers ----

    private static boolean isFor(Question question, int type) {
        return question.type().number() == type;
    }

    private static Answer found(List<RecordSet> sets) {
        return Answer.builder(Rcode.NOERROR).authoritative().answer(sets).build();
    }

    /** Answers a name that exists without records of the type for this client. */
    private Resolution existing(Question question) {
        return new Resolution.Ready(empty(question));
    }

    /** Returns NODATA, or the HINFO record of RFC 8482 for type ANY. */
    private Answer empty(Question question) {
        return isFor(question, Type.ANY) ? found(List.of(settings.rules().minimalAny(question.name()))) : noData();
    }

    private Answer noData() {
        return negative(Rcode.NOERROR);
    }

    private Answer noSuchName() {
        return negative(Rcode.NXDOMAIN);
    }

    private Answer negative(int rcode) {
        return Answer.builder(rcode)
                .authoritative()
                .authority(List.of(settings.rules().negativeStartOfAuthority(settings.zone(), SERIAL)))
                .build();
    }
}
