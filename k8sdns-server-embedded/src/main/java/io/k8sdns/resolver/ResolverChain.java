package io.k8sdns.resolver;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.RevisionView;
import io.k8sdns.zone.ZoneRevision;
import io.k8sdns.zone.ZoneView;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Rcode;

/**
 * Combines all resolvers of a server:
 *
 * <pre>
 *   AliasChaser( Catalog(
 *       "cluster.local."  -> ClusterResolver      one for each forward zone
 *       "in-addr.arpa."   -> ClusterResolver      one for each reverse zone, for the addresses that are served
 *       "."               -> the upstream resolver, for example a ForwardingResolver; without one, REFUSED
 *   ))
 * </pre>
 *
 * <p>In a zone of {@link #withFallthrough}, the upstream resolver answers questions that would be NXDOMAIN. Names in a domain of {@link
 * #withoutForwarding} never reach it.
 *
 * <p>Each answer is taken from a single revision of the zone, including aliases, addresses of SRV targets and the SOA. RA is set on
 * every answer if there is an upstream resolver, otherwise on none.
 */
public final class ResolverChain implements DnsResolver {
    /** Refuses all names. */
    private static final DnsResolver NOTHING = Catalog.builder().build();

    private final ZoneView view;
    private final Optional<DnsResolver> upstream;
    private final Fallthrough fallthrough;
    private final Set<DnsLabels> unforwarded;

    /** The resolvers of the last revision that was used; replaced when the zone has changed. */
    private volatile Pinned pinned;

    private ResolverChain(
            ZoneView view, Optional<DnsResolver> upstream, Fallthrough fallthrough, Set<DnsLabels> unforwarded) {
        this.view = view;
        this.upstream = upstream;
        this.fallthrough = fallthrough;
        this.unforwarded = unforwarded;
        this.pinned = new Pinned(view.zone().state(), view.zone().current());
    }

    /**
     * Returns the chain of a zone, without an upstream resolver. Every name of the zone is SERVFAIL while {@link ClusterZone#state}
     * is {@link SyncState#SYNCING}; every other name is REFUSED.
     */
    public static ResolverChain of(ClusterZone zone) {
        return of(Objects.requireNonNull(zone, "zone").view(Visibility.ALL));
    }

    /**
     * Returns the chain of a zone as some clients see it, like {@link #of(ClusterZone)}; {@link DnsResolver#byClient} selects one of
     * several chains.
     */
    public static ResolverChain of(ZoneView view) {
        return new ResolverChain(Objects.requireNonNull(view, "view"), Optional.empty(), Fallthrough.NONE, Set.of());
    }

    /**
     * Returns the same chain with a resolver for the names that the zone does not serve.
     *
     * <p>By default the zone serves the reverse names of all addresses. To forward those outside the cluster, set the networks of the
     * cluster: {@link io.k8sdns.records.ZoneSettings#reverseZones}.
     *
     * @param resolver answers these names, usually by forwarding: {@link io.k8sdns.upstream.ForwardingResolver}
     */
    public ResolverChain withUpstream(DnsResolver resolver) {
        return new ResolverChain(
                view, Optional.of(Objects.requireNonNull(resolver, "resolver")), fallthrough, unforwarded);
    }

    /**
     * Returns the same chain with zones whose missing names are resolved upstream: the answer of the {@link #withUpstream} resolver
     * replaces their NXDOMAIN. NODATA remains, also for names that exist only because a name below them does, and so does the
     * SERVFAIL of a zone that is not synced. Has no effect without an upstream resolver.
     *
     * @param zones names of served forward and reverse zones; replaces those of an earlier call
     * @throws IllegalArgumentException if one of them is not served; the message contains its name
     */
    public ResolverChain withFallthrough(Set<DnsLabels> zones) {
        return withFallthrough(zones, any -> true);
    }

    /**
     * Returns the same chain with zones some of whose missing names are resolved upstream; see {@link #withFallthrough(Set)}. For an
     * upstream resolver that does not forward every name, and would refuse the others.
     *
     * @param zones names of served forward and reverse zones; replaces those of an earlier call
     * @param isForwarded returns whether the upstream resolver has servers for a question; NXDOMAIN remains if not. Called by any
     *     thread
     * @throws IllegalArgumentException if one of the zones is not served; the message contains its name
     */
    public ResolverChain withFallthrough(Set<DnsLabels> zones, Predicate<? super Question> isForwarded) {
        Objects.requireNonNull(isForwarded, "isForwarded");
        Set<DnsLabels> some = Copies.set("zones", zones);
        ZoneSettings settings = view.zone().current().settings();
        for (DnsLabels zone : some) {
            if (!settings.zones().contains(zone)
                    && settings.reverseZones().stream()
                            .noneMatch(reverse -> reverse.name().equals(zone))) {
                throw new IllegalArgumentException(
                        "fallthrough of zone " + zone + ", which is not served by this server");
            }
        }
        return new ResolverChain(view, upstream, new Fallthrough(some, isForwarded), unforwarded);
    }

