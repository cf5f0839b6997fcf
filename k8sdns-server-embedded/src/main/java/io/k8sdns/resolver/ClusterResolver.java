package io.k8sdns.resolver;

import io.k8sdns.cluster.SyncState;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.NameRecords;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.zone.RevisionView;
import io.k8sdns.zone.ZoneLookup;
import io.k8sdns.zone.ZoneRevision;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Type;

/**
 * Answers questions about one zone from one revision. A pure function: equal questions have equal answers.
 *
 * <p>Every answer is authoritative. A name that does not exist is NXDOMAIN; an existing name without records of the type is NODATA.
 * The authority section of both holds the zone's SOA with the negative TTL (RFC 2308, 8020), and is otherwise empty. The additional
 * section holds only addresses of SRV and NS targets.
 *
 * <p>The answer for an alias is its CNAME, for every type; {@link AliasChaser} resolves the target. The answer for ANY follows RFC
 * 8482: the CNAME of an alias, HINFO for any other name that exists.
 */
final class ClusterResolver implements DnsResolver {
    /** The length of an SRV record without its target, in bytes: a pointer, type, class, TTL, length, three numbers. */
    private static final int SRV_BYTES = 18;

    /** The length of an A record whose owner is a pointer, in bytes. */
    private static final int A_BYTES = 16;

    private static final DnsLabels NAME_SERVER = ClusterName.FixedName.NAME_SERVER.labels();

    private final RevisionView view;
    private final ZoneRevision revision;
    private final SyncState state;
    private final DnsLabels zone;

    /** The zone of SRV and PTR targets and of the name server. */
    private final DnsLabels targetZone;

    private final boolean isReverse;

    /** The zone if this server serves only a part of its addresses. */
    private final Optional<ReverseZone> partial;

    private final Answer noSuchName;
    private final Answer noData;

    private ClusterResolver(RevisionView view, SyncState state, DnsLabels zone, Optional<ReverseZone> reverse) {
        this.view = Objects.requireNonNull(view, "view");
        this.revision = view.revision();
        this.state = Objects.requireNonNull(state, "state");
        this.zone = Objects.requireNonNull(zone, "zone");
        this.targetZone = revision.rules().targetZone(zone);
        this.isReverse = reverse.isPresent();
        this.partial = reverse.filter(served -> !served.isWhole());
        RecordSet soa = revision.rules().negativeStartOfAuthority(zone, revision.serial());
        this.noSuchName = Answer.builder(Rcode.NXDOMAIN)
                .authoritative()
                .authority(List.of(soa))
                .build();
        this.noData = Answer.builder(Rcode.NOERROR)
                .authoritative()
                .authority(List.of(soa))
                .build();
    }

    /**
     * Returns the resolver of a forward zone.
     *
     * @param view the revision, or the part of it that clients see
     * @param state whether the revision is synced; every name is SERVFAIL while it is {@link SyncState#SYNCING}
     * @param zone the zone's name, absolute
     */
    static ClusterResolver forward(RevisionView view, SyncState state, DnsLabels zone) {
        return new ClusterResolver(view, state, zone, Optional.empty());
    }

    /**
     * Returns the resolver of a reverse zone. PTR targets are in the first forward zone.
     *
     * @param view the revision, or the part of it that clients see
     * @param state whether the revision is synced; every name is SERVFAIL while it is {@link SyncState#SYNCING}
     * @param zone the zone, and which of its addresses this server serves
     */
    static ClusterResolver reverse(RevisionView view, SyncState state, ReverseZone zone) {
        Objects.requireNonNull(zone, "zone");
        return new ClusterResolver(view, state, zone.name(), Optional.of(zone));
    }

    /**
     * Returns whether this zone serves a name: the apex and the names below it, except reverse names of addresses that are not
     * served.
     *
     * @param name the labels up to the root
     */
    boolean answersFor(DnsLabels name) {
        return name.endsWith(zone) && isServed(name);
    }

    /** Returns whether a name in this zone is served. */
    private boolean isServed(DnsLabels name) {
        return partial.isEmpty() || partial.get().serves(name);
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        return new Resolution.Ready(answer(question, client.responseLimit()));
    }

