package io.k8sdns.federation;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.upstream.Forwarder;
import io.k8sdns.upstream.ForwardingResolver;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/**
 * Forwards federated names to the name servers of their federation, with the name of this cluster as an EDNS option. Passes all
 * other names to another resolver.
 *
 * <pre>
 *   name in the federation zone?  --no--> other resolver, without the option
 *        | yes
 *   federation has a route?      --no--> REFUSED
 *        | yes
 *   option from a peer, or SkyDNS's loop mark?  --yes--> REFUSED
 *        | no
 *   forwarded with one option --fails--> own cluster's Service if it has a ready endpoint, otherwise SERVFAIL
 * </pre>
 *
 * <p>The other resolver never receives a federated name. The client's own option is removed, so that a Pod cannot impersonate
 * another cluster. A peer is a name server of a federation, or another server that forwards federated names. A query with the
 * option from a peer was already forwarded once, because EDNS options are hop by hop; forwarding it again would be a loop.
 *
 * <p>REFUSED from the forwarder is a failure like SERVFAIL: the name server does not serve the federation, and clients do not retry
 * after REFUSED.
 *
 * <p>Answers keep the order of the name server ({@link Answer#isOrdered}) and are not authoritative. Use this resolver as the
 * upstream of the cluster's zones, so that names of the cluster do not depend on a federation:
 *
 * <pre>{@code
 * DnsResolver federated = StubZoneResolver.builder(FederationZoneName.parse("federation."), new SourceCluster("foo"), upstream)
 *         .routes(federation -> Optional.ofNullable(forwarders.get(federation)))
 *         .build();
 * ResolverChain.of(zone).withUpstream(federated);
 * }</pre>
 *
 * <p>Source: the design document "Service Discovery in Ubernetes", section "Service Discovery/Lookup".
 */
public final class StubZoneResolver implements DnsResolver {
    /** The code of the option that SkyDNS adds to the queries it forwards to a stub zone. Its data is the byte 1. */
    private static final int SKYDNS_MARK = 65_011;

    private final FederationZoneName zone;
    private final DnsResolver others;
    private final int optionCode;
    private final SourceCluster cluster;
    private final List<EDNSOption> ownOption;
    private final Function<? super String, Optional<Forwarder>> routes;
    private final Predicate<? super Client> peers;
    private final FailureObserver failures;
    private final @Nullable Fallback fallback;

    /** This cluster's Services, used while no name server answers. */
    private record Fallback(DnsResolver resolver, DnsLabels services, BiPredicate<String, String> isReady) {}

    private StubZoneResolver(Builder builder) {
        this.zone = builder.zone;
        this.others = builder.others;
        this.optionCode = builder.optionCode;
        this.cluster = builder.cluster;
        this.ownOption = List.of(builder.cluster.toOption(builder.optionCode));
        this.routes = builder.routes;
        this.peers = builder.peers;
        this.failures = builder.failures;
        this.fallback = builder.fallback;
    }

    /**
     * Returns a builder of a resolver without routes and peers.
     *
     * @param zone the zone of federated names
     * @param cluster this cluster
     * @param others answers all names that are not in the zone
     */
    public static Builder builder(FederationZoneName zone, SourceCluster cluster, DnsResolver others) {
        return new Builder(
                Objects.requireNonNull(zone, "zone"),
                Objects.requireNonNull(cluster, "cluster"),
                Objects.requireNonNull(others, "others"));
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        if (!zone.contains(question.labels())) {
            return others.resolve(question, withoutOption(client));
        }
        int type = question.type().number();
        if (question.dnsClass() != DClass.IN || type == Type.AXFR || type == Type.IXFR) {
            return refused(ExtendedError.NOT_SUPPORTED, "only records of class IN are forwarded");
        }
        Optional<String> federation = zone.federation(question.labels());
        Optional<Forwarder> route = federation.flatMap(routes);
        if (route.isEmpty()) {
            return refused(
                    ExtendedError.NOT_AUTHORITATIVE,
                    federation
                            .map(name -> "no name server is known of federation " + name)
                            .orElse(question.name() + " belongs to no federation"));
        }
        if (isForwardedAlready(client)) {
            return refused(ExtendedError.OTHER, "a query that was forwarded to a federation is not forwarded again");
        }
        Client asOwnCluster = client.toBuilder().ednsOptions(ownOption).build();
        return ForwardingResolver.builder(route.get())
                .failures(failures)
                .build()
                .resolve(question, asOwnCluster)
                .then(answer -> switch (answer.status()) {
                    case SERVFAIL -> ownService(question, client, answer);
                    case REFUSED -> ownService(question, client, refusedByAll(federation.get(), answer));
                    default -> new Resolution.Ready(answer.inOrder());
                });
    }

