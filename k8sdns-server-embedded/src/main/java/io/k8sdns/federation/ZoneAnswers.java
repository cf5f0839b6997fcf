package io.k8sdns.federation;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.ClusterName.FixedName;
import java.util.List;
import java.util.Optional;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** The answers of a federation's zone that depend on no shard: at the names of the zone itself, and negative answers. */
final class ZoneAnswers {
    /**
     * The serial of the SOA. It is constant, so that all servers of a store give the same answer; zone transfers, which would use
     * it, are not served.
     */
    private static final long SERIAL = 1;

    private final DnsLabels zone;
    private final RecordRules rules;

    ZoneAnswers(FederatedZoneSettings settings) {
        this.zone = settings.zone();
        this.rules = settings.rules();
    }

    /** Answers a question about the apex, the name server or its parent; empty for all other names. */
    Optional<Answer> ofOwnName(Question question, DnsLabels below) {
        return FixedName.of(below).flatMap(name -> switch (name) {
            case APEX -> Optional.of(apex(question));
            case NAME_SERVER -> Optional.of(nameServer(question));
            case DNS -> Optional.of(withoutRecords(question));
            // Only the zones of clusters have these names.
            case VERSION, SERVICES, PODS -> Optional.empty();
        });
    }

    private Answer apex(Question question) {
        return switch (question.type().number()) {
            case Type.SOA -> found(List.of(rules.startOfAuthority(zone, SERIAL)));
            case Type.NS ->
                found(List.of(rules.nameServers(zone))).toBuilder()
                        .additional(rules.nameServerAddresses(DnsNames.absolute(RecordRules.nameServer(zone))))
                        .build();
            default -> withoutRecords(question);
        };
    }

    private Answer nameServer(Question question) {
        List<RecordSet> sets = rules.nameServerAddresses(question.name()).stream()
                .filter(set -> set.type().equals(question.type()))
                .toList();
        return sets.isEmpty() ? withoutRecords(question) : found(sets);
    }

    /** Returns an answer with records. */
    static Answer found(List<RecordSet> sets) {
        return Answer.builder(Rcode.NOERROR).authoritative().answer(sets).build();
    }

    /**
     * Answers a question about a name that exists without records of the type for this client: NODATA, or the HINFO record of RFC
     * 8482 for type ANY.
     */
    Answer withoutRecords(Question question) {
        return question.type().number() == Type.ANY ? found(List.of(rules.minimalAny(question.name()))) : noData();
    }

    Answer noData() {
        return negative(Rcode.NOERROR);
    }

    Answer noSuchName() {
        return negative(Rcode.NXDOMAIN);
    }

    private Answer negative(int rcode) {
        return Answer.builder(rcode)
                .authoritative()
                .authority(List.of(rules.negativeStartOfAuthority(zone, SERIAL)))
                .build();
    }
}
