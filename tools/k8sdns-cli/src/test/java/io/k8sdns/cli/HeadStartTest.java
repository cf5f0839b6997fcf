package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class HeadStartTest {
    @Test
    void theExampleQueryIsAnswered() throws IOException {
        // The lengths of header, question and one address record.
        assertThat(HeadStart.answer()).isEqualTo(12 + 28 + 4 + 16);
    }
}
