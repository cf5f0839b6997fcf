package io.k8sdns.resolver;

import io.k8sdns.cluster.SyncState;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.rules.NameData;
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
import org.xbill.DNS.DClass;
import org.xbill.DNS.HINFORecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Answers the names of one zone of a cluster from one revision: a function, equal answers to equal questions.
 *
 * <p>Every answer is authoritative. A name that does not exist is NXDOMAIN, one without the type NOERROR without
 * records, and both carry the zone's SOA, whose lifetime is the negative one (RFC 2308, 8020). Nothing else is in the
 * authority section, and the additional section is for the addresses of SRV and NS targets alone.
 *
 * <p>An alias is answered by its CNAME whatever type is asked; {@link AliasChaser} goes on from there. ANY is answered
 * as RFC 8482 has it: the CNAME where there is one, else HINFO where the name exists.
 */
final class ClusterResolver implements DnsResolver {
    /** The octets of an SRV record beside its target: a pointer, type, class, TTL, length, three numbers, the root. */
    private static final int LEAST_SRV = 19;

    /** The octets of an A record whose owner is a pointer. */
    private static final int LEAST_A = 16;

    private static final DnsLabels NAME_SERVER = ClusterName.FixedName.NAME_SERVER.labels();

    private final RevisionView view;
    private final ZoneRevision revision;
    private final SyncState state;
    private final DnsLabels zone;
    private final Optional<ReverseZone> reverse;
    private final boolean partial;
    private final Answer noSuchName;
    private final Answer noData;

