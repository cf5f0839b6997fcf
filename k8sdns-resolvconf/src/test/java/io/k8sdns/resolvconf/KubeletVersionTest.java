package io.k8sdns.resolvconf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KubeletVersionTest {
    @ParameterizedTest
    @CsvSource({
        "1.25, 1.25",
        "v1.25.0, 1.25.0",
        "v1.29.4-gke.1043002, 1.29.4",
        "v1.30.2+k3s1, 1.30.2",
        "v1.31.0-rc.1+abc, 1.31.0"
    })
    void aVersionIsReadAsKubectlPrintsIt(String text, String version) {
        assertThat(KubeletVersion.parse(text)).hasToString(version);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1.", "one.two", "1.25.x", "1.25.0.1", "-1.25", "1.99999", "1.25+", "\u0661.25"})
    void textThatIsNotAVersionIsRejected(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KubeletVersion.parse(text))
                .withMessageStartingWith("not a version of Kubernetes such as 1.25 or v1.25.0: ");
    }

    @Test
    void withoutAPatchNumberTheVersionIsTheLatestPatchRelease() {
        assertThat(KubeletVersion.parse("1.25")).isGreaterThan(KubeletVersion.parse("1.25.16"));
        assertThat(KubeletVersion.parse("1.25")).isLessThan(KubeletVersion.parse("1.26.0"));
        assertThat(KubeletVersion.parse("1.9")).isLessThan(KubeletVersion.parse("1.25"));
    }
}
