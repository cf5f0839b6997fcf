package io.k8sdns.federation;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Answers federated names in the cluster's own zone, like kube-dns: {@code SVC.NS.FED.svc.cluster.local.}. A Pod looks up {@code
 * SVC.NS.FED}, and its search list adds the other labels.
 *
 * <pre>
 *   the name exists in the cluster         --> its records
 *   the Service has a ready endpoint here  --> CNAME SVC.NS.svc.cluster.local.
 *   otherwise                              --> CNAME SVC.NS.FED.svc.ZONE.REGION.DOMAIN.
 * </pre>
 *
 * <p>Wraps the resolver of the cluster, which also resolves the targets of the CNAMEs. {@code _PORT._PROTOCOL} may precede the
 * name.
 *
 * <p>Source: {@code pkg/dns} of kubernetes/dns. Unlike kube-dns, an existing name of the cluster takes precedence over a federated
 * name. While the zone or the region of the cluster is unknown, the answer is SERVFAIL and not a CNAME with empty labels.
 */
public final class KubeDnsFederations implements DnsResolver {
    private static final long TTL_SECONDS = 30;

    private final DnsResolver inner;
    private final DnsLabels domain;
    private final DnsLabels services;
    private final Supplier<Map<String, DnsLabels>> federations;
    private final BiPredicate<String, String> isReady;
    private final Supplier<Optional<DnsLabels>> topology;

    /** The suffixes of the last federations, cached because they are needed for every question. */
    private volatile Suffixes last = new Suffixes(Map.of(), Set.of());

    /**
     * The suffixes of federated names, {@code FED.svc.cluster.local}.
     *
     * @param federations the federations of the suffixes, immutable
     */
    private record Suffixes(Map<String, DnsLabels> federations, Set<DnsLabels> names) {}

    /** The labels before the federation, {@code [_PORT._PROTOCOL.]SVC.NS}, and the federation. */
    private record FederatedServiceName(DnsLabels service, String federation) {}

    private KubeDnsFederations(Builder builder) {
        this.inner = builder.inner;
        this.domain = builder.domain;
        this.services = builder.domain.prepend(NameSchema.SERVICES);
        this.federations = builder.federations;
        this.isReady = builder.isReady;
        this.topology = builder.topology;
    }

    /**
     * Returns a builder of a resolver without federations.
     *
     * @param inner answers all other names
     * @param clusterDomain the cluster's domain, absolute
     */
    public static Builder builder(DnsResolver inner, DnsLabels clusterDomain) {
        return new Builder(
                Objects.requireNonNull(inner, "inner"), Objects.requireNonNull(clusterDomain, "clusterDomain"));
    }

    @Override
    public Optional<DirectAnswers> direct() {
        return withoutFederated(inner.direct());
    }

    @Override
    public Optional<DirectAnswers> direct(Client client) {
        return withoutFederated(inner.direct(client));
    }

    /**
     * Excludes federated names from the fast path. Called for every message, so it allocates nothing while the federations do not
     * change.
     */
    private Optional<DirectAnswers> withoutFederated(Optional<DirectAnswers> all) {
        if (all.isEmpty()) {
            return all;
        }
        Map<String, DnsLabels> known = federations.get();
        Suffixes suffixes = last;
        if (!suffixes.federations().equals(known)) {
            suffixes = suffixes(Map.copyOf(known));
            last = suffixes;
        }
        return suffixes.names().isEmpty() ? all : all.get().exceptMissingNamesBelow(suffixes.names());
    }

    private Suffixes suffixes(Map<String, DnsLabels> known) {
        Set<DnsLabels> names = known.keySet().stream()
                .flatMap(federation -> suffix(federation).stream())
                .collect(Collectors.toUnmodifiableSet());
        return new Suffixes(known, names);
    }

    /** Returns the suffix of a federation; empty if it would not be a valid name. */
    private Optional<DnsLabels> suffix(String federation) {
        try {
            return Optional.of(services.prepend(federation));
        } catch (InvalidNameException noName) {
            return Optional.empty();
        }
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        Map<String, DnsLabels> known = federations.get();
        Optional<FederatedServiceName> asked = known.isEmpty() || question.dnsClass() != DClass.IN
                ? Optional.empty()
                : federatedService(question.labels(), known);
        Resolution local = inner.resolve(question, client);
        return asked.isEmpty()
                ? local
                : local.then(answer -> answer.rcode() == Rcode.NXDOMAIN
                        ? alias(question, client, asked.get(), known)
                        : new Resolution.Ready(answer));
    }

