package io.k8sdns.resolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.ClusterDns;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.zone.ClusterZone;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.DNAMERecord;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.ExtendedErrorCodeOption;
import org.xbill.DNS.Flags;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

class AnswerTest {
    private static final Name WEB = Name.fromConstantString("web.example.com.");
    private static final Record QUESTION = Record.newRecord(WEB, Type.A, DClass.IN);

    @Test
    void anAnswerIsEqualAfterConversionToAMessage() {
        ClusterZone zone = Shop.zone(ZoneSettings.DEFAULTS);
        ClusterDns dns = ClusterDns.of(zone);
        for (Name name : dns.names()) {
            for (RecordType type : List.of(RecordType.A, RecordType.AAAA, RecordType.SRV, RecordType.PTR)) {
                Answer answer = dns.lookup(name, type);
                Message query = Message.newQuery(Record.newRecord(name, type.number(), DClass.IN));
                assertThat(Answer.of(answer.toMessage(query))).isEqualTo(answer);
            }
        }
    }

    @Test
    void aMessageHasTheIdTheQuestionAndTheFlagsOfItsQuery() {
        Message query = Message.newQuery(QUESTION);
        query.getHeader().setFlag(Flags.CD);
        Message response =
                Answer.builder(Rcode.NXDOMAIN).authoritative().build().toMessage(query);

        assertThat(response.getHeader().getID()).isEqualTo(query.getHeader().getID());
        assertThat(response.getQuestion()).isEqualTo(QUESTION);
        assertThat(response.getHeader().printFlags()).isEqualTo("qr aa rd cd ");
        assertThat(response.getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(response.getOPT()).isNull();
    }

    @Test
    void anExtendedErrorNeedsAQueryWithEdns() {
        Answer refused = Answer.failure(Rcode.REFUSED, new ExtendedError(20, "not here"));
        Message query = Message.newQuery(QUESTION);
        assertThat(Answer.of(refused.toMessage(query)).extendedError()).isEmpty();

        query.addRecord(new OPTRecord(1232, 0, 0, 0x8000), Section.ADDITIONAL);
        Message response = refused.toMessage(query);
        assertThat(response.getOPT().getFlags()).isEqualTo(0x8000);
        assertThat(Answer.of(response)).isEqualTo(refused);
    }

    @Test
    void anRcodeAbove15NeedsAQueryWithEdns() {
        Answer badCookie = Answer.failure(Rcode.BADCOOKIE);
        Message query = Message.newQuery(QUESTION);
        assertThat(badCookie.toMessage(query).getRcode()).isEqualTo(Rcode.SERVFAIL);
        query.addRecord(new OPTRecord(1232, 0, 0), Section.ADDITIONAL);
        assertThat(Answer.of(badCookie.toMessage(query)).rcode()).isEqualTo(Rcode.BADCOOKIE);
        assertThat(badCookie.status()).isEqualTo(AnswerStatus.OTHER);
        assertThat(badCookie).hasToString("BADCOOKIE");
    }

    @Test
    void optionsNeedAQueryWithEdnsAndAreNotReadFromAResponse() {
        EDNSOption option = new GenericEDNSOption(65432, new byte[] {'f', 'o', 'o'});
        Answer answer = Answer.failure(Rcode.REFUSED, new ExtendedError(18, "no")).toBuilder()
                .ednsOptions(List.of(option))
                .build();
        Message query = Message.newQuery(Record.newRecord(Name.root, Type.A, DClass.IN));
        assertThat(answer.toMessage(query).getOPT()).isNull();

        query.addRecord(new OPTRecord(1232, 0, 0), Section.ADDITIONAL);
        Message response = answer.toMessage(query);
        assertThat(response.getOPT().getOptions(65432)).containsExactly(option);
        assertThat(Answer.of(response))
                .isEqualTo(answer.toBuilder().ednsOptions(List.of()).build());
        assertThat(answer.withRecursionAvailable(true).ednsOptions()).containsExactly(option);
        assertThat(answer).isNotEqualTo(Answer.failure(Rcode.REFUSED, new ExtendedError(18, "no")));
    }

    @Test
    void anExtendedErrorWithoutTextHasAnEmptyText() {
        Message response = new Message();
        response.addRecord(new OPTRecord(1232, 0, 0, 0, List.of(new ExtendedErrorCodeOption(3))), Section.ADDITIONAL);
        assertThat(Answer.of(response).extendedError()).contains(new ExtendedError(3, ""));
    }

    @Test
    void aSetOfRecordsHasTheLeastTtl() throws UnknownHostException {
        Message response = new Message();
        response.addRecord(address(300, 1), Section.ANSWER);
        response.addRecord(address(60, 2), Section.ANSWER);
        assertThat(Answer.of(response).answer().stream().flatMap(RecordSet::lines))
                .containsExactly("web.example.com. 60 IN A 192.0.2.1", "web.example.com. 60 IN A 192.0.2.2");
    }

    @Test
    void namesKeepTheirCaseForAnyTtl() {
        Message response = new Message();
        for (String target : List.of("Z.Example.", "Y.Example.")) {
            response.addRecord(
                    new PTRRecord(WEB, DClass.IN, target.startsWith("Z") ? 300 : 60, Name.fromConstantString(target)),
                    Section.ANSWER);
        }
        assertThat(Answer.of(response).ptrTargets())
                .extracting(Name::toString)
                .containsExactlyInAnyOrder("Z.Example.", "Y.Example.");
    }

    @Test
    void signaturesAndDnamesAreNotData() throws UnknownHostException {
        Name target = Name.fromConstantString("x.example.com.");
        RecordSet alias = RecordSet.of(new CNAMERecord(WEB, DClass.IN, 5, target));
        RecordSet subtree =
                RecordSet.of(new DNAMERecord(Name.fromConstantString("example.com."), DClass.IN, 5, target));
        RecordSet soa = RecordSet.of(new SOARecord(target, DClass.IN, 5, target, target, 1, 1, 1, 1, 1));
        for (List<RecordSet> answer : List.of(List.of(alias), List.of(subtree, alias))) {
            Answer negative = Answer.builder(Rcode.NOERROR)
                    .answer(answer)
                    .authority(List.of(soa))
                    .build();
            assertThat(negative.status()).isEqualTo(AnswerStatus.NODATA);
        }
    }

    @Test
    void recordsOfOtherClassesAreIgnoredAndTheFirstExtendedErrorIsUsed() throws UnknownHostException {
        Message response = new Message();
        response.addRecord(new ARecord(WEB, DClass.CH, 60, InetAddress.getByAddress(new byte[4])), Section.ANSWER);
        response.addRecord(
                new OPTRecord(
                        1232, 0, 0, 0, List.of(new ExtendedErrorCodeOption(22), new ExtendedErrorCodeOption(3, "b"))),
                Section.ADDITIONAL);
        assertThat(Answer.of(response)).hasToString("NODATA (extended error 22)");
        assertThat(new ExtendedError(0, "a\u0007b")).hasToString("a\\u0007b");
        assertThatThrownBy(() -> new ExtendedError(65_536, "")).isInstanceOf(IllegalArgumentException.class);
    }

    private static ARecord address(long ttl, int last) throws UnknownHostException {
        return new ARecord(WEB, DClass.IN, ttl, InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, (byte) last}));
    }

    @ParameterizedTest
    @CsvSource({"0, NODATA", "3, NXDOMAIN", "2, SERVFAIL", "5, REFUSED", "4, OTHER", "4095, OTHER"})
    void theStatusOfAnAnswerWithoutRecordsIsItsRcode(int rcode, AnswerStatus status) {
        assertThat(Answer.failure(rcode).status()).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({"-1", "4096"})
    void anRcodeHasTwelveBits(int rcode) {
        assertThatThrownBy(() -> Answer.builder(rcode)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aCopyWithoutChangesIsEqual() throws UnknownHostException {
        Answer answer = Answer.builder(Rcode.NOERROR)
                .authoritative()
                .recursionAvailable(true)
                .answer(List.of(RecordSet.of(address(5, 1))))
                .authority(List.of(RecordSet.of(address(5, 2))))
                .additional(List.of(RecordSet.of(address(5, 3))))
                .extendedError(new ExtendedError(3, "stale"))
                .build();
        assertThat(answer.toBuilder().build()).isEqualTo(answer).hasSameHashCodeAs(answer);
        assertThat(answer.withRecursionAvailable(false)).isNotEqualTo(answer);
        assertThat(answer.toBuilder().authoritative(false).build()).isNotEqualTo(answer);
        assertThat(answer.toBuilder().answer(List.of()).build()).isNotEqualTo(answer);
        assertThat(answer.toBuilder().authority(List.of()).build()).isNotEqualTo(answer);
        assertThat(answer.toBuilder().additional(List.of()).build()).isNotEqualTo(answer);
        assertThat(answer.toBuilder()
                        .extendedError(new ExtendedError(4, "stale"))
                        .build())
                .isNotEqualTo(answer);
    }
}
