package io.k8sdns.federation;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.federation.FederatedName.Area;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Type;

/**
 * Answers the questions of clients in one cluster from one content of the store: decides which name is meant, and which shards
 * answer for it. {@link ShardSelection} has the shards and their distances, {@link AddressAnswers} and {@link ShardSrvRecords} make
 * the records, {@link ZoneAnswers} all other answers.
 *
 * <p>The same names exist for every client; their addresses depend on the client's cluster. So a name that has no address for this
 * client is NODATA, never NXDOMAIN.
 */
final class FederationAnswers {
    private final FederatedZoneSettings settings;
    private final FederationContent content;
    private final Optional<String> source;
    private final ZoneAnswers zone;
    private final AddressAnswers addresses;

    /**
     * A question about a Service.
     *
     * @param prefix the labels before the Service
     * @param shards the shards of the Service
     */
    private record ServiceQuestion(Question question, ServicePrefix prefix, ShardSelection shards) {}

    /**
     * Creates the answers for the clients of one cluster.
     *
     * @param source the cluster, which must be in the content; empty for clients of an unknown cluster
     */
    FederationAnswers(FederatedZoneSettings settings, FederationContent content, Optional<String> source) {
        this.settings = settings;
        this.content = content;
        this.source = source;
        this.zone = new ZoneAnswers(settings);
        this.addresses = new AddressAnswers(settings, zone);
    }

    /** Returns whether the answer depends on a lookup of a host name and must not be cached. */
    boolean dependsOnLookups() {
        return addresses.dependsOnLookups();
    }

    /**
     * Answers a question of class IN.
     *
     * @param below the labels of its name below the zone
     */
    Resolution resolve(Question question, DnsLabels below) {
        Optional<Answer> own = zone.ofOwnName(question, below);
        if (own.isPresent()) {
            return new Resolution.Ready(own.get());
        }
        Optional<FederatedName> name = FederatedName.parse(below);
        if (name.isEmpty() || content.isEmpty() || !isKnown(name.get())) {
            return noSuchName();
        }
        return name.get()
                .key()
                .map(key -> ofService(question, name.get(), new ShardSelection(content, key, source)))
                .orElseGet(() -> withoutRecords(question));
    }

    private boolean isKnown(FederatedName name) {
        return name.area().map(content::hasArea).orElse(true)
                && name.federation().map(content::hasFederation).orElse(true)
                && name.namespace()
                        .map(namespace -> content.hasNamespace(name.federation().orElseThrow(), namespace))
                        .orElse(true);
    }

    private Resolution ofService(Question question, FederatedName name, ShardSelection shards) {
        ServicePrefix prefix = ServicePrefix.of(name.prefix());
        if (shards.all().isEmpty() || name.area().isPresent() && !prefix.rest().isEmpty()) {
            return noSuchName();
        }
        ServiceQuestion asked = new ServiceQuestion(question, prefix, shards);
        if (!prefix.rest().isEmpty()) {
            return belowService(asked);
        }
        Map<String, Shard> members = shards.in(name.area());
        return members.isEmpty() ? ofWiderArea(asked, name) : ofShards(asked, members);
    }

