package io.k8sdns.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.TXTRecord;

class RecordSetOrderTest {
    private static final Name OWNER = Name.fromConstantString("web.example.");

    private static Record text(String text) {
        return new TXTRecord(OWNER, DClass.IN, 30, text);
    }

    @Test
    void anOrderThatIsKeptIsPartOfTheValue() {
        List<Record> given = List.of(text("c"), text("a"), text("b"));
        RecordSet kept = RecordSet.inOrder(given);
        assertThat(kept.records()).containsExactlyElementsOf(given);
        assertThat(kept).isNotEqualTo(RecordSet.of(given)).isEqualTo(RecordSet.inOrder(given));
        assertThat(RecordSet.of(given).records()).containsExactly(text("a"), text("b"), text("c"));
    }

    @Test
    void theFirstOfEqualRecordsIsKept() {
        assertThat(RecordSet.inOrder(List.of(text("b"), text("a"), text("b"))).records())
                .containsExactly(text("b"), text("a"));
    }

    @Test
    void aSetHasARecordAndOneTtl() {
        assertThatThrownBy(() -> RecordSet.inOrder(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RecordSet.inOrder(List.of(text("a"), new TXTRecord(OWNER, DClass.IN, 31, "b"))))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
