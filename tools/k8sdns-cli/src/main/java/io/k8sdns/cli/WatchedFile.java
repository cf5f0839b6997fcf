package io.k8sdns.cli;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Watches a text file by reading it periodically, and parses it when its content changes. If a version cannot be read or parsed,
 * the last valid version remains in use.
 *
 * <p>Compares contents and not modification times, because a file that is replaced through a symbolic link, such as a mounted
 * ConfigMap, can have any modification time.
 *
 * @param <T> the type of the parsed content
 */
final class WatchedFile<T> {
    private final String path;
    private final Function<String, T> parser;
    private final Consumer<T> changed;
    private final Consumer<String> rejected;
    private @Nullable String current;

    /** The reason why the last version is not used; null if it is used. */
    private @Nullable String failure;

    /**
     * Creates a file without reading it.
     *
     * @param parser throws {@link IllegalArgumentException} if the text is invalid
     * @param changed receives each new version
     * @param rejected receives the reason why a version is not used, once for each reason
     */
    WatchedFile(String path, Function<String, T> parser, Consumer<T> changed, Consumer<String> rejected) {
        this.path = path;
        this.parser = parser;
        this.changed = changed;
        this.rejected = rejected;
    }

    /**
     * Reads the first version.
     *
     * @throws IOException if the file is missing or cannot be read
     * @throws IllegalArgumentException if the file is invalid; the message contains its name
     */
    void start() throws IOException {
        String text = InputFile.text(path);
        try {
            changed.accept(parser.apply(text));
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException(path + ": " + invalid.getMessage(), invalid);
        }
        current = text;
    }

    /** Starts to read the file periodically, on a thread of the timer. */
    void follow(ScheduledExecutorService timer, Duration pause) {
        var unused = timer.scheduleWithFixedDelay(this::poll, pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Reads the file again. */
    void poll() {
        String reason;
        try {
            String text = InputFile.text(path);
            if (!text.equals(current)) {
                changed.accept(parser.apply(text));
                current = text;
            }
            failure = null;
            return;
        } catch (NoSuchFileException missing) {
            reason = path + ": no such file";
        } catch (IOException | RuntimeException invalid) {
            String message = String.valueOf(invalid.getMessage());
            reason = message.startsWith(path) ? message : path + ": " + message;
        }
        if (!Objects.equals(reason, failure)) {
            failure = reason;
            rejected.accept(reason);
        }
    }
}