    /**
     * Answers a name of an area without shards with a CNAME to the same name in the next wider area: the region of a zone, or the
     * whole federation.
     */
    private Resolution ofWiderArea(ServiceQuestion asked, FederatedName name) {
        Question question = asked.question();
        ServicePrefix prefix = asked.prefix();
        Optional<Area> wider = name.area().orElseThrow().wider();
        Map<String, Shard> members = asked.shards().in(wider);
        if (!prefix.existsIn((members.isEmpty() ? asked.shards().all() : members).values())) {
            return noSuchName();
        }
        if (prefix.isOfPorts() && prefix.port() == null) {
            return withoutRecords(question);
        }
        DnsLabels target = question.labels()
                .first(name.prefix().count() + FederatedName.SUFFIX_LABELS)
                .append(wider.map(area -> DnsLabels.of(area.region())).orElse(DnsLabels.EMPTY))
                .append(settings.zone());
        RecordSet alias = RecordSet.of(
                new CNAMERecord(question.name(), DClass.IN, settings.ttlSeconds(), DnsNames.absolute(target)));
        if (isFor(question, Type.CNAME) || isFor(question, Type.ANY)) {
            return new Resolution.Ready(ZoneAnswers.found(List.of(alias)));
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
    private Resolution belowService(ServiceQuestion asked) {
        ServicePrefix prefix = asked.prefix();
        Map<String, Shard> all = asked.shards().all();
        String cluster = clusterName(prefix.rest());
        Shard shard = all.get(cluster);
        if (shard != null) {
            return ofShards(asked, Map.of(cluster, shard));
        }
        if (prefix.isOfPorts()) {
            return noSuchName();
        }
        String parent = clusterName(prefix.rest().skip(1));
        Shard above = all.get(parent);
        if (above != null) {
            Optional<String> hostname = Optional.of(prefix.rest().foldedLabel(0));
            List<Endpoint> hosts = above.endpoints().stream()
                    .filter(endpoint -> endpoint.hostname().equals(hostname))
                    .toList();
            if (!hosts.isEmpty()) {
                return ofHosts(asked, parent, hosts);
            }
        }
        // Names of clusters can have several labels, whose ancestors exist.
        return all.keySet().stream().anyMatch(one -> one.endsWith("." + cluster))
                ? withoutRecords(asked.question())
                : noSuchName();
    }

    /** Returns labels as a cluster name. A dot inside a label is escaped, so that the result equals no cluster name. */
    private static String clusterName(DnsLabels labels) {
        return labels.toString().toLowerCase(Locale.ROOT);
    }

    /** Answers a name of endpoints of one shard, which have addresses in their own cluster only. */
    private Resolution ofHosts(ServiceQuestion asked, String cluster, List<Endpoint> hosts) {
        Question question = asked.question();
        Optional<IpFamily> family = family(question);
        if (family.isEmpty() || !asked.shards().isOwn(cluster)) {
            return withoutRecords(question);
        }
        return addresses.answer(question, family.get(), List.of(ShardAddresses.ofEndpoints(hosts, family.get())));
    }

    /** Answers a name of one or more shards. */
    private Resolution ofShards(ServiceQuestion asked, Map<String, Shard> shards) {
        ServicePrefix prefix = asked.prefix();
        Question question = asked.question();
        if (!prefix.existsIn(shards.values())) {
            return noSuchName();
        }
        if (prefix.isOfPorts()) {
            return prefix.port() != null && isFor(question, Type.SRV)
                    ? new Resolution.Ready(new ShardSrvRecords(settings, asked.shards())
                            .answer(question, prefix, shards)
                            .orElseGet(zone::noData))
                    : withoutRecords(question);
        }
        Optional<IpFamily> family = family(question);
        if (family.isEmpty()) {
            return withoutRecords(question);
        }
        List<ShardAddresses> ofShards = new ArrayList<>();
        shards.forEach(
                (cluster, shard) -> ofShards.add(ShardAddresses.of(asked.shards(), cluster, shard, family.get())));
        return addresses.answer(question, family.get(), ofShards);
    }

    private static Optional<IpFamily> family(Question question) {
        return switch (question.type().number()) {
            case Type.A -> Optional.of(IpFamily.IPV4);
            case Type.AAAA -> Optional.of(IpFamily.IPV6);
            default -> Optional.empty();
        };
    }

    private static boolean isFor(Question question, int type) {
        return question.type().number() == type;
    }

    /** Answers a name that exists without records of the type for this client. */
    private Resolution withoutRecords(Question question) {
        return new Resolution.Ready(zone.withoutRecords(question));
    }

    private Resolution noSuchName() {
        return new Resolution.Ready(zone.noSuchName());
    }
}
