package io.k8sdns.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rules.NameData;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

class RecordSetTest {
    private static final Name OWNER = DnsNames.absolute(DnsLabels.parse("web.default.svc.cluster.local"));

    @Test
    void recordsAreInTheOrderOfTheirDataWithoutDuplicates() {
        RecordSet set = new RecordSet(
                OWNER, RecordType.A, 5, List.of(a("10.0.0.10"), a("192.0.2.1"), a("10.0.0.2"), a("192.0.2.1")));
        assertThat(set.lines())
                .containsExactly(
                        "web.default.svc.cluster.local. 5 IN A 10.0.0.2",
                        "web.default.svc.cluster.local. 5 IN A 10.0.0.10",
                        "web.default.svc.cluster.local. 5 IN A 192.0.2.1");
    }

    @Test
    void targetsAreComparedByteByByteFromTheLeft() {
        assertThat(new RecordSet(
                                OWNER,
                                RecordType.PTR,
                                5,
                                Stream.of("aa.example.", "Z.example.", "b.example.")
                                        .map(target -> (Record) new PTRRecord(OWNER, DClass.IN, 5, name(target)))
                                        .toList())
                        .lines())
                .as("the length of the first label counts first; case is ignored")
                .containsExactly(
                        "web.default.svc.cluster.local. 5 IN PTR b.example.",
                        "web.default.svc.cluster.local. 5 IN PTR Z.example.",
                        "web.default.svc.cluster.local. 5 IN PTR aa.example.");
    }

    @Test
    void linesHaveOneBlankBetweenFieldsAndCanonicalAddressesAndQuotedTexts() {
        Record aaaa = new AAAARecord(OWNER, DClass.IN, 5, inet("2001:db8::1"));
        Record srv = new SRVRecord(OWNER, DClass.IN, 5, 0, 50, 443, OWNER);
        Record txt = new TXTRecord(OWNER, DClass.IN, 28800, List.of("1.1.0", "a \"b\""));
        assertThat(Stream.of(aaaa, srv, txt).map(RecordSet::of).flatMap(RecordSet::lines))
                .containsExactly(
                        "web.default.svc.cluster.local. 5 IN AAAA 2001:db8::1",
                        "web.default.svc.cluster.local. 5 IN SRV 0 50 443 web.default.svc.cluster.local.",
                        "web.default.svc.cluster.local. 28800 IN TXT \"1.1.0\" \"a \\\"b\\\"\"");
    }

    @Test
    void emptyAndMixedSetsAreRejected() {
        assertThatThrownBy(() -> new RecordSet(OWNER, RecordType.A, 5, List.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RecordSet(OWNER, RecordType.AAAA, 5, List.of(a("192.0.2.1"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RecordSet(OWNER, RecordType.A, 6, List.of(a("192.0.2.1"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RecordSet(name("other."), RecordType.A, 5, List.of(a("192.0.2.1"))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void addressesOfTwoNamesAreNotEqualRecordSets() {
        RecordSet set = NameData.ofAddress(IpAddress.parse("192.0.2.1"))
                .in(DnsLabels.parse("cluster.local"))
                .recordSet(Type.A, OWNER, 5)
                .orElseThrow();
        assertThatThrownBy(() -> new RecordSet(name("other."), RecordType.A, 5, set.records()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theOwnerHasTheSpellingOfTheQuery() {
        Name asked = DnsNames.absolute(DnsLabels.parse("WEB.default.SVC.cluster.local"));
        NameData data = NameData.ofAddress(IpAddress.parse("192.0.2.1"));
        assertThat(data.in(DnsLabels.parse("cluster.local"))
                        .recordSet(Type.A, asked, 5)
                        .orElseThrow()
                        .lines())
                .containsExactly("WEB.default.SVC.cluster.local. 5 IN A 192.0.2.1");
    }

    @Test
    void dnsjavasSetHoldsTheSameRecords() {
        RecordSet set = new RecordSet(OWNER, RecordType.A, 5, List.of(a("192.0.2.2"), a("192.0.2.1")));
        assertThat(set.toRRset().rrs(false)).containsExactlyInAnyOrderElementsOf(set.records());
    }

    private static Record a(String address) {
        return new ARecord(OWNER, DClass.IN, 5, inet(address));
    }

    private static Name name(String text) {
        return DnsNames.absolute(DnsLabels.parse(text));
    }

    private static InetAddress inet(String address) {
        try {
            return InetAddress.getByAddress(IpAddress.parse(address).bytes());
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
