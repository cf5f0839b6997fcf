package io.k8sdns.resolver;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.DnsNames;
import io.k8sdns.records.RecordSet;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.Lookup;
import io.k8sdns.zone.ZoneRevision;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.SOARecord;

/** Answers the names of a cluster from its zone. */
public final class ClusterResolver implements Resolver {
    private final ClusterZone zone;

    /** Makes the resolver of a zone. */
    public ClusterResolver(ClusterZone zone) {
        this.zone = Objects.requireNonNull(zone, "zone");
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        return new Resolution.Ready(answer(zone.current(), question));
    }

    private static Answer answer(ZoneRevision revision, Question question) {
        DnsLabels asked = DnsNames.labels(question.name());
        for (DnsLabels origin : revision.settings().zones()) {
            if (asked.endsWith(origin)) {
                return answer(revision, question, asked.first(asked.count() - origin.count()), origin);
            }
        }
        return Answer.failure(
                Rcode.REFUSED,
                Optional.of(new ExtendedError(ExtendedError.NOT_AUTHORITATIVE, "not in a zone of this server")));
    }

    private static Answer answer(ZoneRevision revision, Question question, DnsLabels labels, DnsLabels origin) {
        Lookup lookup = revision.lookup(labels, question.type());
        if (lookup instanceof Lookup.Found found) {
            List<RecordSet> records = found
                    .data()
                    .recordSet(
                            question.type(),
                            question.name(),
                            origin,
                            revision.settings().ttlSeconds())
                    .stream()
                    .toList();
            return Answer.authoritative(Rcode.NOERROR, records, List.of(), List.of());
        }
        int rcode = lookup instanceof Lookup.NoSuchName ? Rcode.NXDOMAIN : Rcode.NOERROR;
        return Answer.authoritative(rcode, List.of(), List.of(soa(revision, origin)), List.of());
    }

    private static RecordSet soa(ZoneRevision revision, DnsLabels origin) {
        Name apex = DnsNames.absolute(origin);
        long negativeTtl = revision.settings().negativeTtlSeconds();
        return RecordSet.of(new SOARecord(
                apex,
                DClass.IN,
                negativeTtl,
                DnsNames.absolute(DnsLabels.of("ns", "dns"), origin),
                DnsNames.absolute(DnsLabels.of("hostmaster"), origin),
                revision.serial(),
                7200,
                1800,
                86400,
                negativeTtl));
    }
}
