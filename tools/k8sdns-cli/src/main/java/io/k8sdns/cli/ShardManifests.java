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
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Watches the manifests of the Services that a controller creates, by reading a file or a directory periodically.
 *
 * <p>A Service that is removed from the manifests is deleted in every cluster. So a version is used only if it is completely valid,
 * has at least one Service, and is the same in {@value #READS_UNTIL_USED} consecutive reads. Otherwise the last valid version
 * remains in use, and the reason is reported once.
 *
 * <p>A separate thread reads the files, so that slow file systems do not delay the controller.
 */
final class ShardManifests implements AutoCloseable {
    /**
     * The number of consecutive reads after which a version is used. A file that is being written can be a valid file with fewer
     * Services.
     */
    static final int READS_UNTIL_USED = 3;

    private static final int MAX_LISTED = 5;
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

    private final Path path;
    private final Consumer<List<ShardTemplate>> changed;
    private final Consumer<String> rejected;
    private List<ShardTemplate> current = List.of();

    /** A version that is not used yet, and the number of consecutive reads that found it. */
    private List<ShardTemplate> next = List.of();

    private int times;

    /** The reason why the last version is not used; null if it is used. */
    private @Nullable String failure;

    private @Nullable ScheduledExecutorService reader;

    /**
     * Creates manifests without reading them.
     *
     * @param changed receives each new version
     * @param rejected receives the reason why a version is not used, once for each reason
     */
    ShardManifests(Path path, Consumer<List<ShardTemplate>> changed, Consumer<String> rejected) {
        this.path = path;
        this.changed = changed;
        this.rejected = rejected;
    }

    /**
     * Reads the manifests.
     *
     * @throws IOException if the path is missing or cannot be read; the message contains it
     * @throws IllegalArgumentException if a manifest is invalid; the message contains the reason
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
        return problems.stream().limit(MAX_LISTED).map(Diagnostic::toString).collect(Collectors.joining("; "))
                + (problems.size() > MAX_LISTED ? "; and " + (problems.size() - MAX_LISTED) + " more" : "");
    }

    private static ShardTemplate parse(ServiceManifest service) {
        try {
            return ShardTemplate.parse(service.json());
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException(service.position() + ": " + invalid.getMessage(), invalid);
        }
    }

    /** Starts to read the manifests periodically, until this is closed. */
    void follow(List<ShardTemplate> first) {
        begin(first);
        ScheduledExecutorService thread = TimerThreads.start("k8sdns-shard-manifests");
        reader = thread;
        var unused = thread.scheduleWithFixedDelay(
                this::readAgain, POLL_INTERVAL.toMillis(), POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Sets the first version. */
    void begin(List<ShardTemplate> first) {
        current = first;
    }

    /** Reads the manifests again. */
    void readAgain() {
        String reason = null;
        try {
            List<ShardTemplate> now = read(path);
            times = now.equals(next) ? times + 1 : 1;
            next = now;
            if (times >= READS_UNTIL_USED && !now.equals(current)) {
                current = now;
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

    /** Stops reading. */
    @Override
    public void close() {
        ScheduledExecutorService thread = reader;
        if (thread != null) {
            thread.shutdownNow();
        }
    }
}