    /** Returns SERVFAIL with the extended error of the name server; without one, with the reason that it refused. */
    private static Answer refusedByAll(String federation, Answer refusal) {
        return Answer.failure(
                Rcode.SERVFAIL,
                refusal.extendedError()
                        .orElseGet(() -> new ExtendedError(
                                ExtendedError.NO_REACHABLE_AUTHORITY,
                                "the name servers of federation " + federation + " refuse")));
    }

    private Client withoutOption(Client client) {
        return client.ednsOptions().stream().noneMatch(option -> option.getCode() == optionCode)
                ? client
                : client.toBuilder()
                        .ednsOptions(client.ednsOptions().stream()
                                .filter(option -> option.getCode() != optionCode)
                                .toList())
                        .build();
    }

    private boolean isForwardedAlready(Client client) {
        return client.ednsOptions().stream().anyMatch(StubZoneResolver::isLoopMark)
                || SourceCluster.find(client.ednsOptions(), optionCode).isPresent() && peers.test(client);
    }

    private static boolean isLoopMark(EDNSOption option) {
        if (option.getCode() != SKYDNS_MARK) {
            return false;
        }
        byte[] data = SourceCluster.data(option);
        return data.length == 1 && data[0] == 1;
    }

    private static Resolution refused(int code, String text) {
        return new Resolution.Ready(Answer.failure(Rcode.REFUSED, new ExtendedError(code, text)));
    }

    // ---- this cluster's Service ----

    private Resolution ownService(Question question, Client client, Answer failure) {
        Fallback own = fallback;
        Optional<DnsLabels> local = own == null ? Optional.empty() : localName(question.labels(), own);
        if (own == null || local.isEmpty()) {
            return new Resolution.Ready(failure);
        }
        Question asked = new Question(local.get(), question.type(), question.dnsClass());
        return own.resolver()
                .resolve(asked, withoutOption(client))
                .map(answer -> answer.rcode() == Rcode.NOERROR ? renamed(question, local.get(), answer) : failure);
    }

    /**
     * Returns the name of the Service in the cluster's zone; empty if the Service has no ready endpoint, or the name is not of the
     * form.
     */
    private Optional<DnsLabels> localName(DnsLabels asked, Fallback own) {
        return zone.service(asked)
                .flatMap(this::ofOwnCluster)
                .filter(head ->
                        own.isReady().test(head.foldedLabel(head.count() - 1), head.foldedLabel(head.count() - 2)))
                .filter(head -> head.fitsBelow(own.services()))
                .map(head -> head.append(own.services()));
    }

    /** Returns {@code [_PORT._PROTOCOL.]SVC.NS}, without this cluster's name before it; empty for other forms. */
    private Optional<DnsLabels> ofOwnCluster(DnsLabels head) {
        if (NameSchema.isServiceOrPort(head)) {
            return Optional.of(head);
        }
        DnsLabels own = DnsLabels.parse(cluster.name());
        return head.count() == 2 + own.count() && head.first(own.count()).equals(own)
                ? Optional.of(head.skip(own.count()))
                : Optional.empty();
    }

