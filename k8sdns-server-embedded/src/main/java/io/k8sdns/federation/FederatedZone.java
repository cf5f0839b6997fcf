package io.k8sdns.federation;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.rules.RecordRules;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Serves the zone of federated Services, {@code federation.} by default, from the content of a {@link FederationStore}.
 *
 * <p>For {@code SERVICE.NAMESPACE.FEDERATION.svc.ZONE} a client receives the addresses of all shards, nearest first: the cluster IP
 * in its own cluster, then the external addresses of shards in the same topology zone, in the same region, and in other regions.
 * Each group is one set of {@link Answer#answer}, so that responders do not mix groups. All names: docs/federation.md.
 *
 * <p>The option {@link SourceCluster} names the client's cluster. A client without the option, or with an unknown cluster, never
 * receives a cluster IP. The answer repeats a valid option, even for an unknown cluster, to show the forwarder that this server
 * supports it.
 *
 * <p>The answer is SERVFAIL until the store has sent its first content. While the store does not answer, the last content is served
 * with the extended error {@link ExtendedError#STALE_ANSWER}.
 *
 * <p>A shard whose value cannot be parsed has no addresses, but its names exist. {@link #skippedKeys} has the reasons.
 *
 * <p>Thread-safe: each question is answered from one immutable content, without a lock. Two zones with the same settings and the
 * same store give the same answers.
 */
public final class FederatedZone implements DnsResolver, FederationStore.Listener {
    /** The default name of the zone. */
    public static final String DEFAULT_ZONE = "federation.";

    /** The default TTL of records in seconds. */
    public static final long DEFAULT_TTL_SECONDS = 30;

    /** The highest TTL of negative answers in seconds. */
    public static final long MAX_NEGATIVE_TTL_SECONDS = 30;

    /** The largest number of cached answers. */
    private static final int MAX_CACHED_ANSWERS = 10_000;

    private final FederatedZoneSettings settings;
    private final int optionCode;
    private final StoreContent store;

    private FederatedZone(Builder builder) {
        this.optionCode = builder.optionCode;
        this.store = new StoreContent(builder.format, builder.skipped);
        this.settings = new FederatedZoneSettings(
                builder.zone,
                new RecordRules(ZoneSettings.builder()
                        .zones(List.of(builder.zone))
                        .ttlSeconds(builder.ttlSeconds)
                        .negativeTtlSeconds(Math.min(builder.ttlSeconds, MAX_NEGATIVE_TTL_SECONDS))
                        .nameServerAddresses(builder.nameServerAddresses)
                        .build()),
                builder.hostNames);
    }

    /**
     * Returns a builder of a zone.
     *
     * @param format reads the values of the store
     */
    public static Builder builder(FederationFormat format) {
        return new Builder(Objects.requireNonNull(format, "format"));
    }

    // ---- questions ----

    @Override
    public Resolution resolve(Question question, Client client) {
        int type = question.type().number();
        Optional<DnsLabels> below = question.labels().below(settings.zone());
        if (below.isEmpty()) {
            return failure(
                    Rcode.REFUSED,
                    ExtendedError.NOT_AUTHORITATIVE,
                    question.name() + " is not served by zone " + settings.zone());
        }
        if (question.dnsClass() != DClass.IN || type == Type.AXFR || type == Type.IXFR) {
            return failure(Rcode.REFUSED, ExtendedError.NOT_SUPPORTED, "class or type of the question");
        }
        List<EDNSOption> options = client.ednsOptions().stream()
                .filter(option -> option.getCode() == optionCode)
                .limit(1)
                .toList();
        Optional<SourceCluster> source = SourceCluster.find(options, optionCode);
        StoreContent.State now = store.state();
        Resolution answer = answer(now, question, source, below.get());
        if (source.isEmpty() && !now.isStale()) {
            return answer;
        }
        List<EDNSOption> echoed = source.isPresent() ? options : List.of();
        return answer.map(one -> marked(one, echoed, now.isStale()));
    }

    private Resolution answer(
            StoreContent.State now, Question question, Optional<SourceCluster> source, DnsLabels below) {
        if (!now.isReady()) {
            return failure(
                    Rcode.SERVFAIL,
                    ExtendedError.NOT_READY,
                    "the store of zone " + settings.zone() + " is not read yet");
        }
        Optional<String> known = source.map(SourceCluster::name).filter(now.content()::hasCluster);
        return answer(now, new StoreContent.AnswerKey(question, known), below);
    }

    /** Answers from the cache if possible. Only answers with records are cached, because the number of other names is unlimited. */
    private Resolution answer(StoreContent.State now, StoreContent.AnswerKey key, DnsLabels below) {
        Answer known = now.answers().get(key);
        if (known != null) {
            return new Resolution.Ready(known);
        }
        FederationAnswers answers = new FederationAnswers(settings, now.content(), key.source());
        Resolution made = answers.resolve(key.question(), below);
        if (made instanceof Resolution.Ready ready
                && !ready.answer().answer().isEmpty()
                && !answers.dependsOnLookups()
                && now.answers().size() < MAX_CACHED_ANSWERS) {
            now.answers().put(key, ready.answer());
        }
        return made;
    }

    /** Returns the answer with the client's option and, while the store does not answer, the extended error for stale data. */
    private static Answer marked(Answer answer, List<EDNSOption> echoed, boolean isStale) {
        Answer.Builder marked = answer.toBuilder().ednsOptions(echoed);
        if (isStale && answer.extendedError().isEmpty()) {
            marked.extendedError(new ExtendedError(ExtendedError.STALE_ANSWER, "the store does not answer"));
        }
        return marked.build();
    }

    private static Resolution failure(int rcode, int code, String text) {
        return new Resolution.Ready(Answer.failure(rcode, new ExtendedError(code, text)));
    }

    // ---- the store ----

    @Override
    public void content(Map<String, FederationStore.Entry> entries) {
        store.content(entries);
    }

    @Override
    public void changed(Map<String, Optional<FederationStore.Entry>> changes) {
        store.changed(changes);
    }

    @Override
    public void stale() {
        store.stale();
    }

    @Override
    public void upToDate() {
        store.upToDate();
    }

    /**
     * Replaces the registry of clusters that is not in the store but, for example, in a file. The store's location of a cluster
     * takes precedence.
     *
     * @param locations the locations of clusters, by their names in lower case
     * @throws IllegalArgumentException if a name is not a DNS-1123 subdomain
     */
    public void clusters(Map<String, ClusterLocation> locations) {
        store.clusters(locations);
    }

    // ---- status ----

    /** Returns whether the store has sent its first content; until then every answer is SERVFAIL. */
    public boolean isReady() {
        return store.state().isReady();
    }

    /** Returns whether the content may be out of date because the store does not answer. */
    public boolean isStale() {
        return store.state().isStale();
    }

    /** Returns the keys that are skipped because they or their values cannot be parsed, with the reasons. */
    public Map<String, String> skippedKeys() {
        return store.skippedKeys();
    }

    /** Collects the settings of a zone. Not thread-safe. */
    public static final class Builder {
        private final FederationFormat format;
        private DnsLabels zone = DnsLabels.parse(DEFAULT_ZONE);
        private long ttlSeconds = DEFAULT_TTL_SECONDS;
        private int optionCode = SourceCluster.OPTION_CODE;
        private List<IpAddress> nameServerAddresses = ZoneSettings.DEFAULTS.nameServerAddresses();
        private @Nullable DnsResolver hostNames;
        private BiConsumer<? super String, ? super String> skipped = (key, reason) -> {};

        private Builder(FederationFormat format) {
            this.format = format;
        }

        /**
         * Sets the name of the zone; {@link #DEFAULT_ZONE} by default.
         *
         * @param value the labels up to the root, a host name
         * @throws IllegalArgumentException if it is not a host name
         */
        public Builder zone(DnsLabels value) {
            zone = Objects.requireNonNull(value, "zone").requireHostName();
            return this;
        }

        /**
         * Sets the TTL of records in seconds; {@link #DEFAULT_TTL_SECONDS} by default. Negative answers have the same TTL, but at
         * most {@link #MAX_NEGATIVE_TTL_SECONDS}.
         */
        public Builder ttlSeconds(long value) {
            ttlSeconds = value;
            return this;
        }

        /**
         * Sets the code of the EDNS option with the client's cluster; {@link SourceCluster#OPTION_CODE} by default.
         *
         * @param code 1 to 65535
         * @throws IllegalArgumentException if it is out of that range
         */
        public Builder sourceClusterOption(int code) {
            optionCode = SourceCluster.requireCode(code);
            return this;
        }

        /** Sets the addresses of the zone's name server, at least one; 127.0.0.1 by default. */
        public Builder nameServerAddresses(List<IpAddress> value) {
            nameServerAddresses = Copies.list("nameServerAddresses", value);
            return this;
        }

        /**
         * Sets the resolver of load balancers' host names. By default host names are not looked up, and a shard with only host
         * names has no address.
         *
         * @param value for example a {@link io.k8sdns.upstream.ForwardingResolver}; must have a timeout, because the answer waits
         *     for every lookup. Names without addresses are omitted
         */
        public Builder hostNames(DnsResolver value) {
            hostNames = Objects.requireNonNull(value, "hostNames");
            return this;
        }

        /**
         * Sets the observer of skipped keys, which receives the key and the reason. It is not called again if the store sends the
         * same key and value again.
         *
         * @param value called on the store's thread; must be fast
         */
        public Builder skipped(BiConsumer<? super String, ? super String> value) {
            skipped = Objects.requireNonNull(value, "skipped");
            return this;
        }

        /**
         * Returns the zone. The host must then add it to a store as a listener: {@link FederationStore#watch}.
         *
         * @throws IllegalArgumentException if the TTL is not in 0 to 2147483647
         */
        public FederatedZone build() {
            return new FederatedZone(this);
        }
    }
}
