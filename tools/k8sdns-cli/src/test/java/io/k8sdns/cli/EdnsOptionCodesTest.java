package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EdnsOptionCodesTest {
    @ParameterizedTest
    @ValueSource(longs = {65_001, 65_010, 65_012, 65_432, 65_433, 65_534})
    void codesForLocalUseAreAccepted(long code) {
        assertThat(EdnsOptionCodes.problem("--code", code)).isEmpty();
    }

    /** Codes that are assigned to other options, unassigned or reserved, and that of SkyDNS's loop mark. */
    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 1, 2, 8, 18, 19, 100, 20_292, 26_946, 65_000, 65_011, 65_535, 65_536, 1L << 32})
    void otherCodesAreRefused(long code) {
        assertThat(EdnsOptionCodes.problem("--code", code))
                .hasValueSatisfying(
                        problem -> assertThat(problem).startsWith("--code: ").contains("" + code));
    }
}
