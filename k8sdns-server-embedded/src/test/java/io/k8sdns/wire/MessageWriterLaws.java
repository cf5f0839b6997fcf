package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.ExtendedErrorCodeOption;
import org.xbill.DNS.Flags;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.HINFORecord;
import org.xbill.DNS.MXRecord;
import org.xbill.DNS.Message;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

/** dnsjava reads from a written message the whole answer, or as much of the answer as the limit allows. */
class MessageWriterLaws {
    private static final Name WEB = Name.fromConstantString("web.prod.svc.cluster.local.");

    @Property(tries = 250)
    void anAnswerThatFitsIsReadBack(@ForAll("queries") Query query, @ForAll("answers") Answer answer) {
        Message message = read(write(query, answer, 65535));

        assertThat(message.getHeader().getFlag(Flags.TC)).isFalse();
        assertThat(message.getQuestion().getName())
                .isEqualTo(query.question().orElseThrow().name());
        assertThat(message.getSection(Section.ANSWER)).isEqualTo(records(answer.answer()));
        assertThat(message.getSection(Section.AUTHORITY)).isEqualTo(records(answer.authority()));
        assertThat(withoutOpt(message)).isEqualTo(records(answer.additional()));
        assertThat(message.getOPT() != null).isEqualTo(query.edns().isPresent());
        assertThat(error(message)).isEqualTo(query.edns().isPresent() ? answer.extendedError() : Optional.empty());
        assertThat(options(message)).isEqualTo(query.edns().isPresent() ? answer.ednsOptions() : List.of());
    }

    /**
     * The answer section is cut after a record, the others after a set, as late as possible; nothing follows a section that
     * was cut, but OPT and the code of the extended error are always there.
     */
    @Property(tries = 250)
    void anAnswerThatDoesNotFitIsCutAsLateAsPossible(
            @ForAll("queries") Query query, @ForAll("answers") Answer answer, @ForAll("limits") int limit) {
        ByteBuffer response = write(query, answer, limit);
        Message message = read(response);

        int answers = fitting(
                records(answer.answer()).size(),
                limit,
                count -> write(query, part(answer, first(answer.answer(), count), 0, 0), 65535));
        boolean whole = answers == records(answer.answer()).size();
        int authorities = whole
                ? fitting(
                        answer.authority().size(),
                        limit,
                        count -> write(query, part(answer, answer.answer(), count, 0), 65535))
                : 0;
        int additionals = whole && authorities == answer.authority().size()
                ? fitting(
                        answer.additional().size(),
                        limit,
                        count -> write(query, part(answer, answer.answer(), authorities, count), 65535))
                : 0;
        assertThat(response.remaining()).isLessThanOrEqualTo(limit);
        assertThat(message.getHeader().getFlag(Flags.TC)).isEqualTo(!whole);
        assertThat(message.getSection(Section.ANSWER))
                .isEqualTo(records(answer.answer()).subList(0, answers));
        assertThat(message.getSection(Section.AUTHORITY))
                .isEqualTo(records(answer.authority().subList(0, authorities)));
        assertThat(withoutOpt(message)).isEqualTo(records(answer.additional().subList(0, additionals)));
        Optional<ExtendedError> error = query.edns().isPresent() ? answer.extendedError() : Optional.empty();
        assertThat(error(message).map(ExtendedError::code)).isEqualTo(error.map(ExtendedError::code));
        if (error.isPresent()) {
            String all = error.get().text();
            String sent = error(message).orElseThrow().text();
            assertThat(all).startsWith(sent);
            if (sent.length() < all.length()) {
                String next = new String(Character.toChars(all.codePointAt(sent.length())));
                assertThat(response.remaining() + next.getBytes(StandardCharsets.UTF_8).length)
                        .as("the next character would have fitted")
                        .isGreaterThan(limit);
            }
        }
    }

    @Test
    void nothingFollowsAnAuthoritySectionThatDidNotFit() {
        Query query = new Query(1, 0, Optional.of(Question.of(WEB, RecordType.A)), Optional.empty(), false);
        RecordSet address = addresses(WEB, 1, 4);
        Answer answer = Answer.builder(Rcode.NOERROR)
                .authoritative()
                .answer(List.of(address))
                .authority(List.of(text(600)))
                .additional(List.of(address))
                .build();

        Message message = read(write(query, answer, 512));

        assertThat(message.getSection(Section.ANSWER)).hasSize(1);
        assertThat(message.getSection(Section.AUTHORITY)).isEmpty();
        assertThat(message.getSection(Section.ADDITIONAL)).isEmpty();
    }

