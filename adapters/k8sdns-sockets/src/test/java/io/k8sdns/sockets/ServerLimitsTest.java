package io.k8sdns.sockets;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ServerLimitsTest {
    @Test
    void aLimitThatNobodyCanKeepIsNamed() {
        ServerLimits limits = ServerLimits.DEFAULTS;
        assertThatThrownBy(() -> limits.withConnections(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("connections must be at least 1: 0");
        assertThatThrownBy(() -> limits.withTimes(limits.idle(), Duration.ZERO, limits.answer(), limits.send()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("receive must be from PT0.001S to PT24H: PT0S");
        assertThatThrownBy(() -> limits.withDrain(Duration.ofDays(2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("drain must be from PT0S to PT24H: PT48H");
    }
}
