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
        assertThat(KubeconfigChoice.files(null, home)).containsExactly(usual);
        assertThat(KubeconfigChoice.files("", home)).containsExactly(usual);
    }

    @Test
    void theHomeDirectoryIsThatOfTheEnvironmentIfItHasOne() {
        assertThat(KubeconfigChoice.home(home.toString())).isEqualTo(home);
        Path account = Path.of(System.getProperty("user.home"));
        assertThat(KubeconfigChoice.home("")).isEqualTo(account);
        assertThat(KubeconfigChoice.home(null)).isEqualTo(account);
    }

    @Test
    void filesOfTheVariableAreInItsOrderAndOnce() throws IOException {
        file(".kube/config");
        Path missing = home.resolve("first");
        Path second = file("second");
        Path third = file("third");
        String variable = String.join(
                File.pathSeparator, third.toString(), missing.toString(), "", second.toString(), third.toString());
        assertThat(KubeconfigChoice.files(variable, home)).containsExactly(third, missing, second);
    }

    @Test
    void missingFilesAreReported() throws IOException {
        assertThatThrownBy(() -> KubeconfigChoice.files(null, home))
                .hasMessageContaining(home.resolve(".kube/config") + ", and $KUBECONFIG is not set");
        file(".kube/config");
        assertThatThrownBy(() -> KubeconfigChoice.files("/no/such" + File.pathSeparator + "/none", home))
                .hasMessage(
                        "no such file: /no/such, /none, in $KUBECONFIG; set it to the path of a kubeconfig, or unset it "
                                + "for ~/.kube/config");
    }

    @Test
    void separatorsAloneAreNotAPath() throws IOException {
        file(".kube/config");
        String separators = File.pathSeparator + File.pathSeparator;
        assertThatThrownBy(() -> KubeconfigChoice.files(separators, home))
                .hasMessage("$KUBECONFIG has no path, only separators: '" + separators
                        + "'; set it to the path of a kubeconfig, or unset it for ~/.kube/config");
    }
}
