package io.k8sdns.resolver;

import io.k8sdns.cluster.SyncState;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.DnsNames;
import io.k8sdns.records.RecordSet;
import io.k8sdns.zone.Lookup;
import io.k8sdns.zone.ZoneRevision;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.SOARecord;

/** Answers the names of one zone of a cluster from one revision: a function, equal answers to equal questions. */
public final class ClusterResolver implements Resolver {
    private final ZoneRevision revision;
    private final SyncState state;
    private final DnsLabels zone;

    private ClusterResolver(ZoneRevision revision, SyncState state, DnsLabels zone) {
        this.revision = Objects.requireNonNull(revision, "revision");
        this.state = Objects.requireNonNull(state, "state");
        this.zone = Objects.requireNonNull(zone, "zone");
    }

    /**
     * Returns the resolver of a forward zone.
     *
     * @param revision what exists
     * @param state how far that can be trusted
     * @param zone the zone's name, absolute
     */
    public static ClusterResolver forward(ZoneRevision revision, SyncState state, DnsLabels zone) {
        return new ClusterResolver(revision, state, zone);
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        return new Resolution.Ready(answer(question));
    }

    private Answer answer(Question question) {
        DnsLabels asked = DnsNames.labels(question.name());
        if (!asked.endsWith(zone)) {
            return Answer.failure(
                    Rcode.REFUSED,
                    Optional.of(new ExtendedError(
                            ExtendedError.NOT_AUTHORITATIVE, question.name() + " is not below " + zone)));
        }
        if (state == SyncState.SYNCING) {
            return Answer.failure(
                    Rcode.SERVFAIL,
                    Optional.of(new ExtendedError(ExtendedError.NOT_READY, zone + " has not been read yet")));
        }
        Lookup lookup = revision.lookup(asked.first(asked.count() - zone.count()), question.type());
        if (lookup instanceof Lookup.Found found) {
            List<RecordSet> records =
                    found
                            .data()
                            .recordSet(
                                    question.type(),
                                    question.name(),
                                    zone,
                                    revision.settings().ttlSeconds())
                            .stream()
                            .toList();
            return Answer.authoritative(Rcode.NOERROR, records, List.of(), List.of());
        }
        int rcode = lookup instanceof Lookup.NoSuchName ? Rcode.NXDOMAIN : Rcode.NOERROR;
        return Answer.authoritative(rcode, List.of(), List.of(soa()), List.of());
    }

    private RecordSet soa() {
        Name apex = DnsNames.absolute(zone);
        long negativeTtl = revision.settings().negativeTtlSeconds();
        return RecordSet.of(new SOARecord(
                apex,
                DClass.IN,
                negativeTtl,
                DnsNames.absolute(DnsLabels.of("ns", "dns"), zone),
                DnsNames.absolute(DnsLabels.of("hostmaster"), zone),
                revision.serial(),
                7200,
                1800,
                86400,
                negativeTtl));
    }
}
