package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests {@code diff} with the objects of a live cluster. */
@Timeout(300)
class DiffLiveTest extends LiveTestBase {
    private String config;

    @BeforeEach
    void writeConfig() throws IOException {
        config = kubeconfig(TOKEN);
    }

    private Run diff(String... more) {
        return Run.of(List.of("diff", "--startup-timeout", "120", "--kubeconfig", config), more);
    }

    @Test
    void aClusterDoesNotDifferFromItself() throws IOException {
        String records = Run.of("records", "--startup-timeout", "120", "--kubeconfig", config)
                .out();
        assertThat(records).contains(" IN A ");
        String zone = Files.writeString(folder.resolve("live.zone"), records).toString();

        Run run = diff("live", zone);

        assertThat(run.lines()).as(run.err()).containsExactly("no differences");
        assertThat(run.code()).isZero();
    }

    @Test
    void namesThatOnlyTheClusterHasVanish() throws IOException {
        String empty = Files.writeString(folder.resolve("empty.yaml"), "").toString();

        Run run = diff("--fail-on", "vanish", "live", empty);

        assertThat(run.out()).contains("vanishes ").doesNotContain("appears ");
        assertThat(run.code()).isEqualTo(Main.FAILED);
    }

    @Test
    void manifestsOfTheOptionAreComparedWithTheCluster() throws IOException {
        String empty = Files.writeString(folder.resolve("empty.yaml"), "").toString();

        Run run = diff("-f", empty);

        assertThat(run.out()).contains("vanishes ").doesNotContain("appears ");
        assertThat(run.lines()).isEqualTo(diff("live", empty).lines());
    }

    @Test
    void aContextThatTheKubeconfigDoesNotHaveIsAUsageError() throws IOException {
        String empty = Files.writeString(folder.resolve("empty.yaml"), "").toString();

        Run run = diff("live:staging", empty);

        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("--context").contains("staging");
    }
}
