package io.k8sdns.autopath;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Type;

/**
 * Builds the SOA record of an NXDOMAIN answer that combines several NXDOMAIN answers. Its TTL is the shortest of their TTLs,
 * because the name exists as soon as one of the looked-up names exists. Its other data is copied from the SOA of one of the
 * answers.
 */
final class NegativeSoa {
    private final DnsLabels name;
    private final Optional<DnsLabels> apex;
    private @Nullable SOARecord record;
    private boolean isAbove;
    private long ttlSeconds = Long.MAX_VALUE;

    /**
     * Creates an SOA without an answer.
     *
     * @param name the name of the client's question
     * @param apex the owner of the SOA; if empty, the owner is the zone of an answer that contains the name, or the root if there is
     *     none
     */
    NegativeSoa(DnsLabels name, Optional<DnsLabels> apex) {
        this.name = name;
        this.apex = apex;
    }

    /** Resolves the SOA of a zone and maps its answer; the result is SERVFAIL if there is no SOA. */
    static Resolution resolve(DnsResolver resolver, DnsLabels zone, Client client, Function<Answer, Answer> then) {
        return resolver.resolve(new Question(zone, RecordType.of(Type.SOA), DClass.IN), client)
                .map(answer -> record(answer).isPresent() ? then.apply(answer) : withoutSoa(answer, zone));
    }

    private static Answer withoutSoa(Answer answer, DnsLabels zone) {
        return Answer.builder(Rcode.SERVFAIL)
                .recursionAvailable(answer.recursionAvailable())
                .extendedError(answer.extendedError()
                        .orElseGet(() -> new ExtendedError(ExtendedError.OTHER, "zone " + zone + " has no SOA")))
                .build();
    }

    private static Optional<SOARecord> record(Answer answer) {
        return Stream.of(answer.authority(), answer.answer())
                .flatMap(sets -> sets.stream())
                .filter(set -> set.typeNumber() == Type.SOA)
                .map(set -> (SOARecord) set.records().get(0))
                .findFirst();
    }

    /** Returns the TTL of a negative answer (RFC 2308, 5); 0 if it has no SOA. */
    static long ttlSeconds(Answer negative) {
        return record(negative)
                .map(soa -> Math.min(soa.getTTL(), soa.getMinimum()))
                .orElse(0L);
    }

    /** Adds an answer: an NXDOMAIN, or the answer to a question for an SOA. */
    void add(Answer answer) {
        ttlSeconds = Math.min(ttlSeconds, ttlSeconds(answer));
        record(answer).ifPresent(soa -> {
            boolean above = apex.isEmpty() && name.endsWith(DnsNames.labels(soa.getName()));
            if (record == null || above && !isAbove) {
                record = soa;
                isAbove = above;
            }
        });
    }

    /** Returns whether no answer had an SOA. */
    boolean isEmpty() {
        return record == null;
    }

    /** Returns the SOA record. */
    RecordSet set() {
        SOARecord soa = record;
        if (soa == null) {
            throw new IllegalStateException("no answer had an SOA");
        }
        DnsLabels owner = apex.orElseGet(() -> isAbove ? DnsNames.labels(soa.getName()) : DnsLabels.EMPTY);
        return at(owner, soa, ttlSeconds);
    }

    /** Returns the SOA of an answer of {@link #resolve} with another owner and the negative TTL. */
    static RecordSet at(DnsLabels owner, Answer answer) {
        return at(owner, record(answer).orElseThrow(), ttlSeconds(answer));
    }

    private static RecordSet at(DnsLabels owner, SOARecord soa, long ttlSeconds) {
        return RecordSet.of(new SOARecord(
                DnsNames.absolute(owner),
                DClass.IN,
                ttlSeconds,
                soa.getHost(),
                soa.getAdmin(),
                soa.getSerial(),
                soa.getRefresh(),
                soa.getRetry(),
                soa.getExpire(),
                Math.min(ttlSeconds, soa.getMinimum())));
    }
}
