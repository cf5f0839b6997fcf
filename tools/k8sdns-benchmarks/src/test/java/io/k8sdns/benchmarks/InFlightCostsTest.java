package io.k8sdns.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class InFlightCostsTest {
    @Test
    void questionsInFlightNeedOneThread() throws Exception {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        InFlightCosts.measure(new PrintStream(text, true, StandardCharsets.UTF_8), 500);
        assertThat(text.toString(StandardCharsets.UTF_8))
                .contains("| UDP | 500 | 1 | ")
                .contains("| TCP | 500 | 1 | ")
                .matches("(?s).*\\| UDP \\| 500 \\| 1 \\| -?\\d+ \\| (\\d+ \\| \\d+ \\| \\d+|- \\| - \\| -) \\|\n.*");
    }
}
