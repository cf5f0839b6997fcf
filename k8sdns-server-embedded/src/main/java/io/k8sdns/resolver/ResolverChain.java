package io.k8sdns.resolver;

import io.k8sdns.cluster.SyncState;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneRevision;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All resolvers of a server, put together:
 *
 * <pre>
 *   AliasChaser( Catalog(
 *       "cluster.local."  -> ClusterResolver      one for each forward zone
 *       "in-addr.arpa."   -> ClusterResolver      one for each reverse zone, for the addresses that are ours
 *       "."               -> what the host has for names elsewhere, for example a ForwardingResolver; else REFUSED
 *   ))
 * </pre>
 *
 * <p>Each question is answered from one revision of the zone from beginning to end: the aliases, the addresses beside
 * SRV records and the SOA included. RA is set on every answer iff the host has something for names elsewhere.
 */
public final class ResolverChain implements Resolver {
    private final ClusterZone zone;
    private final Supplier<SyncState> state;
    private final Optional<Resolver> elsewhere;

    /** What belongs to the revision that was asked last: made anew only when the zone has changed. */
    private volatile Pinned pinned;

    private ResolverChain(ClusterZone zone, Supplier<SyncState> state, Optional<Resolver> elsewhere) {
        this.zone = zone;
        this.state = state;
        this.elsewhere = elsewhere;
        this.pinned = new Pinned(state.get(), zone.current());
    }

    /** Returns the chain of a zone that is complete, for names of that zone alone. */
    public static ResolverChain of(ClusterZone zone) {
        return of(zone, () -> SyncState.SYNCED, Optional.empty());
    }

    /**
     * Returns the chain of a zone.
     *
     * @param zone answers the names of its zones
     * @param state how far the zone can be trusted, asked for each question; a source sets {@link SyncState#SYNCED}
     *     after the zone has what it brought. Before that, and while it is null, every name in our zones is SERVFAIL
     * @param elsewhere answers every other name, usually by forwarding; empty means REFUSED
     */
    public static ResolverChain of(ClusterZone zone, Supplier<SyncState> state, Optional<Resolver> elsewhere) {
        Objects.requireNonNull(zone, "zone");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(elsewhere, "elsewhere");
        return new ResolverChain(zone, state, elsewhere);
    }

    /**
     * Returns the revision that every name of its zones is answered from at this moment, whoever asks; empty while that is
     * SERVFAIL. For whoever writes such answers straight from the revision.
     */
    public Optional<ZoneRevision> answering() {
        return pinned().answering;
    }

    /** Returns whether answers say that names elsewhere are answered, too (RA). */
    public boolean recursionAvailable() {
        return elsewhere.isPresent();
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        return pinned().resolver()
                .resolve(question, client)
                .then(answer -> new Resolution.Ready(answer.withRecursionAvailable(recursionAvailable())));
    }

    private Pinned pinned() {
        // The state comes first: a revision that is read after it is at least as complete as it says.
        SyncState now = state.get();
        ZoneRevision revision = zone.current();
        Pinned chain = pinned;
        if (chain.revision != revision || chain.state != now) {
            chain = new Pinned(now, revision);
            pinned = chain;
        }
        return chain;
    }

    private Resolver chain(SyncState now, ZoneRevision revision) {
        Catalog.Builder routes = Catalog.builder();
        for (DnsLabels name : revision.settings().zones()) {
            routes.route(name, ClusterResolver.forward(revision, now, name));
        }
        for (ReverseZone reverse : revision.settings().reverseZones()) {
            ClusterResolver resolver = ClusterResolver.reverse(revision, now, reverse);
            routes.route(reverse.name(), resolver::answersFor, resolver);
        }
        elsewhere.ifPresent(resolver -> routes.route(DnsLabels.EMPTY, resolver));
        return new AliasChaser(routes.build());
    }

    /**
     * What belongs to one revision. The chain is made when a question needs it: most are answered straight from the
     * revision, and while the zone changes all the time, a chain for each revision would cost more than the answers.
     */
    private final class Pinned {
        private final SyncState state;
        private final ZoneRevision revision;
        private final Optional<ZoneRevision> answering;
        private volatile @Nullable Resolver resolver;

        Pinned(SyncState state, ZoneRevision revision) {
            this.state = state;
            this.revision = revision;
            // Only known states are answered from, so that a supplier that returns null counts as not synced.
            boolean isAnswering = state == SyncState.SYNCED || state == SyncState.STALE;
            this.answering = isAnswering ? Optional.of(revision) : Optional.empty();
        }

        Resolver resolver() {
            Resolver known = resolver;
            if (known == null) {
                known = chain(answering.isPresent() ? state : SyncState.SYNCING, revision);
                resolver = known;
            }
            return known;
        }
    }
}
