package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SerialTest {
    @Test
    void theNextSerialIsGreaterByOne() {
        assertThat(new SoaSerial(7).next()).isEqualTo(new SoaSerial(8));
    }

    @Test
    void theSerialAfterTheLargestIsOneBecauseZeroMeansNothingPublished() {
        assertThat(new SoaSerial(0xFFFF_FFFFL).next()).isEqualTo(new SoaSerial(1));
    }

    @Test
    void onlyALaterHintIsUsed() {
        assertThat(new SoaSerial(7).next(new SoaSerial(1_800_000_000))).isEqualTo(new SoaSerial(1_800_000_000));
        assertThat(new SoaSerial(1_800_000_000).next(new SoaSerial(7))).isEqualTo(new SoaSerial(1_800_000_001));
        assertThat(new SoaSerial(7).next(new SoaSerial(8))).isEqualTo(new SoaSerial(8));
    }

    @Test
    void serialsAreComparedWithWraparound() {
        assertThat(new SoaSerial(0xFFFF_FFF0L).next(new SoaSerial(5))).isEqualTo(new SoaSerial(5));
        assertThat(new SoaSerial(5).next(new SoaSerial(0xFFFF_FFF0L))).isEqualTo(new SoaSerial(6));
    }

    @Test
    void anyHintIsLaterThanNothingPublished() {
        assertThat(new SoaSerial(0).next(new SoaSerial(4_000_000_000L))).isEqualTo(new SoaSerial(4_000_000_000L));
        assertThat(new SoaSerial(0).next(new SoaSerial(0))).isEqualTo(new SoaSerial(1));
    }

    @Test
    void aSerialIsAnUnsigned32BitNumber() {
        assertThatThrownBy(() -> new SoaSerial(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SoaSerial(1L << 32)).isInstanceOf(IllegalArgumentException.class);
    }
}