    /** Returns the answer with the name of the question in place of the local name. Without records the answer is NODATA. */
    private static Answer renamed(Question question, DnsLabels local, Answer answer) {
        var from = DnsNames.absolute(local);
        var to = question.name();
        List<RecordSet> sets = answer.answer().stream()
                .map(set -> set.owner().equals(from)
                        ? new RecordSet(
                                to,
                                set.type(),
                                set.ttlSeconds(),
                                set.records().stream()
                                        .map(one -> Record.newRecord(
                                                to,
                                                one.getType(),
                                                one.getDClass(),
                                                one.getTTL(),
                                                one.rdataToWireCanonical()))
                                        .toList())
                        : set)
                .toList();
        return Answer.builder(Rcode.NOERROR)
                .answer(sets)
                .additional(answer.additional())
                .recursionAvailable(true)
                .extendedError(new ExtendedError(
                        ExtendedError.SYNTHESIZED,
                        "no name server of the federation answers; only this cluster's Service"))
                .ordered()
                .build();
    }

    /** Collects the settings of a resolver. */
    public static final class Builder {
        private final FederationZoneName zone;
        private final SourceCluster cluster;
        private final DnsResolver others;
        private int optionCode = SourceCluster.OPTION_CODE;
        private Function<? super String, Optional<Forwarder>> routes = federation -> Optional.empty();
        private Predicate<? super Client> peers = client -> false;
        private FailureObserver failures = FailureObserver.NONE;
        private @Nullable Fallback fallback;

        private Builder(FederationZoneName zone, SourceCluster cluster, DnsResolver others) {
            this.zone = zone;
            this.cluster = cluster;
            this.others = others;
        }

        /**
         * Sets the code of the source-cluster option; {@link SourceCluster#OPTION_CODE} by default.
         *
         * @throws IllegalArgumentException if it is not 1 to 65535
         */
        public Builder optionCode(int code) {
            optionCode = SourceCluster.requireCode(code);
            return this;
        }

        /**
         * Sets the function that returns the forwarder of a federation, or empty; always empty by default.
         *
         * @param value called for each question with the federation's name in lower case, so it must be fast. The forwarder
         *     receives a client whose only EDNS option is the source-cluster option, and must send this option
         */
        public Builder routes(Function<? super String, Optional<Forwarder>> value) {
            routes = Objects.requireNonNull(value, "routes");
            return this;
        }

        /**
         * Sets the test for peers, which are clients that forward federated names; no peers by default. A query with the option
         * from a peer is REFUSED.
         *
         * @param value called for questions with the option; must be fast
         */
        public Builder peers(Predicate<? super Client> value) {
            peers = Objects.requireNonNull(value, "peers");
            return this;
        }

        /**
         * Enables the fallback: while the name servers of a federation do not answer, or answer SERVFAIL or REFUSED, the answer is
         * this cluster's Service with the same name and namespace. Disabled by default. Not used for names of a region, a zone
         * or another cluster.
         *
         * @param resolver answers names of the cluster
         * @param domain the cluster's domain
         * @param isReady returns whether a Service has a ready endpoint, by namespace and name
         */
        public Builder fallback(DnsResolver resolver, DnsLabels domain, BiPredicate<String, String> isReady) {
            fallback = new Fallback(
                    Objects.requireNonNull(resolver, "resolver"),
                    Objects.requireNonNull(domain, "domain").prepend(NameSchema.SERVICES),
                    Objects.requireNonNull(isReady, "isReady"));
            return this;
        }

        /** Sets the observer of failures, which receives the causes of SERVFAIL; {@link FailureObserver#NONE} by default. */
        public Builder failures(FailureObserver value) {
            failures = Objects.requireNonNull(value, "failures");
            return this;
        }

        /** Returns the resolver. */
        public StubZoneResolver build() {
            return new StubZoneResolver(this);
        }
    }
}