    private ClusterResolver(RevisionView view, SyncState state, DnsLabels zone, Optional<ReverseZone> reverse) {
        this.view = Objects.requireNonNull(view, "view");
        this.revision = view.revision();
        this.state = Objects.requireNonNull(state, "state");
        this.zone = Objects.requireNonNull(zone, "zone");
        this.reverse = reverse;
        this.partial = reverse.isPresent() && !reverse.get().isWhole();
        RecordSet soa = soa(revision.settings().negativeTtlSeconds());
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
     * @param view what exists
     * @param state how far that can be trusted; every name is SERVFAIL while it is {@link SyncState#SYNCING}
     * @param zone the zone's name, absolute
     */
    static ClusterResolver forward(RevisionView view, SyncState state, DnsLabels zone) {
        return new ClusterResolver(view, state, zone, Optional.empty());
    }

    /**
     * Returns the resolver of a reverse zone. PTR targets are in the first forward zone.
     *
     * @param view what exists
     * @param state how far that can be trusted; every name is SERVFAIL while it is {@link SyncState#SYNCING}
     * @param zone the zone, and which of its addresses are ours
     */
    static ClusterResolver reverse(RevisionView view, SyncState state, ReverseZone zone) {
        Objects.requireNonNull(zone, "zone");
        return new ClusterResolver(view, state, zone.name(), Optional.of(zone));
    }

    /**
     * Returns whether a name is this zone's: the apex and what lies below it, but for addresses that are not ours.
     *
     * @param name the labels up to the root
     */
    boolean answersFor(DnsLabels name) {
        return answersFor(name, name.below(zone));
    }

    private boolean answersFor(DnsLabels name, Optional<DnsLabels> below) {
        if (!partial || below.isEmpty() || below.get().isEmpty()) {
            return below.isPresent();
        }
        // Such a zone ends one label above whole addresses: that label, and what is below it, is the address's.
        return NameSchema.parseReverse(name.skip(below.get().count() - 1))
                .filter(address -> reverse.orElseThrow().contains(address.base()))
                .isPresent();
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        return new Resolution.Ready(answer(question, client.responseLimit()));
    }

    private Answer answer(Question question, int limit) {
        DnsLabels asked = question.labels();
        Optional<DnsLabels> below = asked.below(zone);
        if (!answersFor(asked, below)) {
            return failure(
                    Rcode.REFUSED, ExtendedError.NOT_AUTHORITATIVE, question.name() + " is not served by zone " + zone);
        }
        if (state == SyncState.SYNCING) {
            return failure(Rcode.SERVFAIL, ExtendedError.NOT_READY, "zone " + zone + " is not synced");
        }
        boolean apex = below.orElseThrow().isEmpty();
        if (apex && question.isFor(Type.SOA)) {
            return found(soa(revision.settings().startOfAuthorityTtlSeconds()), List.of());
        }
        if (apex && question.isFor(Type.NS)) {
            return found(revision.rules().nameServers(zone), addresses(NAME_SERVER));
        }
        ZoneLookup lookup = reverse.isEmpty()
                ? view.lookup(below.orElseThrow(), question.type().number())
                : reverseLookup(asked, question.type().number());
        if (lookup instanceof ZoneLookup.NoSuchName && !apex && !revision.isAboveZone(asked)) {
            return noSuchName;
        }
        return answer(question, lookup, limit);
    }

    private ZoneLookup reverseLookup(DnsLabels asked, int type) {
        Optional<IpNetwork> network = NameSchema.parseReverse(asked);
        return network.isPresent() ? view.lookup(network.get(), type) : new ZoneLookup.NoSuchName();
    }

    /** Answers a question about a name that exists. */
    private Answer answer(Question question, ZoneLookup lookup, int limit) {
        if (lookup instanceof ZoneLookup.Alias alias) {
            return found(records(question, alias.data(), Type.CNAME).orElseThrow(), List.of());
        }
        if (question.isFor(Type.ANY)) {
            return found(minimalAny(question.name()), List.of());
        }
        if (lookup instanceof ZoneLookup.Found found) {
            return records(question, found.data(), question.type().number())
                    .map(set -> found(set, question.isFor(Type.SRV) ? targets(found.data(), limit) : List.of()))
                    .orElse(noData);
        }
        return noData;
    }

    /** Returns what a name owns of a type, under the spelling asked for; nothing if its targets are too long for names here. */
    private Optional<RecordSet> records(Question question, NameData data, int type) {
        return data.recordSet(type, question.name(), targetZone(), ttlSeconds());
    }

    private DnsLabels targetZone() {
        return reverse.isPresent() ? revision.settings().zones().get(0) : zone;
    }

    /**
     * Returns A and AAAA of every SRV target, each target once (RFC 2782), as far as a response can hold them.
     *
     * <p>What thousands of targets own is not looked up to be thrown away: an answer that fills the message itself is
     * followed by nothing.
     */
    private List<RecordSet> targets(NameData data, int limit) {
        int octets = 0;
        Set<DnsLabels> targets = new LinkedHashSet<>();
        for (NameData.Srv srv : data.srvs()) {
            if (srv.target().fitsBelow(zone)) {
                octets += LEAST_SRV + srv.target().wireLength() + zone.wireLength();
                targets.add(srv.target());
            }
            if (octets > limit) {
                return List.of();
            }
        }
        List<RecordSet> sets = new ArrayList<>();
        for (DnsLabels target : targets) {
            for (RecordSet set : addresses(target)) {
                sets.add(set);
                octets += set.records().size() * LEAST_A;
            }
            if (octets > limit) {
                break;
            }
        }
        return sets;
    }

    /** Returns A and AAAA of a name below the zone that targets are in. */
    private List<RecordSet> addresses(DnsLabels name) {
        ZoneLookup lookup = view.lookup(name, Type.A);
        if (lookup instanceof ZoneLookup.NoData) {
            lookup = view.lookup(name, Type.AAAA);
        }
        List<RecordSet> sets = new ArrayList<>(2);
        if (lookup instanceof ZoneLookup.Found found) {
            Name owner = DnsNames.absolute(name, targetZone());
            found.data().recordSet(Type.A, owner, targetZone(), ttlSeconds()).ifPresent(sets::add);
            found.data().recordSet(Type.AAAA, owner, targetZone(), ttlSeconds()).ifPresent(sets::add);
        }
        return sets;
    }

    private long ttlSeconds() {
        return revision.settings().ttlSeconds();
    }

    private RecordSet minimalAny(Name owner) {
        return RecordSet.of(new HINFORecord(owner, DClass.IN, ttlSeconds(), "RFC8482", ""));
    }

    private RecordSet soa(long ttlSeconds) {
        return revision.rules().startOfAuthority(zone, revision.serial(), ttlSeconds);
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
