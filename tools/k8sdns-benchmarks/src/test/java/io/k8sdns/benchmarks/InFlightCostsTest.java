package io.k8sdns.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InFlightCostsTest {
    @ParameterizedTest
    @ValueSource(strings = {"UDP", "TCP"})
    void questionsInFlightNeedOneThread(String transport) throws Exception {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        InFlightCosts.measure(new PrintStream(text, true, StandardCharsets.UTF_8), transport, 500);
        assertThat(text.toString(StandardCharsets.UTF_8).lines().skip(2))
                .as("one row, for this transport alone")
                .singleElement()
                .asString()
                .matches("\\| " + transport
                        + " \\| 500 \\| 1 \\| -?\\d+ \\| (\\d+ \\| \\d+ \\| \\d+|- \\| - \\| -) \\|");
    }
}