    /**
     * Returns the same chain with a domain that is never resolved upstream. Its names are REFUSED if the zone does not serve them, and
     * records that the {@link #withUpstream} resolver adds for them, as targets of its aliases, are removed. Has no effect without an
     * upstream resolver.
     *
     * @param domain the domain, absolute; added to those of earlier calls
     */
    public ResolverChain withoutForwarding(DnsLabels domain) {
        Set<DnsLabels> all = new HashSet<>(unforwarded);
        all.add(Objects.requireNonNull(domain, "domain"));
        return new ResolverChain(view, upstream, fallthrough, Set.copyOf(all));
    }

    /** Returns the served forward zones: the cluster domains. */
    public List<DnsLabels> zones() {
        return view.zone().current().settings().zones();
    }

    /** Returns the answers of the zone's current revision; empty while its names are SERVFAIL. */
    @Override
    public Optional<DirectAnswers> direct() {
        return pinned().direct;
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        return pinned().resolver()
                .resolve(question, client)
                .map(answer -> answer.withRecursionAvailable(upstream.isPresent()));
    }

    private Pinned pinned() {
        // Reads the state before the revision, so that the revision is at least as complete as the state reports.
        SyncState now = view.zone().state();
        ZoneRevision revision = view.zone().current();
        Pinned chain = pinned;
        if (chain.revision != revision || chain.state != now) {
            chain = new Pinned(now, revision);
            pinned = chain;
        }
        return chain;
    }

    /** Returns a description of the view and whether there is an upstream resolver, for logs. */
    @Override
    public String toString() {
        return "ResolverChain[" + view + ", " + (upstream.isPresent() ? "with" : "without") + " upstream]";
    }

    private DnsResolver chain(SyncState now, ZoneRevision revision) {
        RevisionView seen = view.of(revision);
        Catalog.Builder routes = Catalog.builder();
        for (DnsLabels name : revision.settings().zones()) {
            routes.route(name, withFallthrough(name, ClusterResolver.forward(seen, now, name)));
        }
        for (ReverseZone reverse : revision.settings().reverseZones()) {
            ClusterResolver resolver = ClusterResolver.reverse(seen, now, reverse);
            routes.route(reverse.name(), resolver::answersFor, withFallthrough(reverse.name(), resolver));
        }
        upstream.ifPresent(resolver -> routes.route(DnsLabels.EMPTY, withoutUnforwarded(resolver)));
        return new AliasChaser(routes.build());
    }

    private DnsResolver withoutUnforwarded(DnsResolver resolver) {
        return unforwarded.isEmpty()
                ? resolver
                : (question, client) -> isUnforwarded(question.labels())
                        ? NOTHING.resolve(question, client)
                        : Catalog.resolve(resolver, question, client)
                                .map(answer -> answer.ownPart(question, this::isUnforwarded));
    }

    private boolean isUnforwarded(DnsLabels name) {
        return unforwarded.stream().anyMatch(name::endsWith);
    }

    private DnsResolver withFallthrough(DnsLabels zone, DnsResolver resolver) {
        if (upstream.isEmpty() || !fallthrough.zones.contains(zone)) {
            return resolver;
        }
        return (question, client) -> resolver.resolve(question, client)
                .then(answer -> answer.rcode() == Rcode.NXDOMAIN
                                && !isUnforwarded(question.labels())
                                && fallthrough.isForwarded.test(question)
                        ? Catalog.resolve(upstream.get(), question, client)
                                .map(forwarded -> forwarded.ownPart(
                                        question, name -> isUnforwarded(name) || isOtherServedName(name, question)))
                        : new Resolution.Ready(answer));
    }

    /** Returns whether a name lies in a served zone and is not the missing name of the question. */
    private boolean isOtherServedName(DnsLabels name, Question question) {
        return !name.equals(question.labels())
                && view.zone().current().settings().isServed(name);
    }

    /**
     * The missing names that are resolved upstream.
     *
     * @param zones the zones of the names
     * @param isForwarded returns whether the upstream resolver has servers for a question
     */
    private record Fallthrough(Set<DnsLabels> zones, Predicate<? super Question> isForwarded) {
        static final Fallthrough NONE = new Fallthrough(Set.of(), any -> false);
    }

    /**
     * The resolvers of one revision. The chain is created lazily: the fast path answers most questions without it, and while the
     * zone changes often, creating a chain for each revision would cost more than the answers.
     */
    private final class Pinned {
        private final SyncState state;
        private final ZoneRevision revision;
        private final Optional<DirectAnswers> direct;
        private volatile @Nullable DnsResolver resolver;

        Pinned(SyncState state, ZoneRevision revision) {
            this.state = state;
            this.revision = revision;
            this.direct = state == SyncState.SYNCING
                    ? Optional.empty()
                    : direct(new DirectAnswers(view.of(revision), upstream.isPresent()));
        }

        private Optional<DirectAnswers> direct(DirectAnswers all) {
            return upstream.isEmpty() || fallthrough.zones.isEmpty()
                    ? Optional.of(all)
                    : all.exceptMissingNames(fallthrough.zones);
        }

        DnsResolver resolver() {
            DnsResolver created = resolver;
            if (created == null) {
                created = chain(state, revision);
                resolver = created;
            }
            return created;
        }
    }
}
