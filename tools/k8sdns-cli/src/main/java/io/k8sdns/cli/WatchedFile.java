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
 * A text file that is read again and again, and parsed whenever its content has changed. A version that cannot be read or parsed
 * changes nothing: the last valid one stays in force.
 *
 * <p>The content is compared, not the time of the last change: a file that is replaced through a link, as a mounted ConfigMap is, may
 * have any time.
 *
 * @param <T> what the file is parsed to
 */
final class WatchedFile<T> {
    private final String path;
    private final Function<String, T> parser;
    private final Consumer<T> changed;
    private final Consumer<String> rejected;
    private @Nullable String inForce;

    /** The reason why the last version is not used; null if it is. */
    private @Nullable String failure;

    /**
     * Creates a file that has not been read.
     *
     * @param parser throws {@link IllegalArgumentException} if the text is invalid
     * @param changed takes each new version
     * @param rejected takes the reason why a version is not used, once for each reason
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
     * @throws IllegalArgumentException if it is invalid; the message names it
     */
    void start() throws IOException {
        String text = InputFile.text(path);
        try {
            changed.accept(parser.apply(text));
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException(path + ": " + invalid.getMessage(), invalid);
        }
        inForce = text;
    }

    /** Reads the file again after each pause, on a thread of the timer. */
    void follow(ScheduledExecutorService timer, Duration pause) {
        var unused = timer.scheduleWithFixedDelay(this::poll, pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Reads the file again. */
    void poll() {
        String reason;
        try {
            String text = InputFile.text(path);
            if (!text.equals(inForce)) {
                changed.accept(parser.apply(text));
                inForce = text;
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
