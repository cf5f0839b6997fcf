package io.k8sdns.cli;

import java.io.PrintWriter;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Prints a message about the first event of a kind and ignores all others, so that clients cannot fill the log. Thread-safe.
 *
 * @param <T> the event
 */
final class OneNote<T> implements Consumer<T> {
    private final PrintWriter err;
    private final Function<T, String> text;
    private final AtomicBoolean printed = new AtomicBoolean();

    /**
     * Creates an observer that has printed nothing.
     *
     * @param text returns the message about an event, to which the end is added that others are not reported
     */
    OneNote(PrintWriter err, Function<T, String> text) {
        this.err = err;
        this.text = text;
    }

    @Override
    public void accept(T event) {
        if (!printed.getAndSet(true)) {
            err.println(text.apply(event) + "; further ones are not reported");
        }
    }
}
