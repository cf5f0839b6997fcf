package io.k8sdns.federation;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.federation.FederationKey.ServiceKey;
import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;

/** Makes the SRV records of a port of a Service: one for each shard, whose target is the name of the shard. */
final class ShardSrvRecords {
    private final FederatedZoneSettings settings;
    private final ShardSelection selection;

    ShardSrvRecords(FederatedZoneSettings settings, ShardSelection selection) {
        this.settings = settings;
        this.selection = selection;
    }

    /** A port of a shard: the target's name and its addresses. */
    private record ShardPort(ShardDistance distance, Name name, int port, List<RecordSet> addresses) {}

    /**
     * Answers a question for SRV records; empty if no shard has the port and can be reached.
     *
     * @param prefix the prefix of the name, with a port
     * @param shards the shards of the name, by their clusters
     */
    Optional<Answer> answer(Question question, ServicePrefix prefix, Map<String, Shard> shards) {
        List<ShardPort> ports = new ArrayList<>();
        shards.forEach((cluster, shard) -> ports.addAll(ports(prefix, cluster, shard)));
        if (ports.isEmpty()) {
            return Optional.empty();
        }
        List<Record> records = new ArrayList<>();
        Set<RecordSet> additional = new LinkedHashSet<>();
        for (ShardPort target : ports) {
            int samePriority = (int) ports.stream()
                    .filter(one -> one.distance() == target.distance())
                    .count();
            records.add(new SRVRecord(
                    question.name(),
                    DClass.IN,
                    settings.ttlSeconds(),
                    target.distance().priority(),
                    RecordRules.srvWeight(samePriority),
                    target.port(),
                    target.name()));
            additional.addAll(target.addresses());
        }
        return Optional.of(ZoneAnswers.found(List.of(RecordSet.of(records))).toBuilder()
                .additional(List.copyOf(additional))
                .build());
    }

    /** Returns the matching ports of a shard; empty if the shard cannot be reached, or its name is too long. */
    private List<ShardPort> ports(ServicePrefix prefix, String cluster, Shard shard) {
        ServiceKey key = selection.service();
        DnsLabels below = DnsLabels.parse(cluster)
                .append(NameSchema.federatedService(key.service(), key.namespace(), key.federation()));
        if (!below.fitsBelow(settings.zone())) {
            return List.of();
        }
        Name name = DnsNames.absolute(below, settings.zone());
        List<RecordSet> addresses = new ArrayList<>();
        boolean hasHostName = false;
        for (IpFamily family : IpFamily.values()) {
            ShardAddresses ofFamily = ShardAddresses.of(selection, cluster, shard, family);
            AddressGroups group = new AddressGroups();
            group.add(ofFamily.distance(), ofFamily.addresses());
            addresses.addAll(group.recordSets(name, settings.ttlSeconds()));
            hasHostName |= settings.hostNames() != null && !ofFamily.hostNames().isEmpty();
        }
        if (addresses.isEmpty() && !hasHostName) {
            return List.of();
        }
        return shard.ports().stream()
                .filter(prefix::matches)
                .map(port -> new ShardPort(selection.distance(cluster), name, port.port(), addresses))
                .toList();
    }
}
