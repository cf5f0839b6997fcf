package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeconfigChoiceTest {
    @TempDir
    private Path home;

    private Path file(String name) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, "");
    }

    @Test
    void withoutTheVariableItIsTheFileInTheHomeDirectory() throws IOException {
        Path usual = file(".kube/config");
        assertThat(KubeconfigChoice.of(null, home).file()).isEqualTo(usual);
        assertThat(KubeconfigChoice.of("", home).file()).isEqualTo(usual);
        assertThat(KubeconfigChoice.of("", home).note()).isEmpty();
    }

    @Test
    void ofTheVariableItIsTheFirstThatExists() throws IOException {
        file(".kube/config");
        Path second = file("second");
        Path third = file("third");
        String variable = String.join(
                File.pathSeparator, home.resolve("first").toString(), "", second.toString(), third.toString());
        KubeconfigChoice choice = KubeconfigChoice.of(variable, home);
        assertThat(choice.file()).isEqualTo(second);
        assertThat(choice.note().orElseThrow()).contains("only " + second + " is read, without " + third);
    }

    @Test
    void missingFilesAreNamed() throws IOException {
        assertThatThrownBy(() -> KubeconfigChoice.of(null, home))
                .hasMessageContaining(home.resolve(".kube/config") + ", and $KUBECONFIG is not set");
        file(".kube/config");
        assertThatThrownBy(() -> KubeconfigChoice.of("/no/such", home))
                .hasMessage("no such file: /no/such, in $KUBECONFIG");
    }
}
