package io.k8sdns.resolver;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.DNAMERecord;
import org.xbill.DNS.NSECRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Type;

/** Chains of aliases over stub servers. */
class AliasChaserTest {
    private static final Question FIRST = Question.of("a.one.example", RecordType.A);
    private static final Name TARGET = Name.fromConstantString("b.two.example.");

    private static RecordSet alias(Name owner, Name target) {
        return RecordSet.of(new CNAMERecord(owner, DClass.IN, 60, target));
    }

    private static RecordSet absence(Name owner) {
        return RecordSet.of((Record) new NSECRecord(owner, DClass.IN, 60, owner, new int[] {Type.NS}));
    }

    private static Answer.Builder answer(int rcode, RecordSet... sets) {
        return Answer.builder(rcode).answer(List.of(sets));
    }

    private static Answer resolve(DnsResolver resolver) {
        return ((Resolution.Ready) resolver.resolve(FIRST, Client.IN_PROCESS)).answer();
    }

    private static Catalog catalog(Answer one, Answer two) {
        return Catalog.builder()
                .route(Name.fromConstantString("one.example."), (question, client) -> new Resolution.Ready(one))
                .route(Name.fromConstantString("two.example."), (question, client) -> new Resolution.Ready(two))
                .build();
    }

    @Test
    void proofsAndTheStaleMarkOfAnAliasAreKept() {
        RecordSet ofAlias = absence(Name.fromConstantString("one.example."));
        Name zone = Name.fromConstantString("two.example.");
        RecordSet soa = RecordSet.of(new SOARecord(zone, DClass.IN, 60, zone, zone, 1, 2, 3, 4, 5));
        ExtendedError stale = new ExtendedError(ExtendedError.STALE_ANSWER, "");
        Answer one = answer(Rcode.NOERROR, alias(FIRST.name(), TARGET))
                .authority(List.of(ofAlias))
                .extendedError(stale)
                .build();
        Answer two = answer(Rcode.NXDOMAIN).authority(List.of(soa)).build();

        Answer whole = resolve(new AliasChaser(catalog(one, two)));

        assertThat(whole.rcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(whole.answer()).isEqualTo(one.answer());
        assertThat(whole.authority()).containsExactly(ofAlias, soa);
        assertThat(whole.extendedError()).contains(stale);
    }

    @Test
    void aTargetThatIsNotServedOrForwardedEndsTheChain() {
        Answer one = answer(Rcode.NOERROR, alias(FIRST.name(), TARGET)).build();
        Answer notForwarded = Answer.failure(
                Rcode.REFUSED, new ExtendedError(ExtendedError.NOT_AUTHORITATIVE, "b.two.example. is not forwarded"));
        assertThat(resolve(new AliasChaser(catalog(one, notForwarded)))).isEqualTo(one);
        assertThat(resolve(new AliasChaser(catalog(one, Answer.failure(Rcode.REFUSED))))
                        .rcode())
                .as("refused by a server")
                .isEqualTo(Rcode.REFUSED);
    }

    /**
     * The alias's server is not authoritative for the target: its RCODE, SOA and extended error about the target are dropped.
     */
    @Test
    void theExtendedErrorOfADroppedRcodeIsDropped() {
        RecordSet soa = RecordSet.of(new SOARecord(Name.root, DClass.IN, 60, Name.root, Name.root, 1, 2, 3, 4, 5));
        RecordSet found = RecordSet.of(new ARecord(TARGET, DClass.IN, 60, new byte[] {(byte) 192, 0, 2, 1}));
        Answer two = answer(Rcode.NOERROR, found).build();
        for (ExtendedError error : List.of(
                new ExtendedError(15, "blocked"), new ExtendedError(ExtendedError.STALE_NXDOMAIN_ANSWER, "old"))) {
            Answer one = answer(Rcode.NXDOMAIN, alias(FIRST.name(), TARGET))
                    .authority(List.of(soa))
                    .extendedError(error)
                    .build();
            Answer whole = resolve(new AliasChaser(catalog(one, two)));
            assertThat(whole.answer()).containsExactly(one.answer().get(0), found);
            assertThat(whole.extendedError())
                    .isEqualTo(
                            error.code() == 15
                                    ? Optional.empty()
                                    : Optional.of(new ExtendedError(ExtendedError.STALE_ANSWER, "old")));
        }
    }

    @Test
    void aChainHasEachRecordOnce() {
        Name one = Name.fromConstantString("one.example.");
        Name back = Name.fromConstantString("c.one.example.");
        Name end = Name.fromConstantString("d.two.example.");
        RecordSet dname = RecordSet.of(new DNAMERecord(one, DClass.IN, 60, Name.fromConstantString("two.example.")));
        RecordSet found = RecordSet.of(new ARecord(end, DClass.IN, 60, new byte[] {(byte) 192, 0, 2, 1}));
        DnsResolver there = (question, client) -> new Resolution.Ready(answer(
                        Rcode.NOERROR,
                        dname,
                        alias(question.name(), question.name().equals(back) ? end : TARGET))
                .build());
        DnsResolver otherServer = (question, client) -> new Resolution.Ready(
                answer(Rcode.NOERROR, question.name().equals(end) ? found : alias(question.name(), back))
                        .build());
        Catalog catalog = Catalog.builder()
                .route(one, there)
                .route(Name.fromConstantString("two.example."), otherServer)
                .build();

        assertThat(resolve(new AliasChaser(catalog)).answer())
                .containsExactly(dname, alias(FIRST.name(), TARGET), alias(TARGET, back), alias(back, end), found);
    }
}
