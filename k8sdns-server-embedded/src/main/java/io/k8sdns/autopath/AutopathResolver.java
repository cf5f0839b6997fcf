package io.k8sdns.autopath;

import io.k8sdns.arguments.Copies;
import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.autopath.AutopathObserver.Mode;
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
import io.k8sdns.schema.NameSchema;
import io.k8sdns.upstream.Deadline;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Expands a Pod's search list on the server, so that the Pod sends one query for each type instead of one for each search domain.
 * Wraps another resolver, usually a {@link ResolverChain}. A <i>mode</i> is a way to recognize such questions and to find the
 * search list; every mode is disabled by default.
 *
 * <table>
 *   <caption>Which questions are expanded</caption>
 *   <tr><th>mode</th><th>question</th><th>search list</th></tr>
 *   <tr><td>{@link Builder#byName name}</td><td>{@code BASE.search.NS.Z.ap.k8s.io}</td>
 *       <td>{@code NS.svc.Z}, {@code svc.Z}, {@code Z}, host searches</td></tr>
 *   <tr><td>{@link Builder#byOption option}</td><td>any name, with {@link SearchPaths} from a trusted client</td>
 *       <td>that of the option</td></tr>
 *   <tr><td>{@link Builder#byPod pod}</td><td>{@code BASE.NS.svc.Z} from a Pod of namespace {@code NS}</td>
 *       <td>as for name</td></tr>
 *   <tr><td>{@link Builder#byPod(List) pod, with a fixed list}</td><td>{@code BASE.FIRST}, where {@code FIRST} is the first domain of the
 *       list, from any client</td><td>the fixed list</td></tr>
 * </table>
 *
 * <p>The resolver looks up {@code BASE} with each domain of the list appended, and finally without a domain, until a name exists.
 * It also stops at NODATA, so that A and AAAA have the same target. The answer is a CNAME from the question's name to the name
 * that exists, with the TTL of the first record, and then that name's records; without a CNAME if both names are equal. The
 * resolver continues after SERVFAIL and REFUSED; if no name exists and a lookup failed, the answer is SERVFAIL. If no name exists
 * and no lookup failed, the answer is NXDOMAIN with an SOA for the question's name. In the mode <i>pod</i> the answer is in both
 * cases the first one, after which the client continues with its own search list.
 *
 * <p>A base with a single label is never looked up without a domain, because it would be forwarded to upstream servers. Names of
 * more than 255 bytes are skipped. There are at most 37 lookups for one question. The inner resolver gets the same client, so that
 * views and filters apply to the expanded names. This resolver caches nothing; a cache in front of it must have the search list, or the
 * namespace, in its key.
 *
 * <p>In the modes <i>name</i> and <i>option</i>, names below the suffix reach no upstream server: this resolver passes none to the inner
 * resolver, and appends no search domain to a base that contains the suffix. A {@link ResolverChain} that it wraps does not forward
 * such names that are targets of aliases.
 *
 * <p>Questions that are not expanded keep the fast path of the inner resolver. Exceptions: NXDOMAIN below the cluster domains if the
 * mode <i>pod</i> is enabled, and messages with the option if the mode <i>option</i> is.
 *
 * <p>Source: the enhancement proposal "DNS Autopath in PodSpec". Unlike CoreDNS's <i>autopath</i>, this resolver does not
 * look up the bare name if it has a single label, and does not expand a name that equals the first search domain.
 */
public final class AutopathResolver implements DnsResolver {
    /** The loopback networks, whose clients are trusted by default. */
    private static final List<IpNetwork> LOOPBACK = List.of(IpNetwork.parse("127.0.0.0/8"), IpNetwork.parse("::1/128"));

    /** The length of an option's code and length fields, in bytes. */
    private static final int OPTION_HEADER = 4;

    private final boolean byName;
    private final @Nullable Predicate<? super Client> trusted;

    /** Whether a mode that uses the suffix is enabled, so that names below it are private. */
    private final boolean usesSuffix;

    private final DnsResolver inner;
    private final Set<DnsLabels> clusterDomains;
    private final DnsLabels firstDomain;
    private final AutopathZone zone;
    private final int optionCode;
    private final @Nullable Function<? super Client, Optional<String>> namespaces;

    /** The search list of all clients in the mode <i>pod</i>; empty if each has that of its namespace. */
    private final List<DnsLabels> podSearches;

    /** The first domain of that list. */
    private final Set<DnsLabels> firstPodSearch;

    private final List<DnsLabels> hostSearches;
    private final @Nullable Deadline deadline;
    private final AutopathObserver observer;
    private final LongSupplier nanoClock;

    private AutopathResolver(Builder builder) {
        this.byName = builder.byName;
        this.trusted = builder.trusted;
        this.usesSuffix = byName || trusted != null;
        this.inner = usesSuffix ? builder.innerWithoutForwarding.apply(builder.suffix) : builder.inner;
        this.clusterDomains = Set.copyOf(builder.clusterDomains);
        this.firstDomain = builder.clusterDomains.get(0);
        this.zone = new AutopathZone(builder.suffix, builder.clusterDomains);
        this.optionCode = builder.optionCode;
        this.namespaces = builder.namespaces;
        this.podSearches = builder.podSearches;
        this.firstPodSearch = Set.copyOf(podSearches.subList(0, Math.min(1, podSearches.size())));
        this.hostSearches = builder.hostSearches;
        this.deadline = builder.deadline;
        this.observer = builder.observer;
        this.nanoClock = builder.nanoClock;
    }

    /**
     * Returns a builder of a resolver that wraps a chain. Its cluster domains are the forward zones of the chain. The chain does not
     * forward names below the suffix, see {@link ResolverChain#withoutForwarding}.
     */
    public static Builder builder(ResolverChain inner) {
        return new Builder(Objects.requireNonNull(inner, "inner"), inner::withoutForwarding, inner.zones());
    }

    /**
     * Returns a builder of a resolver that wraps another one.
     *
     * @param inner answers the lookups; throws nothing, as {@link DnsResolver} requires. If it decorates a {@link ResolverChain}, give
     *     the chain {@link ResolverChain#withoutForwarding} of the suffix, so that it does not forward targets of aliases below it
     * @param clusterDomains the cluster domains, absolute; at least one. The inner resolver must answer questions for their SOA
     * @throws IllegalArgumentException if there is none, or one is the root
     */
    public static Builder builder(DnsResolver inner, List<DnsLabels> clusterDomains) {
        return new Builder(
                Objects.requireNonNull(inner, "inner"), any -> inner, Copies.list("clusterDomains", clusterDomains));
    }

    @Override
    public Optional<DirectAnswers> direct() {
        return withoutExpanded(inner.direct());
    }

    @Override
    public Optional<DirectAnswers> direct(Client client) {
        return withoutExpanded(inner.direct(client));
    }

    /**
     * Excludes answers that this resolver may change. Names below the suffix need no exclusion, because they are in no zone of the
     * direct answers. Called for every message, so it allocates nothing.
     */
    private Optional<DirectAnswers> withoutExpanded(Optional<DirectAnswers> all) {
        Optional<DirectAnswers> unchanged = all;
        if (namespaces != null && unchanged.isPresent()) {
            unchanged = unchanged.get().exceptMissingNames(clusterDomains);
        }
        if (!firstPodSearch.isEmpty() && unchanged.isPresent()) {
            unchanged = unchanged.get().exceptMissingNamesBelow(firstPodSearch);
        }
        if (trusted != null && unchanged.isPresent()) {
            unchanged = unchanged.get().exceptOption(optionCode);
        }
        return unchanged;
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
            return isPrivate(asked)
                    ? refused(ExtendedError.NOT_SUPPORTED, "only records of class IN are expanded")
                    : inner.resolve(question, client);
        }
        Optional<AutopathZone.Request> request = zone.parse(asked);
        if (request.isPresent() && (byName || list.isPresent())) {
            List<DnsLabels> paths = list.map(some -> some.paths(hostSearches))
                    .orElseGet(() -> paths(request.get().searches()));
            List<DnsLabels> names = names(request.get().base(), paths);
            Mode mode = list.isPresent() ? Mode.OPTION : Mode.NAME;
            return expand(mode, question, client, plan(names, true, false, Optional.of(zone.suffix())));
        }
        if (byName && zone.contains(asked)) {
            return answerFromZone(question, client);
        }
        if (isPrivate(asked)) {
            return refused(ExtendedError.NOT_AUTHORITATIVE, question.name() + " is not served by this server");
        }
        if (list.isPresent() && !asked.isEmpty()) {
            List<DnsLabels> names = names(asked, list.get().paths(hostSearches));
            return expand(Mode.OPTION, question, client, plan(names, false, false, Optional.empty()));
        }
        Optional<List<DnsLabels>> podPaths = podPaths(asked, client);
        if (podPaths.isEmpty()) {
            return inner.resolve(question, client);
        }
        DnsLabels base = asked.first(asked.count() - podPaths.get().get(0).count());
        if (containsSuffix(base)) {
            return inner.resolve(question, client);
        }
        List<DnsLabels> names = names(base, podPaths.get());
        boolean isServed = zone.clusterDomain(asked).isPresent();
        return expand(Mode.POD, question, client, plan(names, isServed, true, Optional.empty()));
    }

    private static boolean isLookup(Question question) {
        int type = question.type().number();
        return question.dnsClass() == DClass.IN && type != Type.AXFR && type != Type.IXFR;
    }

    private static Resolution refused(int code, String text) {
        return new Resolution.Ready(Answer.failure(Rcode.REFUSED, new ExtendedError(code, text)));
    }

    // ---- search lists ----

    private boolean hasSearchPaths(Client client) {
        return trusted != null && client.ednsOptions().stream().anyMatch(this::isSearchPaths);
    }

    /** Returns the client without the option, so that the inner resolver and upstream servers do not see the search list. */
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
     * Returns the search list in the client's option; empty if the client is not trusted, or the version is unknown.
     *
     * @throws InvalidNameException if the option does not hold a search list
     */
    private Optional<SearchPaths> searchPaths(Client client) {
        if (trusted == null || !trusted.test(client)) {
            return Optional.empty();
        }
        List<EDNSOption> options =
                client.ednsOptions().stream().filter(this::isSearchPaths).toList();
        if (options.size() > 1) {
            throw new InvalidNameException("given " + options.size() + " times; send it once");
        }
        byte[] option = options.get(0).toWire();
        return SearchPaths.parse(Arrays.copyOfRange(option, OPTION_HEADER, option.length));
    }

    private List<DnsLabels> paths(ClusterSearches searches) {
        return Stream.concat(searches.labels().stream(), hostSearches.stream()).toList();
    }

    /** Returns the search list of the client's Pod if the name ends with the first domain of that list, otherwise empty. */
    private Optional<List<DnsLabels>> podPaths(DnsLabels asked, Client client) {
        if (!podSearches.isEmpty()) {
            return Optional.of(podSearches).filter(paths -> isBelow(asked, paths.get(0)));
        }
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

    /**
     * Returns whether a name lies below the first search domain, and this is the domain of the namespace. The list begins with
     * another domain if that of the namespace is too long.
     */
    private static boolean isBelowServices(DnsLabels asked, DnsLabels domain, DnsLabels first) {
        return first.count() == domain.count() + 2 && isBelow(asked, first);
    }

    private static boolean isBelow(DnsLabels name, DnsLabels domain) {
        return name.endsWith(domain) && name.count() > domain.count();
    }

    /**
     * Returns the names to look up, each once; empty for a base below the suffix. A base that contains the suffix is not combined with
     * search domains: a client has appended its own to a name of the suffix, and the search domains of nodes are forwarded.
     */
    private List<DnsLabels> names(DnsLabels base, List<DnsLabels> paths) {
        Set<DnsLabels> names = new LinkedHashSet<>();
        Stream<DnsLabels> searches = containsSuffix(base) ? Stream.empty() : paths.stream();
        Stream.concat(searches, Stream.of(DnsLabels.EMPTY))
                .filter(base::fitsBelow)
                .map(base::append)
                .filter(name -> name.count() > 1 && !isPrivate(name))
                .forEach(names::add);
        return new ArrayList<>(names);
    }

    /** Returns whether a name lies below the suffix and is never passed to the inner resolver. */
    private boolean isPrivate(DnsLabels name) {
        return usesSuffix && zone.contains(name);
    }

    /** Returns whether the last labels of a name are the suffix, or the suffix and further labels. */
    private boolean containsSuffix(DnsLabels name) {
        return usesSuffix
                && IntStream.rangeClosed(1, name.count()).mapToObj(name::first).anyMatch(zone::contains);
    }

    private Expansion.Plan plan(
            List<DnsLabels> names, boolean authoritative, boolean keepsFirst, Optional<DnsLabels> apex) {
        return new Expansion.Plan(names, authoritative, keepsFirst, apex, firstDomain);
    }

    // ---- answers ----

    /** Answers for a name of the suffix that is not expanded: SOA, NODATA if names to expand lie below it, or NXDOMAIN. */
    private Resolution answerFromZone(Question question, Client client) {
        DnsLabels asked = question.labels();
        return NegativeSoa.resolve(inner, firstDomain, client, soa -> {
            boolean isSoa = asked.equals(zone.suffix()) && question.type().number() == Type.SOA;
            Answer.Builder answer = Answer.builder(zone.exists(asked) ? Rcode.NOERROR : Rcode.NXDOMAIN)
                    .authoritative()
                    .recursionAvailable(soa.recursionAvailable());
            List<RecordSet> record = List.of(NegativeSoa.at(zone.suffix(), soa));
            return (isSoa ? answer.answer(record) : answer.authority(record)).build();
        });
    }

    private Resolution expand(Mode mode, Question question, Client client, Expansion.Plan plan) {
        long start = nanoClock.getAsLong();
        Expansion expansion = new Expansion(inner, question, client, plan);
        Resolution resolution = expansion.resolve();
        Resolution result = resolution instanceof Resolution.Ready || deadline == null
                ? resolution
                : new Resolution.Pending(deadline.limit(resolution.toStage(), late -> expansion.expire()));
        return result.then(answer -> {
            observer.expanded(mode, expansion.lookups(), answer.status(), nanoClock.getAsLong() - start);
            return new Resolution.Ready(answer);
        });
    }

    /** Collects the settings of a resolver. */
    public static final class Builder {
        private final DnsResolver inner;

        /** Returns the inner resolver without forwarding of one domain. */
        private final Function<DnsLabels, DnsResolver> innerWithoutForwarding;

        private final List<DnsLabels> clusterDomains;
        private DnsLabels suffix = DnsLabels.parse(ClusterSearches.AUTOPATH_SUFFIX);
        private boolean byName;
        private int optionCode = SearchPaths.OPTION_CODE;
        private @Nullable Predicate<? super Client> trusted;
        private @Nullable Function<? super Client, Optional<String>> namespaces;
        private List<DnsLabels> podSearches = List.of();
        private List<DnsLabels> hostSearches = List.of();
        private @Nullable Deadline deadline;
        private AutopathObserver observer = AutopathObserver.NONE;
        private LongSupplier nanoClock = () -> 0;

        private Builder(
                DnsResolver inner,
                Function<DnsLabels, DnsResolver> innerWithoutForwarding,
                List<DnsLabels> clusterDomains) {
            this.inner = inner;
            this.innerWithoutForwarding = innerWithoutForwarding;
            this.clusterDomains = clusterDomains;
            if (clusterDomains.isEmpty() || clusterDomains.contains(DnsLabels.EMPTY)) {
                throw new IllegalArgumentException("at least one cluster domain, none the root: " + clusterDomains);
            }
        }

        /**
         * Sets the suffix of the names to expand, for the modes <i>name</i> and <i>option</i>; {@code ap.k8s.io} by default.
         *
         * @param value the suffix, absolute; in these modes it must not lie in a cluster domain or in {@code arpa}, and must not
         *     contain a cluster domain
         */
        public Builder suffix(DnsLabels value) {
            suffix = Objects.requireNonNull(value, "suffix");
            return this;
        }

        /**
         * Enables the mode <i>name</i>: expands {@code BASE.search.NS.Z.SUFFIX}. The resolver is then authoritative for the suffix:
         * it answers for every name of it, and passes none to the inner resolver.
         */
        public Builder byName() {
            byName = true;
            return this;
        }

        /**
         * Enables the mode <i>option</i>: expands names by the {@link SearchPaths} of queries from loopback addresses. Ignores the
         * option of other clients.
         */
        public Builder byOption() {
            return byOption(LOOPBACK);
        }

        /**
         * Enables the mode <i>option</i>: expands names by the {@link SearchPaths} of queries from some networks. Ignores the option
         * of other clients, and of clients without an address.
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
         * Enables the mode <i>option</i>: expands names by the {@link SearchPaths} of queries from trusted clients, usually node
         * caches. Answers FORMERR if the option does not hold a search list. Ignores the option of other clients. Never passes the
         * option to the inner resolver.
         *
         * <p>In a name {@code BASE.search.NS.Z.SUFFIX}, only {@code BASE} is expanded; any other name is expanded as a whole.
         *
         * @param clients whether a client is trusted; every thread that answers calls it, so it must be fast
         */
        public Builder byOption(Predicate<? super Client> clients) {
            trusted = Objects.requireNonNull(clients, "byOption");
            return this;
        }

        /**
         * Sets the code of the option; {@link SearchPaths#OPTION_CODE} by default.
         *
         * @param code 1 to 65535; 15 is the code of extended errors, use it only for experiments
         * @throws IllegalArgumentException if it is out of that range
         */
        public Builder optionCode(int code) {
            if (code < 1 || code > 0xFFFF) {
                throw new IllegalArgumentException("not an option code (1 to 65535): " + code);
            }
            optionCode = code;
            return this;
        }

        /**
         * Enables the mode <i>pod</i>: expands names below {@code NS.svc.Z} for clients with a {@link Client#namespace}. See {@link
         * #byPod(Function)} for its limits.
         */
        public Builder byPod() {
            return byPod(Client::namespace);
        }

        /**
         * Enables the mode <i>pod</i>: expands names below {@code NS.svc.Z} for clients in namespace {@code NS}. Does not expand
         * {@code NS.svc.Z} itself.
         *
         * <p>Limits: if the namespace is found by the client's address, and the address of a deleted Pod is reused before the deletion is
         * known, questions of the new Pod are expanded by the namespace of the deleted one. Not for Pods without the usual search list of
         * their namespace, which would find names that they do not look up themselves: with {@code dnsPolicy} None or Default, with
         * search domains in {@code dnsConfig}, and on Windows, which has only the first search domain. {@link PodNamespaces} returns no
         * namespace for them.
         *
         * @param finder returns the namespace of a client, for example {@link PodNamespaces#of}; empty if it is uncertain, for example
         *     for an address that several Pods or the node share, and for Pods with another search list. Every thread that answers calls
         *     it, so it must be fast
         */
        public Builder byPod(Function<? super Client, Optional<String>> finder) {
            namespaces = Objects.requireNonNull(finder, "byPod");
            podSearches = List.of();
            return this;
        }

        /**
         * Enables the mode <i>pod</i> with one search list for all clients, as CoreDNS's {@code autopath FILE}: expands names below the
         * first domain of the list, but not that domain itself. Needs no Pods. Replaces {@link #byPod(Function)}, and is replaced by it.
         *
         * <p>Limits: only for a server whose clients all have this list, for example machines outside the cluster. A client with another
         * list that looks up a name below the first domain can find names that it does not look up itself. Views and filters apply to
         * the expanded names as in the other modes.
         *
         * @param searches the whole list in order, at least one domain and at most 32; {@link #hostSearches} are not added to it. The
         *     root is ignored, because the bare name is looked up anyway
         * @throws IllegalArgumentException if there is none, or there are more
         */
        public Builder byPod(List<DnsLabels> searches) {
            List<DnsLabels> domains = withoutRoot("byPod", searches);
            if (domains.isEmpty()) {
                throw new IllegalArgumentException("a search list needs at least one domain");
            }
            podSearches = domains;
            namespaces = null;
            return this;
        }

        /**
         * Sets the search domains of the nodes, which follow those of the cluster; none by default. The root is ignored, because the
         * bare name is looked up anyway.
         *
         * @param domains at most 32, the limit of a Pod's search list
         * @throws IllegalArgumentException if there are more
         */
        public Builder hostSearches(List<DnsLabels> domains) {
            hostSearches = withoutRoot("hostSearches", domains);
            return this;
        }

        private static List<DnsLabels> withoutRoot(String parameter, List<DnsLabels> domains) {
            List<DnsLabels> searches = Copies.list(parameter, domains).stream()
                    .filter(domain -> !domain.isEmpty())
                    .toList();
            if (searches.size() > SearchPaths.MAX_PATHS) {
                throw new IllegalArgumentException(
                        searches.size() + " search domains, at most " + SearchPaths.MAX_PATHS + " are allowed");
            }
            return searches;
        }

        /**
         * Sets the longest duration of the expansion of one question; no limit by default. At the deadline the answer is SERVFAIL, or
         * in the mode <i>pod</i> the first answer, and the expansion ends.
         *
         * @param time more than zero and at most 292 years; choose less than the timeout of clients, usually five seconds
         * @param scheduler runs a short task at the deadline, which also sends the answer. The host must shut it down; after that
         *     every expansion that is not ready immediately is treated as expired
         * @throws IllegalArgumentException if the time is out of that range
         */
        public Builder deadline(Duration time, ScheduledExecutorService scheduler) {
            deadline = new Deadline(time, scheduler);
            return this;
        }

        /**
         * Sets the observer of expansions; {@link AutopathObserver#NONE} by default.
         *
         * @param value the observer
         * @param nanoseconds the clock that measures their duration, for example {@code System::nanoTime}
         */
        public Builder observer(AutopathObserver value, LongSupplier nanoseconds) {
            observer = Objects.requireNonNull(value, "value");
            nanoClock = Objects.requireNonNull(nanoseconds, "nanoseconds");
            return this;
        }

        /**
         * Returns the resolver.
         *
         * @throws IllegalArgumentException if a mode uses the suffix, and the suffix is the root, lies in a cluster domain or in
         *     {@code arpa}, or contains a cluster domain, because names would belong to both
         */
        public AutopathResolver build() {
            if (byName || trusted != null) {
                checkSuffix();
            }
            return new AutopathResolver(this);
        }

        private void checkSuffix() {
            for (DnsLabels domain : clusterDomains) {
                if (suffix.endsWith(domain) || domain.endsWith(suffix)) {
                    throw new IllegalArgumentException("autopath suffix " + suffix + " and cluster domain " + domain
                            + " lie in one another: choose another suffix");
                }
            }
            if (suffix.endsWith(NameSchema.ARPA)) {
                throw new IllegalArgumentException(
                        "autopath suffix " + suffix + " lies in arpa: choose another suffix");
            }
        }
    }
}
