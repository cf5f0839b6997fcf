package io.k8sdns.sockets;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ServerLimitsTest {
    @Test
    void anInvalidLimitIsReported() {
        assertThatThrownBy(() -> ServerLimits.builder().connections(0).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("connections must be at least 1: 0");
        assertThatThrownBy(() -> ServerLimits.builder().receive(Duration.ZERO).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("receive must be from PT0.001S to PT24H: PT0S");
        assertThatThrownBy(
                        () -> ServerLimits.builder().drain(Duration.ofDays(2)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("drain must be from PT0S to PT24H: PT48H");
    }
}
