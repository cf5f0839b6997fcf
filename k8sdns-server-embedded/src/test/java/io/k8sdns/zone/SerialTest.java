package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SerialTest {
    @Test
    void theNextSerialIsOneMore() {
        assertThat(new Serial(7).next()).isEqualTo(new Serial(8));
    }

    @Test
    void afterTheLargestComesOneSinceZeroStandsForNothingPublished() {
        assertThat(new Serial(0xFFFF_FFFFL).next()).isEqualTo(new Serial(1));
    }

    @Test
    void aLaterHintIsTakenAndAnEarlierOneIsNot() {
        assertThat(new Serial(7).next(new Serial(1_800_000_000))).isEqualTo(new Serial(1_800_000_000));
        assertThat(new Serial(1_800_000_000).next(new Serial(7))).isEqualTo(new Serial(1_800_000_001));
        assertThat(new Serial(7).next(new Serial(8))).isEqualTo(new Serial(8));
    }

    @Test
    void laterIsMeantRoundTheCircle() {
        assertThat(new Serial(0xFFFF_FFF0L).next(new Serial(5))).isEqualTo(new Serial(5));
        assertThat(new Serial(5).next(new Serial(0xFFFF_FFF0L))).isEqualTo(new Serial(6));
    }

    @Test
    void anyHintIsLaterThanNothingPublished() {
        assertThat(new Serial(0).next(new Serial(4_000_000_000L))).isEqualTo(new Serial(4_000_000_000L));
        assertThat(new Serial(0).next(new Serial(0))).isEqualTo(new Serial(1));
    }

    @Test
    void aSerialIsAnUnsigned32BitNumber() {
        assertThatThrownBy(() -> new Serial(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Serial(1L << 32)).isInstanceOf(IllegalArgumentException.class);
    }
}
