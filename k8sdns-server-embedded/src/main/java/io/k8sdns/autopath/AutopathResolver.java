package io.k8sdns.autopath;

import io.k8sdns.arguments.Copies;
import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.autopath.AutopathObserver.Front;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.ClusterSearches;
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
import io.k8sdns.resolver.ResolverChain;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Walks the search list of a Pod on the server's side, so that a lookup costs one query for each type instead of one for each
 * search domain. Wraps another resolver, usually a {@link ResolverChain}; every front is off by default.
 *
 * <table>
 *   <caption>Which questions are expanded</caption>
 *   <tr><th>front</th><th>question</th><th>search list</th></tr>
 *   <tr><td>{@link Builder#byName name}</td><td>{@code BASE.search.NS.Z.ap.k8s.io}</td>
 *       <td>{@code NS.svc.Z}, {@code svc.Z}, {@code Z}, host searches</td></tr>
 *   <tr><td>{@link Builder#byOption option}</td><td>any name, with {@link SearchPaths} from a trusted client</td>
 *       <td>that of the option</td></tr>
 *   <tr><td>{@link Builder#byPod pod}</td><td>{@code BASE.NS.svc.Z} from a Pod of namespace {@code NS}</td>
 *       <td>as for name</td></tr>
 * </table>
 *
 * <p>{@code BASE} is looked up with each domain of the list appended and at last as it is, until a name exists. NODATA is an end,
 * too, so that A and AAAA agree. The answer is a CNAME from the name that was asked for to the one that exists, with the TTL of
 * the first record, and then its records; without a CNAME if both are equal. SERVFAIL and REFUSED are not an end; if no name
 * exists and one lookup failed, the answer is SERVFAIL. If none exists, it is NXDOMAIN with an SOA of the name that was asked for.
 * With the front <i>pod</i> it is in both cases the first answer, with which the client continues its own walk.
 *
 * <p>A base of a single label is never looked up as it is: it would go to upstream servers. Names of more than 255 bytes are
 * skipped, names below the suffix are never passed on (the inner resolver must not forward them for an alias, either), and there
 * are at most 37 lookups for one question. The lookups ask the
 * inner resolver with the same client, so that views and filters apply to the expanded names. Answers are not kept here; a cache
 * in front of this resolver must have the search list, or the namespace, in its key.
 *
 * <p>Questions that are not expanded keep the fast path of the inner resolver, except NXDOMAIN below the cluster domains with the
 * front <i>pod</i>, and messages with the option with the front <i>option</i>.
 *
 * <p>Source: the enhancement proposal "DNS Autopath in PodSpec". Unlike CoreDNS's <i>autopath</i>, the bare name is not looked up
 * if it has a single label, and the front <i>pod</i> does not expand the first search domain itself.
 */
public final class AutopathResolver implements DnsResolver {
    /** The loopback networks, whose clients are trusted by default. */
    private static final List<IpNetwork> LOOPBACK = List.of(IpNetwork.parse("127.0.0.0/8"), IpNetwork.parse("::1/128"));

    /** The bytes of an option's code and length. */
    private static final int OPTION_HEADER = 4;

    private static final DnsLabels ARPA = DnsLabels.of("arpa");

    /** The longest delay that a scheduler takes in nanoseconds. */
    private static final Duration MAX_DEADLINE = Duration.ofNanos(Long.MAX_VALUE);

    private final DnsResolver inner;
    private final Set<DnsLabels> clusterDomains;
    private final DnsLabels firstDomain;
    private final AutopathZone zone;
    private final boolean byName;
    private final int optionCode;
    private final @Nullable Predicate<? super Client> trusted;
    private final @Nullable Function<? super Client, Optional<String>> namespaces;
    private final List<DnsLabels> hostSearches;
    private final @Nullable Deadline deadline;
    private final AutopathObserver observer;
    private final LongSupplier nanoClock;

    /** How long an answer may take, and what measures it. */
    private record Deadline(Duration time, ScheduledExecutorService scheduler) {}

    private AutopathResolver(Builder builder) {
        this.inner = builder.inner;
        this.clusterDomains = Set.copyOf(builder.clusterDomains);
        this.firstDomain = builder.clusterDomains.get(0);
        this.zone = new AutopathZone(builder.suffix, builder.clusterDomains);
        this.byName = builder.byName;
        this.optionCode = builder.optionCode;
        this.trusted = builder.trusted;
        this.namespaces = builder.namespaces;
        this.hostSearches = builder.hostSearches;
        this.deadline = builder.deadline;
        this.observer = builder.observer;
        this.nanoClock = builder.nanoClock;
    }

    /** Returns a builder of a resolver that asks a chain, and whose cluster domains are the forward zones of the chain. */
    public static Builder builder(ResolverChain inner) {
        return builder(Objects.requireNonNull(inner, "inner"), inner.zones());
    }

    /**
     * Returns a builder of a resolver that asks another one.
     *
     * @param inner answers the names that are looked up; it throws nothing, as {@link DnsResolver} has it
     * @param clusterDomains the cluster domains, absolute; at least one, whose SOA the inner resolver answers
     * @throws IllegalArgumentException if there is none, or one is the root
     */
    public static Builder builder(DnsResolver inner, List<DnsLabels> clusterDomains) {
        return new Builder(Objects.requireNonNull(inner, "inner"), Copies.list("clusterDomains", clusterDomains));
    }

    @Override
    public Optional<DirectAnswers> direct() {
        return withoutExpanded(inner.direct());
    }

    @Override
    public Optional<DirectAnswers> direct(Client client) {
        return withoutExpanded(inner.direct(client));
    }

    /** Called for every message, so it allocates nothing. Names below the suffix are in no zone of the direct answers. */
    private Optional<DirectAnswers> withoutExpanded(Optional<DirectAnswers> all) {
        Optional<DirectAnswers> left = all;
        if (namespaces != null && left.isPresent()) {
            left = left.get().exceptMissingNames(clusterDomains);
        }
        if (trusted != null && left.isPresent()) {
            left = left.get().exceptOption(optionCode);
        }
        return left;
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        if (!hasSearchPaths(client)) {
            return resolve(question, client, Optional.empty());
        }
        Optional<SearchPaths> list;
        try {
            list = searchPaths(client);
        } catch (InvalidNameException noList) {
            String text = "EDNS option " + optionCode + " holds no search list: " + noList.getMessage();
            return new Resolution.Ready(Answer.failure(Rcode.FORMERR, new ExtendedError(ExtendedError.OTHER, text)));
        }
        return resolve(question, withoutSearchPaths(client), list);
    }

    private Resolution resolve(Question question, Client client, Optional<SearchPaths> list) {
        DnsLabels asked = question.labels();
        if (!isLookup(question)) {
            return byName && zone.contains(asked)
                    ? refused("only records of class IN are expanded")
                    : inner.resolve(question, client);
        }
        Optional<AutopathZone.Request> request = zone.parse(asked);
        if (request.isPresent() && (byName || list.isPresent())) {
            List<DnsLabels> paths = list.map(some -> some.paths(hostSearches))
                    .orElseGet(() -> paths(request.get().searches()));
            List<DnsLabels> names = names(request.get().base(), paths);
            Front front = list.isPresent() ? Front.OPTION : Front.NAME;
            return expand(front, question, client, plan(names, true, false, Optional.of(zone.suffix())));
        }
        if (byName && zone.contains(asked)) {
            return answerFromZone(question, client);
        }
        if (list.isPresent() && !asked.isEmpty()) {
            List<DnsLabels> names = names(asked, list.get().paths(hostSearches));
            return expand(Front.OPTION, question, client, plan(names, false, false, Optional.empty()));
        }
        Optional<List<DnsLabels>> podPaths = podPaths(asked, client);
        if (podPaths.isPresent()) {
            DnsLabels base = asked.first(asked.count() - podPaths.get().get(0).count());
            List<DnsLabels> names = names(base, podPaths.get());
            return expand(Front.POD, question, client, plan(names, true, true, Optional.empty()));
        }
        return inner.resolve(question, client);
    }

    private static boolean isLookup(Question question) {
        int type = question.type().number();
        return question.dnsClass() == DClass.IN && type != Type.AXFR && type != Type.IXFR;
    }

    private static Resolution refused(String text) {
        return new Resolution.Ready(
                Answer.failure(Rcode.REFUSED, new ExtendedError(ExtendedError.NOT_SUPPORTED, text)));
    }

    // ---- search lists ----

    private boolean hasSearchPaths(Client client) {
        return trusted != null && client.ednsOptions().stream().anyMatch(this::isSearchPaths);
    }

    /** Returns the client without the option, so that no resolver or server behind this one sees a search list. */
    private Client withoutSearchPaths(Client client) {
        return client.toBuilder()
                .ednsOptions(client.ednsOptions().stream()
                        .filter(option -> !isSearchPaths(option))
                        .toList())
                .build();
    }

    private boolean isSearchPaths(EDNSOption option) {
        return option.getCode() == optionCode;
    }

    /**
     * Returns the search list of a client that has the option; empty if the client is not trusted, or the version is not known.
     *
     * @throws InvalidNameException if the option holds no search list
     */
    private Optional<SearchPaths> searchPaths(Client client) {
        if (trusted == null || !trusted.test(client)) {
            return Optional.empty();
        }
        List<EDNSOption> options =
                client.ednsOptions().stream().filter(this::isSearchPaths).toList();
        if (options.size() > 1) {
            throw new InvalidNameException("it is there " + options.size() + " times");
        }
        byte[] option = options.get(0).toWire();
        return SearchPaths.parse(Arrays.copyOfRange(option, OPTION_HEADER, option.length));
    }

    private List<DnsLabels> paths(ClusterSearches searches) {
        return Stream.concat(searches.labels().stream(), hostSearches.stream()).toList();
    }

    /** Returns the search list of a Pod whose resolver has appended the first domain of it to a name; otherwise empty. */
    private Optional<List<DnsLabels>> podPaths(DnsLabels asked, Client client) {
        if (namespaces == null) {
            return Optional.empty();
        }
        Optional<DnsLabels> domain = zone.clusterDomain(asked);
        return domain.isEmpty()
                ? Optional.empty()
                : namespaces
                        .apply(client)
                        .filter(KubernetesNames::isDnsLabel)
                        .map(namespace -> paths(
                                new ClusterSearches(namespace, domain.get().toString())))
                        .filter(paths -> isBelowServices(asked, domain.get(), paths.get(0)));
    }

    /** A search domain that is too long for names is not in the list, so that the first one may be another. */
    private static boolean isBelowServices(DnsLabels asked, DnsLabels domain, DnsLabels first) {
        return first.count() == domain.count() + 2 && asked.endsWith(first) && asked.count() > first.count();
    }

    /** Returns the names to be looked up, each once. */
    private List<DnsLabels> names(DnsLabels base, List<DnsLabels> paths) {
        Set<DnsLabels> names = new LinkedHashSet<>();
        Stream.concat(paths.stream(), Stream.of(DnsLabels.EMPTY))
                .filter(base::fitsBelow)
                .map(base::append)
                .filter(name -> name.count() > 1 && !isPrivate(name))
                .forEach(names::add);
        return new ArrayList<>(names);
    }

    /** Names below the suffix are not passed on: a name that was expanded once is not expanded again. */
    private boolean isPrivate(DnsLabels name) {
        return (byName || trusted != null) && zone.contains(name);
    }

    private Expansion.Plan plan(
            List<DnsLabels> names, boolean authoritative, boolean keepsFirst, Optional<DnsLabels> apex) {
        return new Expansion.Plan(names, authoritative, keepsFirst, apex, firstDomain);
    }

    // ---- answers ----

    /** Answers a name of the suffix that is not to be expanded: the SOA, NODATA above such names, NXDOMAIN. */
    private Resolution answerFromZone(Question question, Client client) {
        DnsLabels asked = question.labels();
        return NegativeSoa.ask(inner, firstDomain, client, soa -> {
            boolean isSoa = asked.equals(zone.suffix()) && question.type().number() == Type.SOA;
            Answer.Builder answer = Answer.builder(zone.exists(asked) ? Rcode.NOERROR : Rcode.NXDOMAIN)
                    .authoritative()
                    .recursionAvailable(soa.recursionAvailable());
            List<RecordSet> record = List.of(NegativeSoa.at(zone.suffix(), soa));
            return (isSoa ? answer.answer(record) : answer.authority(record)).build();
        });
    }

    private Resolution expand(Front front, Question question, Client client, Expansion.Plan plan) {
        long start = nanoClock.getAsLong();
        Expansion expansion = new Expansion(inner, question, client, plan);
        Resolution walk = expansion.walk();
        Resolution result = walk instanceof Resolution.Ready || deadline == null
                ? walk
                : new Resolution.Pending(limited(walk.toStage(), expansion, deadline));
        return result.then(answer -> {
            observer.expanded(front, expansion.lookups(), answer.status(), nanoClock.getAsLong() - start);
            return new Resolution.Ready(answer);
        });
    }

    private static CompletionStage<Answer> limited(
            CompletionStage<Answer> walk, Expansion expansion, Deadline deadline) {
        CompletableFuture<Answer> result = new CompletableFuture<>();
        walk.whenComplete((answer, failure) -> {
            if (failure == null) {
                result.complete(answer);
            } else {
                result.completeExceptionally(failure);
            }
        });
        if (result.isDone()) {
            return result;
        }
        try {
            ScheduledFuture<?> timer = deadline.scheduler()
                    .schedule(
                            (Runnable) () -> result.complete(expansion.expire()),
                            deadline.time().toNanos(),
                            TimeUnit.NANOSECONDS);
            CompletableFuture<Answer> unused = result.whenComplete((any, failure) -> timer.cancel(false));
        } catch (RejectedExecutionException shutDown) {
            // Without a deadline the client could wait for ever.
            result.complete(expansion.expire());
        }
        return result;
    }

    /** Collects what a resolver needs. */
    public static final class Builder {
        private final DnsResolver inner;
        private final List<DnsLabels> clusterDomains;
        private DnsLabels suffix = DnsLabels.parse(ClusterSearches.AUTOPATH_SUFFIX);
        private boolean byName;
        private int optionCode = SearchPaths.OPTION_CODE;
        private @Nullable Predicate<? super Client> trusted;
        private @Nullable Function<? super Client, Optional<String>> namespaces;
        private List<DnsLabels> hostSearches = List.of();
        private @Nullable Deadline deadline;
        private AutopathObserver observer = AutopathObserver.NONE;
        private LongSupplier nanoClock = () -> 0;

        private Builder(DnsResolver inner, List<DnsLabels> clusterDomains) {
            this.inner = inner;
            this.clusterDomains = clusterDomains;
            if (clusterDomains.isEmpty() || clusterDomains.contains(DnsLabels.EMPTY)) {
                throw new IllegalArgumentException("at least one cluster domain, none the root: " + clusterDomains);
            }
        }

        /**
         * Sets the suffix of the names that the server expands, for the fronts <i>name</i> and <i>option</i>; {@code ap.k8s.io}
         * unless set.
         *
         * @param value the suffix, absolute; it neither lies in a cluster domain or in {@code arpa}, nor around a cluster domain
         */
        public Builder suffix(DnsLabels value) {
            suffix = Objects.requireNonNull(value, "suffix");
            return this;
        }

        /**
         * Expands {@code BASE.search.NS.Z.SUFFIX}. The resolver is then authoritative for the suffix: it answers every name of it,
         * and passes none on.
         */
        public Builder byName() {
            byName = true;
            return this;
        }

        /** Expands names by the {@link SearchPaths} of queries from loopback addresses; those of other clients are ignored. */
        public Builder byOption() {
            return byOption(LOOPBACK);
        }

        /**
         * Expands names by the {@link SearchPaths} of queries from some networks; those of other clients, and of clients without
         * an address, are ignored.
         */
        public Builder byOption(List<IpNetwork> networks) {
            List<IpNetwork> all = Copies.list("byOption", networks);
            return byOption((Client client) -> client.address()
                    .map(InetSocketAddress::getAddress)
                    .map(address -> IpAddress.ofBytes(address.getAddress()))
                    .filter(address -> all.stream().anyMatch(network -> network.contains(address)))
                    .isPresent());
        }

        /**
         * Expands names by the {@link SearchPaths} of queries from trusted clients, usually the caches of nodes. Data that are no
         * search list are FORMERR. The option of any other client is ignored. None is passed to the inner resolver.
         *
         * <p>A name of the suffix is expanded without its end, any other as it is.
         *
         * @param clients whether a client is trusted; called by every thread that answers, so it must be quick
         */
        public Builder byOption(Predicate<? super Client> clients) {
            trusted = Objects.requireNonNull(clients, "byOption");
            return this;
        }

        /**
         * Sets the code of the option; {@link SearchPaths#OPTION_CODE} unless set.
         *
         * @param code 1 to 65535; 15 is that of extended errors and only for experiments
         * @throws IllegalArgumentException if it is out of that range
         */
        public Builder optionCode(int code) {
            if (code < 1 || code > 0xFFFF) {
                throw new IllegalArgumentException("not an option code (1 to 65535): " + code);
            }
            optionCode = code;
            return this;
        }

        /** Expands names below {@code NS.svc.Z} for clients whose namespace the host knows: {@link Client#namespace}. */
        public Builder byPod() {
            return byPod(Client::namespace);
        }

        /**
         * Expands names below {@code NS.svc.Z} for clients in namespace {@code NS}. Names that equal it, and names of any other
         * client, are not expanded.
         *
         * @param finder returns the namespace of a client; empty if it is not certain, as for an address that several Pods or the
         *     node share. Called by every thread that answers, so it must be quick
         */
        public Builder byPod(Function<? super Client, Optional<String>> finder) {
            namespaces = Objects.requireNonNull(finder, "byPod");
            return this;
        }

        /**
         * Sets the search domains of the nodes, which follow those of the cluster; none unless set. The root is ignored, since the
         * bare name is looked up anyway.
         *
         * @param domains at most 32, as many as a Pod has
         * @throws IllegalArgumentException if there are more
         */
        public Builder hostSearches(List<DnsLabels> domains) {
            hostSearches = Copies.list("hostSearches", domains).stream()
                    .filter(domain -> !domain.isEmpty())
                    .toList();
            if (hostSearches.size() > SearchPaths.MAX_PATHS) {
                throw new IllegalArgumentException(
                        hostSearches.size() + " host searches, at most " + SearchPaths.MAX_PATHS + " are allowed");
            }
            return this;
        }

        /**
         * Sets how long the expansion of one question may take; no limit unless set. At the deadline the answer is SERVFAIL, or with
         * the front <i>pod</i> the first answer, and no further name is looked up.
         *
         * @param time more than zero and at most 292 years; less than the timeout of clients, usually five seconds
         * @param scheduler runs what happens at the deadline, which is brief but for sending the answer; the host's to shut down,
         *     after which every expansion that is not ready at once has reached its deadline
         * @throws IllegalArgumentException if the time is out of that range
         */
        public Builder deadline(Duration time, ScheduledExecutorService scheduler) {
            Objects.requireNonNull(time, "time");
            Objects.requireNonNull(scheduler, "scheduler");
            if (time.isNegative() || time.isZero() || time.compareTo(MAX_DEADLINE) > 0) {
                throw new IllegalArgumentException("deadline must be more than zero and at most 292 years: " + time);
            }
            deadline = new Deadline(time, scheduler);
            return this;
        }

        /**
         * Sets what receives the result of each expansion; {@link AutopathObserver#NONE} unless set.
         *
         * @param value the observer
         * @param nanoseconds measures how long each took, {@code System::nanoTime} for example
         */
        public Builder observer(AutopathObserver value, LongSupplier nanoseconds) {
            observer = Objects.requireNonNull(value, "value");
            nanoClock = Objects.requireNonNull(nanoseconds, "nanoseconds");
            return this;
        }

        /**
         * Returns the resolver.
         *
         * @throws IllegalArgumentException if the suffix is the root, lies in a cluster domain or in {@code arpa}, or a cluster
         *     domain lies in it: names would belong to both
         */
        public AutopathResolver build() {
            for (DnsLabels domain : clusterDomains) {
                if (suffix.endsWith(domain) || domain.endsWith(suffix)) {
                    throw new IllegalArgumentException("autopath suffix " + suffix + " and cluster domain " + domain
                            + " lie in one another: choose another suffix");
                }
            }
            if (suffix.endsWith(ARPA)) {
                throw new IllegalArgumentException("autopath suffix in arpa: " + suffix);
            }
            return new AutopathResolver(this);
        }
    }
}
