package io.k8sdns.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordTypeTest {
    @Test
    void everyNumberIsATypeThatIsReadFromItsMnemonic() {
        for (int number = 0; number <= 0xFFFF; number++) {
            RecordType type = RecordType.of(number);
            assertThat(type.number()).isEqualTo(number);
            assertThat(RecordType.parse(type.toString())).isEqualTo(type).hasSameHashCodeAs(type);
        }
    }

    @Test
    void mnemonicsAreReadInAnyCase() {
        assertThat(RecordType.parse("aaaa")).isEqualTo(RecordType.AAAA).isNotEqualTo(RecordType.A);
        assertThat(RecordType.of(64)).hasToString("SVCB");
        assertThat(RecordType.of(65280)).hasToString("TYPE65280");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "AAAAA", "TYPE65536", "TYPE-1", "1"})
    void otherTextsAreNotTypes(String text) {
        assertThatThrownBy(() -> RecordType.parse(text)).hasMessage("not a record type: \"" + text + "\"");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 65536})
    void otherNumbersAreNotTypes(int number) {
        assertThatThrownBy(() -> RecordType.of(number)).hasMessage("not a record type (0 to 65535): " + number);
    }
}
