package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class HealthFilesTest {
    @TempDir
    private Path folder;

    private final List<String> notes = new ArrayList<>();
    private boolean isHealthy;
    private boolean isReady;

    /** A timer that runs nothing, because the test calls {@link HealthFiles#update}. */
    private static final class NoTimer extends ScheduledThreadPoolExecutor {
        NoTimer() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long pause, TimeUnit unit) {
            return super.schedule(() -> {}, 1, TimeUnit.DAYS);
        }
    }

    private HealthFiles keep(Path directory) throws IOException {
        return HealthFiles.keep(directory, () -> isHealthy, () -> isReady, new NoTimer(), notes::add);
    }

    @Test
    void filesExistInTheirState() throws IOException {
        try (HealthFiles files = keep(folder)) {
            files.update();
            assertThat(folder.toFile().list()).containsExactly("alive");
            isHealthy = true;
            files.update();
            assertThat(folder.toFile().list()).containsExactlyInAnyOrder("alive", "health");
            isReady = true;
            files.update();
            files.update();
            assertThat(folder.toFile().list()).containsExactlyInAnyOrder("alive", "health", "ready");
            isReady = false;
            files.update();
            assertThat(folder.toFile().list()).containsExactlyInAnyOrder("alive", "health");
        }
        assertThat(folder).isEmptyDirectory();
        assertThat(notes).isEmpty();
    }

    @Test
    void aFileThatAProbeHasDeletedIsCreatedAgain() throws IOException {
        isReady = true;
        try (HealthFiles files = keep(folder)) {
            files.update();
            Files.delete(folder.resolve("ready"));
            files.update();
            assertThat(folder.resolve("ready")).exists();
        }
    }

    @Test
    void filesOfAPreviousProcessAreDeleted() throws IOException {
        Files.createFile(folder.resolve("ready"));
        HealthFiles files = keep(folder);
        assertThat(folder.resolve("ready")).doesNotExist();
        files.close();
    }

    @Test
    void anUpdateAfterTheEndCreatesNoFile() throws IOException {
        isReady = true;
        HealthFiles files = keep(folder);
        files.close();
        files.update();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aFailureIsReportedOnce() throws IOException {
        Path directory = Files.createDirectory(folder.resolve("health-dir"));
        isReady = true;
        try (HealthFiles files = keep(directory)) {
            Files.delete(directory.resolve("alive"));
            Files.delete(directory);
            files.update();
            files.update();
            assertThat(notes).hasSize(1).first().asString().startsWith("--health-dir: ");
            Files.createDirectory(directory);
            files.update();
            assertThat(directory.resolve("ready")).exists();
            assertThat(notes).hasSize(1);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aDirectoryThatCannotBeWrittenToIsAFailure() {
        assertThatThrownBy(() -> keep(Path.of("/proc/sys")))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("--health-dir: cannot write to /proc/sys: ");
    }

    @Test
    void anOldFileThatCannotBeDeletedIsAFailure() throws IOException {
        Path ready = folder.resolve("ready");
        Files.createDirectories(ready.resolve("x"));
        assertThatThrownBy(() -> keep(folder))
                .isInstanceOf(IOException.class)
                .hasMessage("--health-dir: cannot delete " + ready + ": a directory that is not empty");
    }

    @Test
    void aMissingDirectoryIsAFailure() {
        assertThatThrownBy(() -> keep(folder.resolve("missing")))
                .isInstanceOf(IOException.class)
                .hasMessage("--health-dir: not a directory: " + folder.resolve("missing"));
    }
}