    private Answer answer(Question question, int limit) {
        DnsLabels name = question.labels();
        Optional<DnsLabels> below = name.below(zone);
        if (below.isEmpty() || !isServed(name)) {
            return failure(
                    Rcode.REFUSED, ExtendedError.NOT_AUTHORITATIVE, question.name() + " is not served by zone " + zone);
        }
        if (state == SyncState.SYNCING) {
            return failure(Rcode.SERVFAIL, ExtendedError.NOT_READY, "zone " + zone + " is not synced");
        }
        boolean apex = below.get().isEmpty();
        if (apex && question.isFor(Type.SOA)) {
            return found(revision.rules().startOfAuthority(zone, revision.serial()), List.of());
        }
        if (apex && question.isFor(Type.NS)) {
            return found(revision.rules().nameServers(zone), addresses(DnsNames.absolute(NAME_SERVER, targetZone)));
        }
        ZoneLookup lookup = !isReverse
                ? view.lookup(below.get(), question.type().number())
                : reverseLookup(name, question.type().number());
        if (lookup instanceof ZoneLookup.NoSuchName && !apex && !revision.isAboveZone(name)) {
            return noSuchName;
        }
        return answer(question, lookup, limit);
    }

    private ZoneLookup reverseLookup(DnsLabels name, int type) {
        Optional<IpNetwork> network = NameSchema.parseReverse(name);
        return network.isPresent() ? view.lookup(network.get(), type) : new ZoneLookup.NoSuchName();
    }

    /** Returns the answer for a name that exists. */
    private Answer answer(Question question, ZoneLookup lookup, int limit) {
        if (lookup instanceof ZoneLookup.Alias alias) {
            return found(records(question, alias.data(), Type.CNAME).orElseThrow(), List.of());
        }
        if (question.isFor(Type.ANY)) {
            return found(revision.rules().minimalAny(question.name()), List.of());
        }
        if (lookup instanceof ZoneLookup.Found found) {
            return records(question, found.data(), question.type().number())
                    .map(set -> found(set, question.isFor(Type.SRV) ? targets(set, limit) : List.of()))
                    .orElse(noData);
        }
        return noData;
    }

    /** Returns the records of a type, with the question's spelling as owner; empty if no target fits into a name of the zone. */
    private Optional<RecordSet> records(Question question, NameData data, int type) {
        return data.in(targetZone).recordSet(type, question.name(), ttlSeconds());
    }

    /**
     * Returns the A and AAAA records of the SRV targets, each target once (RFC 2782), until they fill a response.
     *
     * <p>Returns none if the SRV records alone exceed the limit: looking up thousands of targets would be wasted.
     */
    private List<RecordSet> targets(RecordSet srvs, int limit) {
        int bytes = 0;
        Set<Name> targets = new LinkedHashSet<>();
        for (Record srv : srvs.records()) {
            Name target = ((SRVRecord) srv).getTarget();
            bytes += SRV_BYTES + target.length();
            targets.add(target);
            if (bytes > limit) {
                return List.of();
            }
        }
        List<RecordSet> sets = new ArrayList<>();
        for (Name target : targets) {
            for (RecordSet set : addresses(target)) {
                sets.add(set);
                bytes += set.records().size() * A_BYTES;
            }
            if (bytes > limit) {
                break;
            }
        }
        return sets;
    }

    /** Returns the A and AAAA records of a name in the zone of targets. */
    private List<RecordSet> addresses(Name owner) {
        DnsLabels name = DnsNames.labels(owner).below(targetZone).orElseThrow();
        ZoneLookup lookup = view.lookup(name, Type.A);
        if (lookup instanceof ZoneLookup.NoData) {
            lookup = view.lookup(name, Type.AAAA);
        }
        List<RecordSet> sets = new ArrayList<>(2);
        if (lookup instanceof ZoneLookup.Found found) {
            NameRecords records = found.data().in(targetZone);
            records.recordSet(Type.A, owner, ttlSeconds()).ifPresent(sets::add);
            records.recordSet(Type.AAAA, owner, ttlSeconds()).ifPresent(sets::add);
        }
        return sets;
    }

    private long ttlSeconds() {
        return revision.settings().ttlSeconds();
    }

    private static Answer found(RecordSet set, List<RecordSet> additional) {
        return Answer.builder(Rcode.NOERROR)
                .authoritative()
                .answer(List.of(set))
                .additional(additional)
                .build();
    }

    private static Answer failure(int rcode, int code, String text) {
        return Answer.failure(rcode, new ExtendedError(code, text));
    }
}