    private Optional<FederatedServiceName> federatedService(DnsLabels name, Map<String, DnsLabels> known) {
        return name.below(domain)
                .filter(head -> head.count() > 2 && NameSchema.isServiceOrPort(head.first(head.count() - 2)))
                .filter(head -> head.foldedLabel(head.count() - 1).equals(NameSchema.SERVICES))
                .map(head -> new FederatedServiceName(head.first(head.count() - 2), head.foldedLabel(head.count() - 2)))
                .filter(asked -> known.containsKey(asked.federation()));
    }

    private Resolution alias(
            Question question, Client client, FederatedServiceName asked, Map<String, DnsLabels> known) {
        DnsLabels service = asked.service();
        int labels = service.count();
        if (isReady.test(service.foldedLabel(labels - 1), service.foldedLabel(labels - 2))) {
            return follow(question, client, service.append(services), false);
        }
        Optional<DnsLabels> location = topology.get();
        if (location.isEmpty()) {
            return failed("the zone and the region of this cluster are not known");
        }
        DnsLabels suffix = NameSchema.federation(asked.federation())
                .append(location.get())
                .append(Objects.requireNonNull(known.get(asked.federation())));
        return service.fitsBelow(suffix)
                ? follow(question, client, service.append(suffix), true)
                : failed("the name in the domain of federation " + asked.federation() + " is too long");
    }

    private static Resolution failed(String text) {
        return new Resolution.Ready(Answer.failure(Rcode.SERVFAIL, new ExtendedError(ExtendedError.OTHER, text)));
    }

    /**
     * Answers with a CNAME and the records of its target. Records from outside keep the order of the server, which may sort them by
     * distance.
     */
    private Resolution follow(Question question, Client client, DnsLabels target, boolean isOutside) {
        RecordSet alias =
                RecordSet.of(new CNAMERecord(question.name(), DClass.IN, TTL_SECONDS, DnsNames.absolute(target)));
        int type = question.type().number();
        if (type == Type.CNAME || type == Type.ANY) {
            return new Resolution.Ready(Answer.builder(Rcode.NOERROR)
                    .authoritative()
                    .answer(List.of(alias))
                    .build());
        }
        return inner.resolve(new Question(target, question.type(), question.dnsClass()), client)
                .then(rest ->
                        new Resolution.Ready(isOutside ? combined(alias, rest).inOrder() : combined(alias, rest)));
    }

    /**
     * Combines the CNAME and the answer for its target. If the target is REFUSED because nothing is forwarded, the answer is the
     * CNAME alone, as for other CNAMEs to names outside the cluster.
     */
    private static Answer combined(RecordSet alias, Answer rest) {
        List<RecordSet> sets = new ArrayList<>();
        sets.add(alias);
        sets.addAll(rest.answer());
        Answer.Builder answer = rest.rcode() == Rcode.REFUSED
                ? Answer.builder(Rcode.NOERROR).recursionAvailable(rest.recursionAvailable())
                : rest.toBuilder();
        return answer.authoritative().answer(sets).build();
    }

    /** Collects the settings of a resolver. */
    public static final class Builder {
        private final DnsResolver inner;
        private final DnsLabels domain;
        private Supplier<Map<String, DnsLabels>> federations = Map::of;
        private BiPredicate<String, String> isReady = (namespace, service) -> false;
        private Supplier<Optional<DnsLabels>> topology = Optional::empty;

        private Builder(DnsResolver inner, DnsLabels domain) {
            this.inner = inner;
            this.domain = domain;
        }

        /**
         * Sets the supplier of the federations and their domains, as in kube-dns's ConfigMap; no federations by default. The names
         * are labels in lower case.
         *
         * @param value called for every question, so it must be fast; best if it returns the same immutable map until the
         *     federations change
         */
        public Builder federations(Supplier<Map<String, DnsLabels>> value) {
            federations = Objects.requireNonNull(value, "federations");
            return this;
        }

        /**
         * Sets the test for whether a Service of this cluster, given by namespace and name, has a ready endpoint; always false by
         * default.
         *
         * @param value called for questions about federated names; must be fast
         */
        public Builder readyServices(BiPredicate<String, String> value) {
            isReady = Objects.requireNonNull(value, "readyServices");
            return this;
        }

        /**
         * Sets the supplier of the labels {@code ZONE.REGION} of this cluster, which returns empty while they are unknown; always
         * empty by default.
         *
         * @param value called for questions about federated names; must be fast
         */
        public Builder topology(Supplier<Optional<DnsLabels>> value) {
            topology = Objects.requireNonNull(value, "topology");
            return this;
        }

        /** Returns the resolver. */
        public KubeDnsFederations build() {
            return new KubeDnsFederations(this);
        }
    }
}
