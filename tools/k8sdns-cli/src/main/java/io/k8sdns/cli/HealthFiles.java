package io.k8sdns.cli;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Files that exist while a process runs, is healthy or is ready, for probes of a kubelet. While two versions share the network of a node
 * during an upgrade, only one has the port of {@code --metrics}, so that an HTTP probe of the other one would reach the wrong process.
 *
 * <p>A missing file is created again within a second. A probe that deletes the file therefore detects a process that hangs. The files
 * are deleted when the process stops. Those of a killed process stay until the next process starts or a probe deletes them, so that one
 * probe of each file can succeed before the next process runs.
 */
final class HealthFiles implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Map<Path, BooleanSupplier> states;
    private final ScheduledExecutorService timer;
    private final Consumer<String> notes;

    // Guarded by this.
    private boolean isClosed;
    private String reported = "";

    private HealthFiles(Map<Path, BooleanSupplier> states, ScheduledExecutorService timer, Consumer<String> notes) {
        this.states = states;
        this.timer = timer;
        this.notes = notes;
    }

    /**
     * Deletes files of a previous process, and starts to keep the file {@code alive}, and to create and delete the files.
     *
     * @param directory the directory of the files
     * @param isHealthy returns whether the file {@code health} exists; called by the timer
     * @param isReady returns whether the file {@code ready} exists; called by the timer
     * @param timer runs the updates; shut down when the files are closed
     * @param notes receives failures of updates, each message once in a row
     * @throws IOException if the directory does not exist or cannot be written to, or an old file cannot be deleted
     */
    static HealthFiles keep(
            Path directory,
            BooleanSupplier isHealthy,
            BooleanSupplier isReady,
            ScheduledExecutorService timer,
            Consumer<String> notes)
            throws IOException {
        Map<Path, BooleanSupplier> states = Map.of(
                directory.resolve("alive"),
                () -> true,
                directory.resolve("health"),
                isHealthy,
                directory.resolve("ready"),
                isReady);
        HealthFiles files = new HealthFiles(states, timer, notes);
        try {
            if (!Files.isDirectory(directory)) {
                throw new NotDirectoryException("--health-dir: not a directory: " + directory);
            }
            for (Path file : states.keySet()) {
                deleteOld(file);
            }
            requireWritable(directory);
        } catch (IOException | RuntimeException failed) {
            timer.shutdownNow();
            throw failed;
        }
        var unused = timer.scheduleWithFixedDelay(files::update, 0, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        return files;
    }

    private static void deleteOld(Path file) throws IOException {
        try {
            Files.deleteIfExists(file);
        } catch (DirectoryNotEmptyException failed) {
            throw new IOException("--health-dir: cannot delete " + file + ": a directory that is not empty", failed);
        } catch (IOException failed) {
            throw new IOException("--health-dir: cannot delete " + file + ": " + failed, failed);
        }
    }

    private static void requireWritable(Path directory) throws IOException {
        try {
            Files.write(directory.resolve("alive"), new byte[0]);
        } catch (IOException failed) {
            throw new IOException("--health-dir: cannot write to " + directory + ": " + failed, failed);
        }
    }

    /** Creates and deletes the files now, instead of within a second. */
    synchronized void update() {
        if (isClosed) {
            return;
        }
        String failure = "";
        for (Map.Entry<Path, BooleanSupplier> state : states.entrySet()) {
            try {
                if (state.getValue().getAsBoolean()) {
                    // Also replaces a file that exists, so that a probe can delete it at any time.
                    Files.write(state.getKey(), new byte[0]);
                } else {
                    Files.deleteIfExists(state.getKey());
                }
            } catch (IOException | RuntimeException failed) {
                failure = "--health-dir: " + failed;
            }
        }
        if (!failure.isEmpty() && !failure.equals(reported)) {
            notes.accept(failure);
        }
        reported = failure;
    }

    /** Deletes the files. Idempotent. */
    @Override
    public synchronized void close() {
        isClosed = true;
        timer.shutdownNow();
        for (Path file : states.keySet()) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException failed) {
                notes.accept("--health-dir: " + failed);
            }
        }
    }
}
