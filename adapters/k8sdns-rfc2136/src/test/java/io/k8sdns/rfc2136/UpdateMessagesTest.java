package io.k8sdns.rfc2136;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.external.NameChange;
import io.k8sdns.federation.external.OwnedRecords;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Update;

class UpdateMessagesTest {
    private static final Name ZONE = Name.fromConstantString("example.org.");
    private static final Name NAME = Name.fromConstantString("a.example.org.");
    private static final DnsLabels LABELS = DnsLabels.parse("a.example.org");

    private static final OwnedRecords ADDRESSES = new OwnedRecords(
            LABELS,
            "me",
            List.of(RecordSet.of(List.of(
                    new ARecord(NAME, DClass.IN, 60, new byte[] {(byte) 192, 0, 2, 1}),
                    new ARecord(NAME, DClass.IN, 60, new byte[] {(byte) 192, 0, 2, 2})))));

    private static final OwnedRecords ALIAS = new OwnedRecords(
            LABELS,
            "me",
            List.of(RecordSet.of(new CNAMERecord(NAME, DClass.IN, 60, Name.fromConstantString("b.example.org.")))));

    private static List<String> lines(Update update, int section) {
        return update.getSection(section).stream()
                .map(Record::toString)
                .map(line -> line.replaceAll("\\s+", " ").strip())
                .toList();
    }

    @Test
    void aNameIsCreatedOnlyIfItDoesNotExist() {
        Update update = UpdateMessages.of(ZONE, NameChange.create(ADDRESSES));
        assertThat(lines(update, Section.PREREQ))
                .containsExactly("a.example.org. 0 NONE ANY", "_k8sdns-owner.a.example.org. 0 NONE TXT");
        assertThat(lines(update, Section.UPDATE))
                .containsExactly(
                        "a.example.org. 60 IN A 192.0.2.1",
                        "a.example.org. 60 IN A 192.0.2.2",
                        "_k8sdns-owner.a.example.org. 60 IN TXT me");
        assertThat(update.getQuestion().getName()).isEqualTo(ZONE);
    }

    /** Servers reject a prerequisite whose TTL is not 0. */
    @Test
    void aNameIsReplacedOnlyIfTheOwnerRecordExists() {
        Update update = UpdateMessages.of(ZONE, NameChange.replace(ADDRESSES, ALIAS));
        assertThat(lines(update, Section.PREREQ)).containsExactly("_k8sdns-owner.a.example.org. 0 IN TXT me");
        assertThat(lines(update, Section.UPDATE))
                .containsExactly(
                        "a.example.org. 0 ANY A",
                        "a.example.org. 0 ANY AAAA",
                        "a.example.org. 0 ANY CNAME",
                        "a.example.org. 60 IN CNAME b.example.org.");
    }

    @Test
    void aNameIsRemovedWithItsOwnerRecordAndNothingElse() {
        Update update = UpdateMessages.of(ZONE, NameChange.delete(ALIAS));
        assertThat(lines(update, Section.PREREQ)).containsExactly("_k8sdns-owner.a.example.org. 0 IN TXT me");
        assertThat(lines(update, Section.UPDATE))
                .containsExactly(
                        "a.example.org. 0 ANY A",
                        "a.example.org. 0 ANY AAAA",
                        "a.example.org. 0 ANY CNAME",
                        "_k8sdns-owner.a.example.org. 0 ANY TXT");
    }

    @Test
    void anotherServiceReplacesTheOwnerRecord() {
        OwnedRecords other = new OwnedRecords(LABELS, "other", ADDRESSES.records());
        Update update = UpdateMessages.of(ZONE, NameChange.replace(ADDRESSES, other));
        assertThat(lines(update, Section.PREREQ)).containsExactly("_k8sdns-owner.a.example.org. 0 IN TXT me");
        assertThat(lines(update, Section.UPDATE))
                .endsWith("_k8sdns-owner.a.example.org. 0 ANY TXT", "_k8sdns-owner.a.example.org. 60 IN TXT other");
    }

    @Test
    void recordsOfAListingAreGroupedByTheirOwners() {
        Record owner = ADDRESSES.ownerRecord(5);
        Record free = new ARecord(
                Name.fromConstantString("free.example.org."), DClass.IN, 60, new byte[] {(byte) 192, 0, 2, 9});
        assertThat(ZoneNames.owned(List.of(
                        owner,
                        free,
                        // RFC 2181 requires equal TTLs within a set.
                        new ARecord(NAME, DClass.IN, 60, new byte[] {(byte) 192, 0, 2, 2}),
                        new ARecord(NAME, DClass.IN, 90, new byte[] {(byte) 192, 0, 2, 1}))))
                .containsOnlyKeys(LABELS)
                .containsValue(ADDRESSES);
        assertThat(ZoneNames.owned(Arrays.asList(owner, new OwnedRecords(LABELS, "second", List.of()).ownerRecord(5))))
                .as("a name with two owner records")
                .isEmpty();
    }
}