    @Test
    void textOfAnExtendedErrorIsCutBetweenCharacters() {
        Query query = new Query(
                1, 0, Optional.of(Question.of(WEB, RecordType.A)), Optional.of(new Query.Edns(0, 1232, false)), false);
        for (String character : List.of("a", "\u00fc", "\u20ac", "\ud83d\ude00")) {
            Answer answer = Answer.failure(Rcode.REFUSED, new ExtendedError(20, character.repeat(600)));
            int length = character.getBytes(StandardCharsets.UTF_8).length;
            for (int limit = 512; limit < 520; limit++) {
                ByteBuffer response = write(query, answer, limit);
                String text = error(read(response)).orElseThrow().text();
                assertThat(text).isEqualTo(character.repeat(text.length() / character.length()));
                assertThat(response.remaining()).isBetween(limit - length + 1, limit);
            }
        }
    }

    /** Writes answers of every size, so that the writer's buffer grows within each field once. */
    @Test
    void everySizeIsWritten() {
        Query query = new Query(
                1,
                0,
                Optional.of(Question.of(WEB, RecordType.TXT)),
                Optional.of(new Query.Edns(0, 4096, false)),
                false);
        RecordSet srv = RecordSet.of(new SRVRecord(WEB, DClass.IN, 5, 1, 2, 3, Name.fromConstantString("a.b.")));
        RecordSet soa =
                RecordSet.of(new SOARecord(WEB, DClass.IN, 5, WEB, Name.fromConstantString("h."), 1, 2, 3, 4, 5));
        for (int size = 300; size < 2200; size++) {
            Answer answer = Answer.builder(Rcode.NOERROR)
                    .authoritative()
                    .answer(List.of(text(size)))
                    .authority(List.of(soa))
                    .additional(List.of(srv))
                    .build();
            Answer textAlone = Answer.builder(Rcode.NOERROR)
                    .authoritative()
                    .answer(List.of(text(size)))
                    .build();
            for (Answer one : List.of(answer, textAlone)) {
                Message message = read(write(query, one, 65535));
                assertThat(message.getSection(Section.ANSWER)).isEqualTo(records(one.answer()));
                assertThat(message.getSection(Section.AUTHORITY)).isEqualTo(records(one.authority()));
                assertThat(withoutOpt(message)).isEqualTo(records(one.additional()));
                assertThat(message.getOPT()).isNotNull();
            }
        }
    }

    @Test
    void aRecordLargerThanTheMessageBeforeItIsWritten() {
        Query query = new Query(1, 0, Optional.of(Question.of(WEB, RecordType.TXT)), Optional.empty(), false);
        for (int size : new int[] {2_000, 5_000, 60_000}) {
            Answer answer = Answer.builder(Rcode.NOERROR)
                    .authoritative()
                    .answer(List.of(text(size)))
                    .build();
            assertThat(read(write(query, answer, 65535)).getSection(Section.ANSWER))
                    .isEqualTo(records(answer.answer()));
        }
    }

    private static ByteBuffer write(Query query, Answer answer, int limit) {
        return MessageWriter.write(query, answer, limit, RecordSet::records);
    }

    private interface Writing {
        ByteBuffer write(int count);
    }

    /** Returns how many units fit, writing them without a limit. */
    private static int fitting(int all, int limit, Writing writing) {
        int count = 0;
        while (count < all && writing.write(count + 1).remaining() <= limit) {
            count++;
        }
        return count;
    }

    private static Message read(ByteBuffer response) {
        byte[] bytes = new byte[response.remaining()];
        response.duplicate().get(bytes);
        try {
            Message message = new Message(bytes);
            assertThat(message.numBytes()).isEqualTo(bytes.length);
            return message;
        } catch (IOException malformed) {
            throw new AssertionError(Arrays.toString(bytes), malformed);
        }
    }

    /** Returns an answer with the first sets of two sections, and its extended error without the text. */
    private static Answer part(Answer answer, List<RecordSet> answers, int authorities, int additionals) {
        Answer.Builder cut = answer.toBuilder()
                .answer(answers)
                .authority(answer.authority().subList(0, authorities))
                .additional(answer.additional().subList(0, additionals));
        answer.extendedError().ifPresent(error -> cut.extendedError(new ExtendedError(error.code(), "")));
        return cut.build();
    }

    private static List<RecordSet> first(List<RecordSet> sets, int count) {
        List<RecordSet> some = new ArrayList<>();
        int left = count;
        for (RecordSet set : sets) {
            List<Record> records =
                    set.records().subList(0, Math.min(left, set.records().size()));
            if (!records.isEmpty()) {
                some.add(new RecordSet(set.owner(), set.type(), set.ttlSeconds(), records));
            }
            left -= records.size();
        }
        return some;
    }

