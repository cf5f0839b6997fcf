package io.k8sdns.cli;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/** Reports warnings once, although their cause is tried again and again. Used under the lock of its owner. */
final class RepeatedWarning {
    private final Consumer<String> receiver;

    /** The last warnings; empty if their cause is gone. */
    private List<String> last = List.of();

    /**
     * Creates an object without warnings.
     *
     * @param receiver receives each warning on its own
     */
    RepeatedWarning(Consumer<String> receiver) {
        this.receiver = receiver;
    }

    /** Reports a warning unless it is the last one. */
    void report(String warning) {
        reportAll(List.of(warning));
    }

    /** Reports all warnings unless they are the last ones; without a warning, the cause is gone. */
    void reportAll(Collection<String> warnings) {
        List<String> now = List.copyOf(warnings);
        if (!now.equals(last)) {
            last = now;
            now.forEach(receiver);
        }
    }

    /** Reports the next warnings even if they are the last ones again. */
    void clear() {
        last = List.of();
    }
}
