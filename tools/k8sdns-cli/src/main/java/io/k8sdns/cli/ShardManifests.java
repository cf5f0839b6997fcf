package io.k8sdns.cli;

import io.k8sdns.federation.controller.ShardTemplate;
import io.k8sdns.manifest.ManifestException;
import io.k8sdns.manifest.ServiceManifest;
import io.k8sdns.model.Diagnostic;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The manifests of the Services that a controller creates: a file or a directory that is read again and again.
 *
 * <p>A Service that is not among them any more is deleted in every cluster. So a version is used only if all of it is valid, there is a
 * Service in it, and {@value #READINGS_UNTIL_USED} readings in a row found the same: otherwise the last valid version stays in force,
 * and the reason is reported once.
 *
 * <p>A thread of its own reads, so that slow files do not delay the controller.
 */
final class ShardManifests implements AutoCloseable {
    /** A file that is being written may be a valid file with fewer Services. */
    static final int READINGS_UNTIL_USED = 3;

    private static final int MOST_NAMED = 5;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Path path;
    private final Consumer<List<ShardTemplate>> changed;
    private final Consumer<String> rejected;
    private List<ShardTemplate> inForce = List.of();

    /** A version that is not in force yet, and how many readings in a row found it. */
    private List<ShardTemplate> next = List.of();

    private int times;

    /** The reason why the last version is not used; null if it is. */
    private @Nullable String failure;

    private @Nullable ScheduledExecutorService reader;

    /**
     * Creates manifests that have not been read.
     *
     * @param changed takes each new version
     * @param rejected takes the reason why a version is not used, once for each reason
     */
    ShardManifests(Path path, Consumer<List<ShardTemplate>> changed, Consumer<String> rejected) {
        this.path = path;
        this.changed = changed;
        this.rejected = rejected;
    }

    /**
     * Reads the manifests.
     *
     * @throws IOException if the path is missing or cannot be read; the message names it
     * @throws IllegalArgumentException if anything in them is wrong; the message says what
     */
    static List<ShardTemplate> read(Path path) throws IOException {
        try {
            return ServiceManifest.read(path).stream()
                    .map(ShardManifests::parse)
                    .toList();
        } catch (ManifestException invalid) {
            throw new IllegalArgumentException(words(invalid.diagnostics()), invalid);
        }
    }

    /** Returns the first problems in one line. */
    private static String words(List<Diagnostic> problems) {
        return problems.stream().limit(MOST_NAMED).map(Diagnostic::toString).collect(Collectors.joining("; "))
                + (problems.size() > MOST_NAMED ? "; and " + (problems.size() - MOST_NAMED) + " more" : "");
    }

    private static ShardTemplate parse(ServiceManifest service) {
        try {
            return ShardTemplate.parse(service.json());
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException(service.position() + ": " + invalid.getMessage(), invalid);
        }
    }

    /** Reads again after each pause, until this is closed. */
    void follow(List<ShardTemplate> first) {
        begin(first);
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread one = new Thread(task, "k8sdns-shard-manifests");
            one.setDaemon(true);
            return one;
        });
        reader = thread;
        var unused = thread.scheduleWithFixedDelay(
                this::readAgain, PAUSE.toMillis(), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Sets the version that is in force. */
    void begin(List<ShardTemplate> first) {
        inForce = first;
    }

    /** Reads again. */
    void readAgain() {
        String reason = null;
        try {
            List<ShardTemplate> now = read(path);
            times = now.equals(next) ? times + 1 : 1;
            next = now;
            if (times >= READINGS_UNTIL_USED && !now.equals(inForce)) {
                inForce = now;
                changed.accept(now);
            }
        } catch (NoSuchFileException missing) {
            reason = path + ": no such file or directory";
        } catch (IOException | RuntimeException invalid) {
            String message = String.valueOf(invalid.getMessage());
            reason = message.contains(path.toString()) ? message : path + ": " + message;
        }
        if (reason != null) {
            times = 0;
            next = List.of();
        }
        if (reason != null && !Objects.equals(reason, failure)) {
            rejected.accept(reason + "; the Services in the clusters stay as they are");
        }
        failure = reason;
    }

    /** Reads no more. */
    @Override
    public void close() {
        ScheduledExecutorService thread = reader;
        if (thread != null) {
            thread.shutdownNow();
        }
    }
}
