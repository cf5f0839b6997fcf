package io.k8sdns.cli;

import io.k8sdns.advice.KnownServices;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** Answers the queries of a plan like the cluster's DNS, and names outside of the cluster's zones from other sources. */
final class ClusterAnswers implements AnswerSource, KnownServices {
    private final DnsResolver cluster;
    private final KnownServices services;
    private final AnswerSource outside;
    private final AnswerSource targets;
    private final Set<DnsLabels> clusterNames = new LinkedHashSet<>();
    private final Set<String> outsideNames = new LinkedHashSet<>();
    private final Set<String> targetNames = new LinkedHashSet<>();

    /**
     * Creates answers.
     *
     * @param cluster resolves the names of the cluster
     * @param services the namespaces and Services of the cluster, including Services that have no addresses or are hidden
     * @param outside answers all other names
     * @param targets answers the targets of the cluster's CNAMEs outside of the cluster, which usually exist
     */
    ClusterAnswers(DnsResolver cluster, KnownServices services, AnswerSource outside, AnswerSource targets) {
        this.cluster = cluster;
        this.services = services;
        this.outside = outside;
        this.targets = targets;
    }

    /** Returns answers of the same cluster with another source of all other names, and without recorded names. */
    ClusterAnswers withOutside(AnswerSource other) {
        return new ClusterAnswers(cluster, services, other, targets);
    }

    @Override
    public Reply answer(PlannedQuery query) {
        DnsLabels labels;
        Name name;
        try {
            labels = DnsLabels.parse(query.name());
            name = DnsNames.absolute(labels);
        } catch (InvalidNameException noName) {
            return Reply.of(Reply.Kind.FORMERR);
        }
        int type = query.type() == QueryType.A ? Type.A : Type.AAAA;
        Answer answer = ask(name, type);
        List<IpAddress> addresses = answer.answer().stream()
                .filter(set -> set.typeNumber() == type)
                .flatMap(ClusterAnswers::addresses)
                .toList();
        Optional<Name> last = lastAlias(answer);
        if (answer.rcode() == Rcode.REFUSED) {
            outsideNames.add(query.name());
            return outside.answer(query);
        }
        clusterNames.add(labels);
        if (last.isPresent() && addresses.isEmpty() && ask(last.get(), type).rcode() == Rcode.REFUSED) {
            targetNames.add(last.get().toString());
            return targets.answer(named(query, last.get().toString()));
        }
        return switch (answer.rcode()) {
            case Rcode.NOERROR -> Reply.of(addresses);
            case Rcode.NXDOMAIN -> Reply.of(Reply.Kind.NXDOMAIN);
            default -> Reply.of(Reply.Kind.SERVFAIL);
        };
    }

    @Override
    public boolean hasNamespace(String namespace) {
        return services.hasNamespace(namespace);
    }

    @Override
    public boolean hasService(String namespace, String service) {
        return services.hasService(namespace, service);
    }

    /** Returns the names in the cluster's zones that were looked up, in order. */
    Set<DnsLabels> clusterNames() {
        return clusterNames;
    }

    /** Returns the names outside of the cluster's zones that were looked up, in order. */
    Set<String> outsideNames() {
        return outsideNames;
    }

    /** Returns the targets of the cluster's CNAMEs outside of the cluster's zones that were looked up, in order. */
    Set<String> targetNames() {
        return targetNames;
    }

    private static PlannedQuery named(PlannedQuery query, String name) {
        return new PlannedQuery(
                name, query.type(), query.server(), query.transport(), query.atMillis(), query.group(), query.reason());
    }

    private Answer ask(Name name, int type) {
        return cluster.resolve(Question.of(name, RecordType.of(type)), Client.IN_PROCESS)
                .toStage()
                .toCompletableFuture()
                .join();
    }

    /** Returns the target of the last CNAME. */
    private static Optional<Name> lastAlias(Answer answer) {
        return answer.answer().stream()
                .flatMap(set -> set.records().stream())
                .filter(CNAMERecord.class::isInstance)
                .reduce((first, second) -> second)
                .map(record -> ((CNAMERecord) record).getTarget());
    }

    private static Stream<IpAddress> addresses(RecordSet set) {
        return set.records().stream()
                .map(record -> record instanceof ARecord a
                        ? a.getAddress().getAddress()
                        : ((AAAARecord) record).getAddress().getAddress())
                .map(IpAddress::ofBytes);
    }
}
