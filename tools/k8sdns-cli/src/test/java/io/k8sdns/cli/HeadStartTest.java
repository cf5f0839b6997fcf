package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class HeadStartTest {
    @Test
    void theWayOfAServerIsGoneToItsEnd() throws IOException {
        // Header, question and one record with an address.
        assertThat(HeadStart.answer()).isEqualTo(12 + 28 + 4 + 16);
    }
}
