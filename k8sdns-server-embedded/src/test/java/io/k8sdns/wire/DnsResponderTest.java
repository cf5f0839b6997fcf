package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.ExtendedErrorCodeOption;
import org.xbill.DNS.Flags;
import org.xbill.DNS.HINFORecord;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

class DnsResponderTest {
    private static final Name WEB = Name.fromConstantString("web.prod.svc.cluster.local.");
    private static final Name ZONE = Name.fromConstantString("cluster.local.");

    // ---- messages without a response

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 11})
    void aMessageShorterThanAHeaderGetsNoResponse(int length) {
        assertThat(Exchange.of(responder(addresses(1)), Exchange.UDP, new byte[length])
                        .isDropped())
                .isTrue();
    }

    @Test
    void aResponseGetsNoResponse() {
        assertThat(ask(
                                addresses(1),
                                Packet.query("web.prod.svc.cluster.local.", Type.A)
                                        .flags(0x8000))
                        .isDropped())
                .isTrue();
    }

    @Test
    void aMalformedResponseGetsNoResponse() {
        assertThat(ask(addresses(1), new Packet().flags(0x8000).count(0, 7)).isDropped())
                .isTrue();
    }

    // ---- malformed queries

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 65535})
    void zeroOrSeveralQuestionsAreFormerrWithoutQuestion(int count) {
        Exchange exchange = ask(addresses(1), new Packet().count(0, count));

        assertThat(exchange.hex()).isEqualTo("12 34 80 01 00 00 00 00 00 00 00 00");
    }

    @Test
    void theOptRecordIsReturnedForAnyNumberOfQuestions() {
        assertThat(ask(addresses(1), new Packet().opt(1232, 0, 0)).message().getOPT())
                .isNotNull();
        Packet two = Packet.query("a.", Type.A)
                .count(0, 2)
                .raw(1, 'b', 0)
                .number(Type.A)
                .number(1);
        Exchange exchange = ask(addresses(1), two.opt(1232, 0, 0));
        assertThat(exchange.message().getRcode()).isEqualTo(Rcode.FORMERR);
        assertThat(exchange.message().getOPT()).isNotNull();
        assertThat(exchange.message().getQuestion()).isNull();
    }

    @Test
    void bytesAfterTheLastRecordAreFormerrWithTheQuestion() {
        Exchange exchange = ask(addresses(1), Packet.query("a.", Type.A).raw(0));

        assertThat(exchange.hex()).isEqualTo("12 34 80 01 00 01 00 00 00 00 00 00 01 61 00 00 01 00 01");
    }

    @Test
    void aNameThatPointsToItselfIsFormerr() {
        assertFormerr(new Packet().count(0, 1).raw(0xC0, 12).number(Type.A).number(1));
    }

    @Test
    void aNameThatPointsForwardIsFormerr() {
        assertFormerr(
                new Packet().count(0, 1).raw(0xC0, 18).number(Type.A).number(1).name("a."));
    }

    @Test
    void aNameThatPointsIntoTheHeaderIsFormerr() {
        assertFormerr(new Packet().count(0, 1).raw(0xC0, 4).number(Type.A).number(1));
    }

    @Test
    void aLabelOfMoreThan63BytesIsFormerr() {
        assertFormerr(new Packet()
                .count(0, 1)
                .raw(64)
                .raw(new int[64])
                .raw(0)
                .number(Type.A)
                .number(1));
    }

    @Test
    void aNameOf255BytesIsANameAndOneOf256IsFormerr() {
        assertThat(ask(addresses(1), longName(61)).message().getRcode()).isEqualTo(Rcode.NOERROR);
        assertFormerr(longName(62));
    }

    private static Packet longName(int lastLabel) {
        Packet packet = new Packet().count(0, 1);
        for (int length : new int[] {63, 63, 63, lastLabel}) {
            packet.raw(length).raw(IntStream.range(0, length).map(i -> 'a').toArray());
        }
        return packet.raw(0).number(Type.A).number(1);
    }

    @Test
    void aQuestionThatEndsEarlyIsFormerrWithoutQuestion() {
        for (Packet packet : List.of(
                new Packet().count(0, 1),
                new Packet().count(0, 1).raw(1),
                new Packet().count(0, 1).raw(1, 'a'),
                new Packet().count(0, 1).raw(0xC0),
                new Packet().count(0, 1).raw(1, 'a', 0),
                new Packet().count(0, 1).raw(1, 'a', 0, 0, 1, 0))) {
            assertThat(ask(addresses(1), packet).hex()).isEqualTo("12 34 80 01 00 00 00 00 00 00 00 00");
        }
    }

    @Test
    void aRecordThatEndsEarlyIsFormerr() {
        assertFormerr(Packet.query("a.", Type.A).count(1, 1));
        assertFormerr(Packet.query("a.", Type.A).count(3, 1).raw(0).number(Type.OPT));
        assertFormerr(
                Packet.query("a.", Type.A).record(3, Type.TXT, 1, 0, 1, 'a').count(3, 2));
        assertFormerr(Packet.query("a.", Type.A)
                .count(2, 1)
                .raw(0)
                .number(Type.A)
                .number(1)
                .number(0)
                .number(0)
                .number(9));
    }

    @Test
    void aMissingRecordIsFormerrEvenWithTcSet() {
        assertFormerr(Packet.query("a.", Type.A).flags(0x0200).count(1, 1));
    }

    @Test
    void countsOfMillionsOfRecordsAreFormerr() {
        assertFormerr(Packet.query("a.", Type.A).count(1, 65535).count(2, 65535).count(3, 65535));
    }

    @Test
    @Timeout(60)
    void aChainOfPointersIsNotFollowedToItsEnd() {
        // 8,000 pointers, each to the previous one, and 3,000 records with the last pointer as their owner.
        Packet packet = Packet.query("a.", Type.A).count(1, 3001);
        packet.raw(0).number(Type.NULL).number(1).number(0).number(0).number(16000);
        int first = 12 + 7 + 11;
        packet.raw(0xC0, 12);
        for (int i = 1; i < 8000; i++) {
            packet.number(0xC000 | first + 2 * (i - 1));
        }
        for (int i = 0; i < 3000; i++) {
            packet.number(0xC000 | first + 2 * 7999)
                    .number(Type.NULL)
                    .number(1)
                    .number(0)
                    .number(0)
                    .number(0);
        }

        assertFormerr(packet);
    }

    @Test
    void aNameHasAtMost127Pointers() {
        for (int pointers : new int[] {1, 126, 127, 128, 129}) {
            // The data of the first record is a chain of pointers that begins at the question; the owner of the second
            // record points at its end.
            Packet packet = Packet.query("a.", Type.A).count(1, 2);
            packet.raw(0).number(Type.NULL).number(1).number(0).number(0).number(2 * (pointers - 1));
            int first = 12 + 7 + 11;
            int end = 12;
            for (int i = 0; i < pointers - 1; i++) {
                packet.number(0xC000 | end);
                end = first + 2 * i;
            }
            packet.number(0xC000 | end)
                    .number(Type.NULL)
                    .number(1)
                    .number(0)
                    .number(0)
                    .number(0);

            assertThat(ask(noData(), packet).message().getRcode())
                    .as("%s pointers", pointers)
                    .isEqualTo(pointers <= 127 ? Rcode.NOERROR : Rcode.FORMERR);
        }
    }

    @Test
    void recordsInAQueryAreReadAndIgnored() {
        Packet packet = Packet.query("web.prod.svc.cluster.local.", Type.A)
                .record(1, Type.A, 1, 5, 192, 0, 2, 1)
                .record(2, Type.NS, 1, 5, 0)
                .record(3, Type.TXT, 1, 5, 1, 'x');

        Message message = ask(addresses(1), packet).message();

        assertThat(message.getRcode()).isEqualTo(Rcode.NOERROR);
        assertThat(message.getSection(Section.ANSWER)).hasSize(1);
        assertThat(message.getSection(Section.AUTHORITY)).isEmpty();
        assertThat(message.getSection(Section.ADDITIONAL)).isEmpty();
    }

    // ---- the header

    @Test
    void everyOpcodeButQueryIsNotimpWithIdOpcodeAndQuestion() {
        for (int opcode = 1; opcode < 16; opcode++) {
            Exchange exchange = ask(addresses(1), Packet.query("a.", Type.SOA).opcode(opcode));

            assertThat(exchange.message().getHeader().getID()).isEqualTo(0x1234);
            assertThat(exchange.flags()).isEqualTo(0x8000 | opcode << 11 | Rcode.NOTIMP);
            assertThat(exchange.message().getQuestion().toString()).contains("a.", "SOA");
        }
    }

    @Test
    void anOpcodeWithABodyOfItsOwnIsNotimpAndNotFormerr() {
        assertThat(ask(addresses(1), new Packet().opcode(6).raw(0, 1, 0, 0)).flags())
                .isEqualTo(0x8000 | 6 << 11 | Rcode.NOTIMP);
    }

    @Test
    void onlyRdAndCdAreReturned() {
        Exchange exchange = ask(
                addresses(1),
                Packet.query("web.prod.svc.cluster.local.", Type.A).flags(0x07FF));

        assertThat(exchange.flags()).isEqualTo(0x8000 | 0x0400 | Packet.RD | Packet.CD);
    }

    @Test
    void aaAndRaAreThoseOfTheResolver() {
        Answer answer = Answer.builder(Rcode.NOERROR).recursionAvailable(true).build();

        assertThat(ask(answer, Packet.query("a.", Type.A)).flags()).isEqualTo(0x8000 | 0x0080);
    }

    @Test
    void theQueryBufferIsUnchanged() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(100);
        byte[] query = Packet.query("web.prod.svc.cluster.local.", Type.A).bytes();
        buffer.position(7);
        buffer.put(query).flip().position(7);
        Exchange exchange = new Exchange();

        responder(addresses(1)).respond(buffer.asReadOnlyBuffer(), Exchange.UDP, exchange);

        assertThat(exchange.message().getRcode()).isEqualTo(Rcode.NOERROR);
        assertThat(buffer.position()).isEqualTo(7);
        assertThat(buffer.remaining()).isEqualTo(query.length);
    }

    // ---- EDNS

    @Test
    void theOptOfAResponseHasTheSizeOfTheServerAndTheDoOfTheQuery() {
        Exchange exchange = ask(noData(), Packet.query("a.", Type.A).opt(4096, 0, Packet.DO));

        OPTRecord opt = exchange.message().getOPT();
        assertThat(opt.getPayloadSize()).isEqualTo(1232);
        assertThat(opt.getVersion()).isZero();
        assertThat(opt.getFlags()).isEqualTo(Packet.DO);
        assertThat(opt.getOptions()).isEmpty();
    }

    @Test
    void reservedFlagsOfOptAreNotCopied() {
        assertThat(ask(noData(), Packet.query("a.", Type.A).opt(4096, 0, 0x7FFF))
                        .message()
                        .getOPT()
                        .getFlags())
                .isZero();
    }

    @Test
    void aResponseToAQueryWithoutOptHasNone() {
        assertThat(ask(noData(), Packet.query("a.", Type.A)).message().getOPT()).isNull();
    }

    @Test
    void anotherVersionIsBadversWithVersion0() {
        Exchange exchange = ask(addresses(1), Packet.query("a.", Type.A).opt(4096, 1, 0));

        assertThat(exchange.message().getRcode()).isEqualTo(Rcode.BADVERS);
        assertThat(exchange.message().getOPT().getVersion()).isZero();
        assertThat(exchange.message().getSection(Section.ANSWER)).isEmpty();
    }

    @Test
    void twoOptsAreFormerrWithOneOpt() {
        Exchange exchange =
                ask(addresses(1), Packet.query("a.", Type.A).opt(4096, 0, 0).opt(4096, 0, 0));

        assertThat(exchange.message().getRcode()).isEqualTo(Rcode.FORMERR);
        assertThat(exchange.message().getSection(Section.ADDITIONAL)).hasSize(1);
    }

    @Test
    void anOptBelowANameIsFormerr() {
        assertFormerr(Packet.query("a.", Type.A)
                .count(3, 1)
                .name("a.")
                .number(Type.OPT)
                .number(4096)
                .number(0)
                .number(0)
                .number(0));
    }

    @Test
    void optionsThatDoNotFillTheirRecordAreFormerr() {
        assertFormerr(Packet.query("a.", Type.A).opt(4096, 0, 0, 0, 10, 0));
        assertFormerr(Packet.query("a.", Type.A).opt(4096, 0, 0, 0, 10, 0, 9, 1, 2));
    }

    @Test
    void noOptionIsEchoed() {
        // COOKIE, NSID, client subnet, padding, keepalive, an unassigned one, and each with a wrong length.
        int[][] options = {
            {0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8},
            {0, 10, 0, 1, 1},
            {0, 3, 0, 0},
            {0, 8, 0, 8, 0, 1, 32, 0, 192, 0, 2, 1},
            {0, 8, 0, 1, 9},
            {0, 12, 0, 2, 0, 0},
            {0, 11, 0, 0},
            {0, 11, 0, 1, 1},
            {0xFD, 0xE9, 0, 3, 1, 2, 3},
        };
        for (int[] option : options) {
            Message message = ask(addresses(1), Packet.query("a.", Type.A).opt(4096, 0, 0, option))
                    .message();

            assertThat(message.getRcode()).isEqualTo(Rcode.NOERROR);
            assertThat(message.getOPT().getOptions()).isEmpty();
        }
    }

    @Test
    void anExtendedErrorIsSentOnlyToClientsWithOpt() {
        Answer refused = Answer.failure(
                Rcode.REFUSED, new ExtendedError(ExtendedError.NOT_AUTHORITATIVE, "not ours: pr\u00fcfung."));

        assertThat(ask(refused, Packet.query("a.", Type.A)).message().getSection(Section.ADDITIONAL))
                .isEmpty();
        OPTRecord opt = ask(refused, Packet.query("a.", Type.A).opt(1232, 0, 0))
                .message()
                .getOPT();
        assertThat(opt.getOptions()).singleElement().isInstanceOfSatisfying(ExtendedErrorCodeOption.class, error -> {
            assertThat(error.getErrorCode()).isEqualTo(20);
            assertThat(error.getText()).isEqualTo("not ours: pr\u00fcfung.");
        });
    }

    @Test
    void theTextOfAnExtendedErrorIsShortenedBetweenCharacters() {
        Answer refused =
                Answer.failure(Rcode.REFUSED, new ExtendedError(ExtendedError.NOT_AUTHORITATIVE, "\u00fc".repeat(600)));

        Exchange exchange = ask(refused, longName(61).opt(512, 0, 0));

        assertThat(exchange.bytes().length).isBetween(511, 512);
        assertThat(exchange.message().getHeader().getFlag(Flags.TC)).isFalse();
        ExtendedErrorCodeOption error = (ExtendedErrorCodeOption)
                exchange.message().getOPT().getOptions().get(0);
        assertThat(error.getText()).matches("\u00fc+");
    }

    @Test
    void rcode15NeedsNoOpt() {
        assertThat(ask(Answer.failure(15), Packet.query("a.", Type.A)).message().getRcode())
                .isEqualTo(15);
    }

    @Test
    void anRcodeBeyond15NeedsOpt() {
        Answer answer = Answer.failure(Rcode.BADCOOKIE);

        assertThat(ask(answer, Packet.query("a.", Type.A)).message().getRcode()).isEqualTo(Rcode.SERVFAIL);
        assertThat(ask(answer, Packet.query("a.", Type.A).opt(1232, 0, 0))
                        .message()
                        .getRcode())
                .isEqualTo(Rcode.BADCOOKIE);
    }

    // ---- sizes

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 512, 513, 700, 1231, 1232, 1233, 4096, 65535})
    void aUdpResponseFitsTheLimitsOfTheClientAndTheServer(int payload) {
        Exchange exchange = ask(addresses(200), Packet.query(WEB + "", Type.A).opt(payload, 0, 0));

        int limit = Math.max(512, Math.min(payload, 1232));
        assertThat(exchange.bytes().length).isBetween(limit - 15, limit);
        assertThat(exchange.message().getHeader().getFlag(Flags.TC)).isTrue();
        assertThat(exchange.message().getOPT()).isNotNull();
    }

    @Test
    void withoutOptTheLimitIs512() {
        assertThat(ask(addresses(200), Packet.query(WEB + "", Type.A)).bytes().length)
                .isBetween(497, 512);
    }

    @Test
    void theLimitIsConfigurable() {
        for (int limit : new int[] {512, 900, 1400, 4096}) {
            DnsResponder responder =
                    DnsResponder.builder(fixed(addresses(1000))).udpLimit(limit).build();
            byte[] query = Packet.query(WEB + "", Type.A).opt(65535, 0, 0).bytes();

            assertThat(Exchange.of(responder, Exchange.UDP, query).bytes().length)
                    .isBetween(limit - 15, limit);
        }
        assertThatThrownBy(() -> DnsResponder.builder(fixed(noData())).udpLimit(511))
                .hasMessageContaining("512");
    }

    @Test
    void everyByteOfTheLimitIsUsed() {
        for (int limit = 512; limit < 512 + 2 * 16; limit++) {
            DnsResponder responder =
                    DnsResponder.builder(fixed(addresses(200))).udpLimit(limit).build();
            byte[] query = Packet.query(WEB + "", Type.A).opt(65535, 0, 0).bytes();

            // 12 header, 32 question, 11 OPT, 16 a record.
            assertThat(Exchange.of(responder, Exchange.UDP, query).bytes()).hasSize(55 + (limit - 55) / 16 * 16);
        }
    }

    @Test
    void anAnswerOfExactlyTheLimitIsWhole() {
        // 12 header, 32 question, 16 a record: 29 records are 508 bytes, 30 are 524.
        Exchange whole = ask(addresses(29), Packet.query(WEB + "", Type.A));
        Exchange cut = ask(addresses(30), Packet.query(WEB + "", Type.A));

        assertThat(whole.bytes()).hasSize(508);
        assertThat(whole.message().getHeader().getFlag(Flags.TC)).isFalse();
        assertThat(cut.bytes()).hasSize(508);
        assertThat(cut.message().getHeader().getFlag(Flags.TC)).isTrue();
    }

    @Test
    @Timeout(60)
    void fiveThousandAddressesAreCutAt65535BytesOverTcp() {
        Exchange exchange = Exchange.of(
                responder(addresses(5000)),
                Exchange.TCP,
                Packet.query(WEB + "", Type.A).bytes());

        assertThat(exchange.bytes().length).isBetween(65535 - 16, 65535);
        assertThat(exchange.message().getHeader().getFlag(Flags.TC)).isTrue();
        assertThat(exchange.message().getSection(Section.ANSWER)).hasSize((65535 - 44) / 16);
    }

    @Test
    void anAnswerLargerThanAnyMessageIsReported() {
        List<Question> reported = new ArrayList<>();
        for (int addresses : new int[] {100, 4000, 5000}) {
            DnsResponder responder = DnsResponder.builder(fixed(addresses(addresses)))
                    .tooLarge(reported::add)
                    .build();
            byte[] query = Packet.query(WEB + "", Type.A).bytes();
            Exchange.of(responder, Exchange.UDP, query);
            Exchange.of(responder, Exchange.TCP, query);
        }
        assertThat(reported).extracting(Question::type).containsExactly(RecordType.A);
    }

    @Test
    void fourThousandAddressesAreWholeOverTcp() {
        Exchange exchange = Exchange.of(
                responder(addresses(4000)),
                Exchange.TCP,
                Packet.query(WEB + "", Type.A).bytes());

        assertThat(exchange.message().getHeader().getFlag(Flags.TC)).isFalse();
        assertThat(exchange.message().getSection(Section.ANSWER)).hasSize(4000);
    }

    @Test
    void additionalRecordsAreOmittedInWholeSetsWithoutTc() {
        List<RecordSet> glue = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            glue.add(addressSet(Name.fromConstantString("p" + i + ".web.prod.svc.cluster.local."), 2));
        }
        Answer answer = Answer.builder(Rcode.NOERROR)
                .authoritative()
                .answer(List.of(text("x")))
                .additional(glue)
                .build();

        Message message =
                ask(answer, Packet.query(WEB + "", Type.TXT).opt(512, 0, 0)).message();

        assertThat(message.getHeader().getFlag(Flags.TC)).isFalse();
        assertThat(message.getSection(Section.ANSWER)).hasSize(1);
        List<Record> kept = message.getSection(Section.ADDITIONAL).stream()
                .filter(one -> one.getType() == Type.A)
                .toList();
        assertThat(kept.size())
                .isBetween(20, 59)
                .satisfies(size -> assertThat(size % 2).isZero());
        assertThat(message.getOPT()).isNotNull();
    }

    @Test
    void onlyOptFollowsATruncatedAnswer() {
        Answer answer = Answer.builder(Rcode.NOERROR)
                .authoritative()
                .answer(List.of(addressSet(WEB, 100)))
                .authority(List.of(soa()))
                .additional(List.of(addressSet(ZONE, 1)))
                .build();

        Message message =
                ask(answer, Packet.query(WEB + "", Type.A).opt(512, 0, 0)).message();

        assertThat(message.getHeader().getFlag(Flags.TC)).isTrue();
        assertThat(message.getSection(Section.AUTHORITY)).isEmpty();
        assertThat(message.getSection(Section.ADDITIONAL)).hasSize(1);
    }

    // ---- names

    @Test
    void everyOwnerPointsToTheQuestionAndKeepsItsSpelling() {
        Exchange exchange = ask(
                Answer.builder(Rcode.NOERROR)
                        .authoritative()
                        .answer(List.of(addressSet(Name.fromConstantString("wEb.A."), 2)))
                        .build(),
                Packet.query("wEb.A.", Type.A));

        assertThat(exchange.hex())
                .isEqualTo("12 34 84 00 00 01 00 02 00 00 00 00 "
                        + "03 77 45 62 01 41 00 00 01 00 01 "
                        + "c0 0c 00 01 00 01 00 00 00 05 00 04 c6 33 00 00 "
                        + "c0 0c 00 01 00 01 00 00 00 05 00 04 c6 33 00 01");
    }

    @Test
    void rootIsWrittenInFullBecauseAPointerIsLonger() {
        Exchange exchange = ask(
                Answer.builder(Rcode.NOERROR)
                        .authoritative()
                        .answer(List.of(addressSet(Name.root, 1)))
                        .build(),
                Packet.query(".", Type.A));

        assertThat(exchange.hex())
                .isEqualTo("12 34 84 00 00 01 00 01 00 00 00 00 "
                        + "00 00 01 00 01 "
                        + "00 00 01 00 01 00 00 00 05 00 04 c6 33 00 00");
    }

    @Test
    void namesOfASoaPointIntoTheQuestionInAnyCase() {
        Exchange exchange = ask(
                Answer.builder(Rcode.NXDOMAIN)
                        .authoritative()
                        .authority(List.of(soa()))
                        .build(),
                Packet.query("x.Cluster.LOCAL.", Type.A));

        assertThat(exchange.hex())
                .isEqualTo("12 34 84 03 00 01 00 00 00 01 00 00 "
                        + "01 78 07 43 6c 75 73 74 65 72 05 4c 4f 43 41 4c 00 00 01 00 01 "
                        + "c0 0e 00 06 00 01 00 00 00 05 00 2a "
                        + "02 6e 73 03 64 6e 73 c0 0e "
                        + "0a 68 6f 73 74 6d 61 73 74 65 72 c0 0e "
                        + "00 00 00 01 00 00 1c 20 00 00 07 08 00 01 51 80 00 00 00 05");
    }

    @Test
    void srvTargetsAreWrittenInFull() {
        Name port = Name.fromConstantString("_h._tcp.web.prod.svc.cluster.local.");
        RecordSet srv = RecordSet.of(new SRVRecord(port, DClass.IN, 5, 0, 100, 80, WEB));

        Exchange exchange = ask(
                Answer.builder(Rcode.NOERROR)
                        .authoritative()
                        .answer(List.of(srv))
                        .additional(List.of(addressSet(WEB, 1)))
                        .build(),
                Packet.query(port + "", Type.SRV));

        // 12 header, 40 question, 12 record, 6 + 28 data; then the address, whose owner points into the question.
        assertThat(exchange.bytes()).hasSize(12 + 40 + 12 + 6 + 28 + 16);
        assertThat(exchange.message().getSection(Section.ADDITIONAL))
                .singleElement()
                .satisfies(one -> assertThat(one.getName()).isEqualTo(WEB));
    }

    @Test
    void recordsOfAnAliasTargetPointAtTheTargetAndNotAtAnotherPointer() {
        RecordSet alias = RecordSet.of(new CNAMERecord(WEB, DClass.IN, 5, Name.fromConstantString("target.example.")));
        RecordSet target = addressSet(Name.fromConstantString("target.example."), 3);
        Answer answer = Answer.builder(Rcode.NOERROR)
                .authoritative()
                .answer(List.of(alias, target))
                .build();

        byte[] response = ask(answer, Packet.query(WEB + "", Type.A)).bytes();

        // The data of the first record contains the target; each later record has 16 bytes.
        int data = 12 + WEB.length() + 4 + 12;
        for (int owner = response.length - 3 * 16; owner < response.length; owner += 16) {
            assertThat(Arrays.copyOfRange(response, owner, owner + 2)).isEqualTo(new byte[] {(byte) 0xC0, (byte) data});
        }
    }

    @Test
    void namesBeyondTheReachOfAPointerAreWrittenInFull() {
        List<RecordSet> sets = new ArrayList<>();
        for (int i = 0; i < 800; i++) {
            sets.add(addressSet(Name.fromConstantString("p" + i + ".far" + i % 7 + ".example."), 2));
        }
        Exchange exchange = Exchange.of(
                responder(Answer.builder(Rcode.NOERROR)
                        .authoritative()
                        .answer(sets)
                        .build()),
                Exchange.TCP,
                Packet.query("a.", Type.A).bytes());

        assertThat(exchange.bytes().length).isGreaterThan(0x7000);
        assertThat(exchange.message().getSection(Section.ANSWER))
                .isEqualTo(sets.stream().flatMap(set -> set.records().stream()).toList());
    }

    // ---- the order of addresses

    @Test
    void addressesRotateByTheMessageId() {
        for (int id : new int[] {0, 1, 4, 5, 7, 65535}) {
            Message message =
                    ask(addresses(5), Packet.query(WEB + "", Type.A).id(id)).message();

            assertThat(lastBytes(message))
                    .containsExactlyElementsOf(
                            IntStream.range(0, 5).mapToObj(i -> (id + i) % 5).toList());
        }
    }

    @Test
    void addressesRotateBeforeTheyAreCut() {
        Message message =
                ask(addresses(100), Packet.query(WEB + "", Type.A).id(90)).message();

        assertThat(lastBytes(message)).startsWith(90, 91, 92).contains(99, 0, 1);
    }

    @Test
    void onlyAddressesRotateAndAliasesRemainFirst() {
        RecordSet alias = RecordSet.of(new CNAMERecord(WEB, DClass.IN, 5, ZONE));
        Answer answer = Answer.builder(Rcode.NOERROR)
                .authoritative()
                .answer(List.of(alias, addressSet(ZONE, 3)))
                .additional(List.of(addressSet(WEB, 3)))
                .build();

        Message message = ask(answer, Packet.query(WEB + "", Type.A).id(1)).message();

        assertThat(message.getSection(Section.ANSWER).get(0)).isInstanceOf(CNAMERecord.class);
        assertThat(lastBytes(message)).containsExactly(1, 2, 0);
        assertThat(message.getSection(Section.ADDITIONAL))
                .extracting(one -> ((ARecord) one).getAddress().getAddress()[3])
                .containsExactly((byte) 0, (byte) 1, (byte) 2);
    }

    @Test
    void serviceRecordsNeverRotate() {
        List<Record> records = IntStream.range(0, 3)
                .<Record>mapToObj(i -> new SRVRecord(WEB, DClass.IN, 5, 0, 33, 80 + i, ZONE))
                .toList();
        Answer answer = Answer.builder(Rcode.NOERROR)
                .authoritative()
                .answer(List.of(new RecordSet(WEB, RecordType.SRV, 5, records)))
                .build();

        assertThat(ask(answer, Packet.query(WEB + "", Type.SRV).id(2)).message().getSection(Section.ANSWER))
                .containsExactlyElementsOf(records);
    }

    @Test
    void stableKeepsTheOrderAndShuffleUsesTheRandomnessOfTheHost() {
        DnsResponder stable = DnsResponder.builder(fixed(addresses(5)))
                .order(AnswerOrder.STABLE)
                .build();
        DnsResponder shuffle = DnsResponder.builder(fixed(addresses(5)))
                .order(AnswerOrder.SHUFFLE)
                .random(new Random(1))
                .build();
        byte[] query = Packet.query(WEB + "", Type.A).id(3).bytes();

        assertThat(lastBytes(Exchange.of(stable, Exchange.UDP, query).message()))
                .containsExactly(0, 1, 2, 3, 4);
        List<List<Integer>> orders = IntStream.range(0, 20)
                .mapToObj(
                        i -> lastBytes(Exchange.of(shuffle, Exchange.UDP, query).message()))
                .toList();
        assertThat(orders).allSatisfy(order -> assertThat(order).containsExactlyInAnyOrder(0, 1, 2, 3, 4));
        assertThat(orders.stream().distinct().count()).isGreaterThan(5);
    }

    @Test
    void aTruncatedAnswerHasTheFirstAddressesOfTheShuffledOrder() {
        DnsResponder shuffle = DnsResponder.builder(fixed(addresses(200)))
                .order(AnswerOrder.SHUFFLE)
                .random(new Random(1))
                .build();
        List<Integer> all = new ArrayList<>(IntStream.range(0, 200).boxed().toList());
        Random random = new Random(1);
        for (int i = 0; i < 199; i++) {
            Collections.swap(all, i, i + random.nextInt(200 - i));
        }

        List<Integer> sent = lastBytes(Exchange.of(
                        shuffle, Exchange.UDP, Packet.query(WEB + "", Type.A).bytes())
                .message());
        assertThat(sent).hasSizeBetween(20, 30).isEqualTo(all.subList(0, sent.size()));
    }

    @Test
    void shuffleWithoutRandomnessCannotBeBuilt() {
        assertThatThrownBy(() -> DnsResponder.builder(fixed(noData()))
                        .order(AnswerOrder.SHUFFLE)
                        .build())
                .isInstanceOf(IllegalStateException.class);
    }

    // ---- failed and pending answers

    @Test
    @SuppressWarnings("NullAway")
    void aResolverThatReturnsNullCausesServfail() {
        Exchange exchange = Exchange.of(
                responder((question, client) -> null),
                Exchange.UDP,
                Packet.query("a.", Type.A).bytes());

        assertThat(exchange.message().getRcode()).isEqualTo(Rcode.SERVFAIL);
        assertThat(exchange.outcomes()).isEqualTo(1);
    }

    @Test
    void aResolverThatThrowsCausesServfail() {
        Exchange exchange = Exchange.of(
                responder((question, client) -> {
                    throw new IllegalStateException("on purpose");
                }),
                Exchange.UDP,
                Packet.query("a.", Type.A).bytes());

        assertThat(exchange.message().getRcode()).isEqualTo(Rcode.SERVFAIL);
        assertThat(exchange.outcomes()).isEqualTo(1);
    }

    @Test
    void aPendingAnswerIsSentOnCompletion() {
        CompletableFuture<Answer> later = new CompletableFuture<>();
        Exchange exchange = Exchange.of(
                responder((question, client) -> new Resolution.Pending(later)),
                Exchange.UDP,
                Packet.query(WEB + "", Type.A).bytes());

        assertThat(exchange.outcomes()).isZero();
        later.complete(addresses(1));
        assertThat(exchange.message().getSection(Section.ANSWER)).hasSize(1);
    }

    @Test
    void aPendingAnswerThatFailsIsServfail() {
        for (boolean withNull : new boolean[] {true, false}) {
            CompletableFuture<Answer> later = new CompletableFuture<>();
            Exchange exchange = Exchange.of(
                    responder((question, client) -> new Resolution.Pending(later)),
                    Exchange.UDP,
                    Packet.query("a.", Type.A).bytes());
            if (withNull) {
                completeWithNull(later);
            } else {
                later.completeExceptionally(new IllegalStateException("on purpose"));
            }

            assertThat(exchange.message().getRcode()).isEqualTo(Rcode.SERVFAIL);
        }
    }

    @SuppressWarnings("NullAway") // A host without null checks may do this.
    private static void completeWithNull(CompletableFuture<Answer> later) {
        later.complete(null);
    }

    @Test
    void theQueryBufferMayBeUsedAgainWhileTheAnswerIsPending() {
        CompletableFuture<Answer> later = new CompletableFuture<>();
        byte[] query = Packet.query(WEB + "", Type.A).bytes();
        Exchange exchange =
                Exchange.of(responder((question, client) -> new Resolution.Pending(later)), Exchange.UDP, query);
        java.util.Arrays.fill(query, (byte) 0xFF);
        later.complete(addresses(1));

        assertThat(exchange.message().getQuestion().getName()).isEqualTo(WEB);
    }

    @Test
    void anAnswerThatCannotBeWrittenIsServfail() {
        Record broken = new HINFORecord(WEB, DClass.IN, 5, "x", "y") {
            @Override
            public byte[] toWire(int section) {
                throw new IllegalStateException("on purpose");
            }
        };
        Answer answer = Answer.builder(Rcode.NOERROR)
                .authoritative()
                .answer(List.of(RecordSet.of(broken)))
                .build();

        assertThat(ask(answer, Packet.query(WEB + "", Type.HINFO)).message().getRcode())
                .isEqualTo(Rcode.SERVFAIL);
    }

    // ---- helpers

    private static void assertFormerr(Packet packet) {
        Exchange exchange = ask(addresses(1), packet);
        assertThat(exchange.message().getRcode()).isEqualTo(Rcode.FORMERR);
        assertThat(exchange.message().getSection(Section.ANSWER)).isEmpty();
        assertThat(exchange.flags() & 0x7B00).isZero();
    }

    private static Exchange ask(Answer answer, Packet packet) {
        return Exchange.of(responder(answer), Exchange.UDP, packet.bytes());
    }

    private static DnsResponder responder(Answer answer) {
        return responder(fixed(answer));
    }

    private static DnsResponder responder(DnsResolver resolver) {
        return DnsResponder.builder(resolver).build();
    }

    private static DnsResolver fixed(Answer answer) {
        return (question, client) -> new Resolution.Ready(answer);
    }

    private static Answer noData() {
        return Answer.builder(Rcode.NOERROR)
                .authoritative()
                .authority(List.of(soa()))
                .build();
    }

    /** Returns addresses of {@code WEB} from 198.51.0.0 on. */
    private static Answer addresses(int count) {
        return Answer.builder(Rcode.NOERROR)
                .authoritative()
                .answer(List.of(addressSet(WEB, count)))
                .build();
    }

    private static RecordSet addressSet(Name owner, int count) {
        List<Record> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(new ARecord(owner, DClass.IN, 5, address(i)));
        }
        return new RecordSet(owner, RecordType.A, 5, records);
    }

    private static InetAddress address(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {(byte) 198, 51, (byte) (number >> 8), (byte) number});
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static RecordSet text(String text) {
        return RecordSet.of(new TXTRecord(WEB, DClass.IN, 5, text));
    }

    private static RecordSet soa() {
        return RecordSet.of(new SOARecord(
                ZONE,
                DClass.IN,
                5,
                Name.fromConstantString("ns.dns.cluster.local."),
                Name.fromConstantString("hostmaster.cluster.local."),
                1,
                7200,
                1800,
                86400,
                5));
    }

    private static List<Integer> lastBytes(Message message) {
        return message.getSection(Section.ANSWER).stream()
                .filter(ARecord.class::isInstance)
                .map(one -> ((ARecord) one).getAddress().getAddress()[3] & 0xFF)
                .toList();
    }
}