    private static List<Record> records(List<RecordSet> sets) {
        return sets.stream().flatMap(set -> set.records().stream()).toList();
    }

    private static List<Record> withoutOpt(Message message) {
        return message.getSection(Section.ADDITIONAL).stream()
                .filter(one -> one.getType() != Type.OPT)
                .toList();
    }

    private static Optional<ExtendedError> error(Message message) {
        if (message.getOPT() == null) {
            return Optional.empty();
        }
        List<EDNSOption> options = message.getOPT().getOptions(EDNSOption.Code.EDNS_EXTENDED_ERROR);
        assertThat(options.size()).isLessThanOrEqualTo(1);
        return options.stream()
                .map(ExtendedErrorCodeOption.class::cast)
                .map(option -> new ExtendedError(
                        option.getErrorCode(),
                        Optional.ofNullable(option.getText()).orElse("")))
                .findFirst();
    }

    private static List<EDNSOption> options(Message message) {
        return message.getOPT() == null
                ? List.of()
                : message.getOPT().getOptions().stream()
                        .filter(option -> option.getCode() != EDNSOption.Code.EDNS_EXTENDED_ERROR)
                        .toList();
    }

    @Test
    void onlyOptionsThatDoNotFitAreOmitted() {
        Query query = new Query(
                1, 0, Optional.of(Question.of(WEB, RecordType.A)), Optional.of(new Query.Edns(0, 1232, false)), false);
        EDNSOption small = new GenericEDNSOption(65432, new byte[] {'f', 'o', 'o'});
        // Header, question, OPT, and the code and length of the option.
        int room = 512 - 12 - (WEB.length() + 4) - 11 - 4;
        for (int size : new int[] {room - 7, room - 6, room, room + 1, 60_000}) {
            EDNSOption large = new GenericEDNSOption(65433, new byte[size]);
            Answer answer = Answer.builder(Rcode.NOERROR)
                    .ednsOptions(List.of(large, small))
                    .build();
            ByteBuffer response = write(query, answer, 512);
            List<EDNSOption> expected = new ArrayList<>();
            if (size <= room) {
                expected.add(large);
            }
            if (size + 7 <= room || size > room) {
                expected.add(small);
            }
            assertThat(response.remaining()).isLessThanOrEqualTo(512);
            assertThat(options(read(response))).isEqualTo(expected);
        }
    }

    /** Sets of one owner and type are a group, which is ordered separately. Of the other sets only the last one is ordered. */
    @Test
    void everyGroupIsOrderedSeparately() {
        Query query = new Query(1, 0, Optional.of(Question.of(WEB, RecordType.A)), Optional.empty(), false);
        RecordSet text = text(10);
        List<RecordSet> sets = List.of(text, ofAddresses(1, 3), ofAddresses(4, 5));
        Answer answer = Answer.builder(Rcode.NOERROR).answer(sets).build();
        List<RecordSet> ordered = new ArrayList<>();

        Message message = read(MessageWriter.write(query, answer, 512, set -> {
            ordered.add(set);
            List<Record> reversed = new ArrayList<>(set.records());
            Collections.reverse(reversed);
            return reversed;
        }));

        assertThat(ordered).containsExactly(sets.get(1), sets.get(2));
        assertThat(message.getSection(Section.ANSWER).stream().skip(1).map(Record::rdataToString))
                .containsExactly("192.0.2.3", "192.0.2.2", "192.0.2.1", "192.0.2.5", "192.0.2.4");
    }

