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
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Rcode;

/**
 * All resolvers of a server, put together:
 *
 * <pre>
 *   AliasChaser( Catalog(
 *       "cluster.local."  -> ClusterResolver      one for each forward zone
 *       "in-addr.arpa."   -> ClusterResolver      one for each reverse zone, for the addresses that are ours
 *       "."               -> the upstream resolver, for example a ForwardingResolver; else REFUSED
 *   ))
 * </pre>
 *
 * <p>NXDOMAIN of a zone in {@link #withFallthrough} is not the last word: the upstream resolver is asked.
 *
 * <p>Each question is answered from one revision of the zone from beginning to end: the aliases, the addresses beside
 * SRV records and the SOA included. RA is set on every answer iff there is an upstream resolver.
 */
public final class ResolverChain implements DnsResolver {
    private final ZoneView view;
    private final Optional<DnsResolver> upstream;
    private final Set<DnsLabels> fallthrough;

    /** What belongs to the revision that was asked last: made anew only when the zone has changed. */
    private volatile Pinned pinned;

    private ResolverChain(ZoneView view, Optional<DnsResolver> upstream, Set<DnsLabels> fallthrough) {
        this.view = view;
        this.upstream = upstream;
        this.fallthrough = fallthrough;
        this.pinned = new Pinned(view.zone().state(), view.zone().current());
    }

    /**
     * Returns the chain of a zone, for names of that zone alone. Every name in it is SERVFAIL while {@link ClusterZone#state}
     * is {@link SyncState#SYNCING}; every other name is REFUSED.
     */
    public static ResolverChain of(ClusterZone zone) {
        return of(Objects.requireNonNull(zone, "zone").view(Visibility.ALL));
    }

    /**
     * Returns the chain of a zone as some clients see it, as {@link #of(ClusterZone)} does; {@link DnsResolver#byClient} chooses
     * among several.
     */
    public static ResolverChain of(ZoneView view) {
        return new ResolverChain(Objects.requireNonNull(view, "view"), Optional.empty(), Set.of());
    }

    /**
     * Returns the same chain with a resolver of the names that the zone does not serve.
     *
     * <p>Unless {@link io.k8sdns.records.ZoneSettings#reverseZones} say otherwise, the zone serves the reverse names of all addresses:
     * set the networks of the cluster to forward the others.
     *
     * @param resolver answers them, usually by forwarding: {@link io.k8sdns.upstream.ForwardingResolver}
     */
    public ResolverChain withUpstream(DnsResolver resolver) {
        return new ResolverChain(view, Optional.of(Objects.requireNonNull(resolver, "resolver")), fallthrough);
    }

    /**
     * Returns the same chain with zones whose missing names are resolved upstream: their NXDOMAIN is replaced by what the
     * resolver of {@link #withUpstream} answers. NODATA stays, also of names that only have names below them, and so does the
     * SERVFAIL of a zone that is not synced. Without an upstream resolver it changes nothing.
     *
     * @param zones names of forward and reverse zones that are served; replaces those of an earlier call
     * @throws IllegalArgumentException if one of them is not served; the message names it
     */
    public ResolverChain withFallthrough(Set<DnsLabels> zones) {
        Set<DnsLabels> some = Copies.set("zones", zones);
        ZoneSettings settings = view.zone().current().settings();
        for (DnsLabels zone : some) {
            if (!settings.zones().contains(zone)
                    && settings.reverseZones().stream()
                            .noneMatch(reverse -> reverse.name().equals(zone))) {
                throw new IllegalArgumentException("fallthrough of a zone that is not served: " + zone);
            }
        }
        return new ResolverChain(view, upstream, some);
    }

    /** Returns the forward zones that are served: the cluster domains. */
    public List<DnsLabels> zones() {
        return view.zone().current().settings().zones();
    }

    /** Returns the zone's revision; empty while its names are SERVFAIL. */
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
        // The state comes first: a revision that is read after it is at least as complete as it says.
        SyncState now = view.zone().state();
        ZoneRevision revision = view.zone().current();
        Pinned chain = pinned;
        if (chain.revision != revision || chain.state != now) {
            chain = new Pinned(now, revision);
            pinned = chain;
        }
        return chain;
    }

    /** Returns what is served, for logs. */
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
        upstream.ifPresent(resolver -> routes.route(DnsLabels.EMPTY, resolver));
        return new AliasChaser(routes.build());
    }

    private DnsResolver withFallthrough(DnsLabels zone, DnsResolver resolver) {
        if (upstream.isEmpty() || !fallthrough.contains(zone)) {
            return resolver;
        }
        return (question, client) -> resolver.resolve(question, client)
                .then(answer -> answer.rcode() == Rcode.NXDOMAIN
                        ? Catalog.ask(upstream.get(), question, client)
                                .map(forwarded -> forwarded.ownPart(question, name -> isOtherInZones(name, question)))
                        : new Resolution.Ready(answer));
    }

    /** Returns whether a name may have records here, unlike the missing one that was asked for. */
    private boolean isOtherInZones(DnsLabels name, Question question) {
        ZoneSettings settings = view.zone().current().settings();
        return !name.equals(question.labels())
                && (settings.zones().stream().anyMatch(name::endsWith)
                        || settings.reverseZones().stream().anyMatch(reverse -> name.endsWith(reverse.name())));
    }

    /**
     * What belongs to one revision. The chain is made when a question needs it: most are answered straight from the
     * revision, and while the zone changes all the time, a chain for each revision would cost more than the answers.
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
            return upstream.isEmpty() || fallthrough.isEmpty() ? Optional.of(all) : all.exceptMissingNames(fallthrough);
        }

        DnsResolver resolver() {
            DnsResolver known = resolver;
            if (known == null) {
                known = chain(state, revision);
                resolver = known;
            }
            return known;
        }
    }
}
