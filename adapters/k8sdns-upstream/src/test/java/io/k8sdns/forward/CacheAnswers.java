package io.k8sdns.forward;

import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Questions and answers, written as text. */
final class CacheAnswers {
    private CacheAnswers() {}

    /** Returns a question, for example {@code www.example.com. A}. */
    static Question question(String text) {
        String[] parts = text.split(" ", 2);
        return Question.of(Name.fromConstantString(parts[0]), RecordType.parse(parts[1]));
    }

    /** Returns an answer with RCODE NOERROR and one set of records for each text. */
    static Answer data(String... sets) {
        return Answer.builder(Rcode.NOERROR)
                .recursionAvailable(true)
                .answer(sets(sets))
                .build();
    }

    /** Returns a denial with an SOA record. */
    static Answer denial(int rcode, long ttl, long minimum) {
        return Answer.builder(rcode)
                .recursionAvailable(true)
                .authority(sets(soa(ttl, minimum)))
                .build();
    }

    static String soa(long ttl, long minimum) {
        return "example.com. " + ttl + " SOA ns.example.com. hostmaster.example.com. 1 2 3 4 " + minimum;
    }

    static List<RecordSet> sets(String... texts) {
        return Arrays.stream(texts).map(CacheAnswers::set).toList();
    }

    /** Returns one set, for example {@code www.example.com. 60 A 192.0.2.1 | 192.0.2.2}. */
    static RecordSet set(String text) {
        String[] parts = text.split(" ", 4);
        Name owner = Name.fromConstantString(parts[0]);
        List<Record> records = new ArrayList<>();
        for (String data : parts[3].split(" \\| ", -1)) {
            try {
                records.add(Record.fromString(
                        owner, Type.value(parts[2]), DClass.IN, Long.parseLong(parts[1]), data, Name.root));
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
        }
        return RecordSet.of(records);
    }

    /** Returns a response with a record whose TTL in wire form is replaced. */
    static Message withTtl(Record one, long ttl) {
        byte[] wire = one.toWire(Section.ANSWER);
        ByteBuffer.wrap(wire).putInt(one.getName().length() + 4, (int) ttl);
        Message response = new Message();
        try {
            response.addRecord(Record.fromWire(wire, Section.ANSWER), Section.ANSWER);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return response;
    }

    /** Returns the RCODE, the extended error and all records of an answer, one per line. */
    static List<String> lines(Answer answer) {
        List<String> lines = new ArrayList<>();
        lines.add(Rcode.string(answer.rcode())
                + answer.extendedError().map(error -> " ede " + error.code()).orElse(""));
        answer.answer().stream().flatMap(RecordSet::lines).forEach(lines::add);
        answer.authority().stream()
                .flatMap(RecordSet::lines)
                .map(line -> "authority: " + line)
                .forEach(lines::add);
        answer.additional().stream()
                .flatMap(RecordSet::lines)
                .map(line -> "additional: " + line)
                .forEach(lines::add);
        return lines;
    }
}