    private static RecordSet ofAddresses(int from, int to) {
        return RecordSet.of(IntStream.rangeClosed(from, to)
                .<Record>mapToObj(number -> {
                    try {
                        return new ARecord(
                                WEB, DClass.IN, 5, InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, (byte) number
                                }));
                    } catch (UnknownHostException impossible) {
                        throw new AssertionError(impossible);
                    }
                })
                .toList());
    }

    // ---- queries and answers

    @Provide
    Arbitrary<Query> queries() {
        Arbitrary<Optional<Query.Edns>> edns = Arbitraries.of(
                Optional.empty(),
                Optional.of(new Query.Edns(0, 1232, false)),
                Optional.of(new Query.Edns(0, 1232, true)));
        return Combinators.combine(names(), edns)
                .as((name, opt) -> new Query(7, 0x0100, Optional.of(Question.of(name, RecordType.A)), opt, false));
    }

    @Provide
    Arbitrary<Integer> limits() {
        return Arbitraries.oneOf(
                Arbitraries.integers().between(512, 640), Arbitraries.integers().between(512, 2500));
    }

    @Provide
    Arbitrary<Answer> answers() {
        Arbitrary<Optional<ExtendedError>> errors = Arbitraries.oneOf(
                        Arbitraries.of("", "x", "not ours"),
                        Arbitraries.of("a", "\u00fc", "\u20ac", "\ud83d\ude00")
                                .list()
                                .ofMinSize(50)
                                .ofMaxSize(700)
                                .map(characters -> String.join("", characters)))
                .map(text -> new ExtendedError(20, text))
                .optional(0.6);
        return Combinators.combine(
                        sets().list().ofMaxSize(4),
                        sets().list().ofMaxSize(3),
                        sets().list().ofMaxSize(4),
                        errors,
                        Arbitraries.integers()
                                .between(0, 60)
                                .<EDNSOption>map(size -> new GenericEDNSOption(65000 + size, new byte[size]))
                                .list()
                                .ofMaxSize(2))
                .as((answer, authority, additional, error, options) -> {
                    Answer.Builder whole = Answer.builder(Rcode.NOERROR)
                            .authoritative()
                            .answer(answer)
                            .authority(authority)
                            .additional(additional)
                            .ednsOptions(options);
                    error.ifPresent(whole::extendedError);
                    return whole.build();
                });
    }

    /** Names that share suffixes and hashes (an and c0), in either case. */
    private static Arbitrary<Name> names() {
        return Arbitraries.of("an", "c0", "AN", "a", "web", "x".repeat(63))
                .list()
                .ofMaxSize(4)
                .filter(labels ->
                        labels.stream().filter(label -> label.length() == 63).count() < 4)
                .map(labels -> Name.fromConstantString(String.join(".", labels) + "."));
    }

    private static Arbitrary<RecordSet> sets() {
        Arbitrary<Integer> counts = Arbitraries.frequencyOf(
                Tuple.of(4, Arbitraries.integers().between(1, 3)),
                Tuple.of(1, Arbitraries.integers().between(10, 60)));
        Arbitrary<RecordSet> addresses =
                Combinators.combine(names(), counts, Arbitraries.of(4, 16)).as(MessageWriterLaws::addresses);
        Arbitrary<RecordSet> others = Combinators.combine(
                        names(), names(), Arbitraries.integers().between(0, 700))
                .flatAs((owner, target, length) -> Arbitraries.of(
                        new CNAMERecord(owner, DClass.IN, 5, target),
                        new NSRecord(owner, DClass.IN, 5, target),
                        new PTRRecord(owner, DClass.IN, 5, target),
                        new MXRecord(owner, DClass.IN, 5, 10, target),
                        new SRVRecord(owner, DClass.IN, 0x1_0000, 300, 50, 65535, target),
                        new SOARecord(owner, DClass.IN, 0x7FFF_FFFF, target, owner, 0xFEDC_BA98L, 7200, 1800, 86400, 5),
                        new HINFORecord(owner, DClass.IN, 5, "RFC8482", ""),
                        new TXTRecord(owner, DClass.IN, 5, strings(1 + length))))
                .map(RecordSet::of);
        return Arbitraries.oneOf(addresses, others);
    }

    private static RecordSet addresses(Name owner, int count, int length) {
        List<Record> records = IntStream.range(0, count)
                .<Record>mapToObj(i -> {
                    byte[] bytes = new byte[length];
                    bytes[0] = 32;
                    bytes[length - 1] = (byte) i;
                    try {
                        InetAddress address = InetAddress.getByAddress(bytes);
                        return length == 4
                                ? new ARecord(owner, DClass.IN, 5, address)
                                : new AAAARecord(owner, DClass.IN, 5, address);
                    } catch (UnknownHostException impossible) {
                        throw new AssertionError(impossible);
                    }
                })
                .toList();
        return new RecordSet(owner, length == 4 ? RecordType.A : RecordType.AAAA, 5, records);
    }

    /** Returns a TXT record whose data has this length. */
    private static RecordSet text(int length) {
        return RecordSet.of(new TXTRecord(WEB, DClass.IN, 5, strings(length)));
    }

    /** Returns strings of this total length, including a length byte each. */
    private static List<String> strings(int length) {
        List<String> strings = new ArrayList<>();
        for (int left = length; left > 0; left -= 256) {
            strings.add("x".repeat(Math.min(left, 256) - 1));
        }
        return strings;
    }
}
