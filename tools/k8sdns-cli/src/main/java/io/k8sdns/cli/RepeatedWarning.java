package io.k8sdns.cli;

import java.util.Collection;
import java.util.function.Consumer;

/** Reports a warning once, although its cause is tried again and again. Used under the lock of its owner. */
final class RepeatedWarning {
    private final Consumer<String> receiver;

    /** The last warning; empty if its cause is gone. */
    private String last = "";

    RepeatedWarning(Consumer<String> receiver) {
        this.receiver = receiver;
    }

    /** Reports a warning unless it is the last one. */
    void report(String warning) {
        if (!warning.equals(last)) {
            last = warning;
            receiver.accept(warning);
        }
    }

    /** Reports warnings, one on each line, unless they are the last ones; without a warning, the cause is gone. */
    void reportAll(Collection<String> warnings) {
        if (warnings.isEmpty()) {
            clear();
        } else {
            report(String.join(System.lineSeparator(), warnings));
        }
    }

    /** Reports the next warning even if it is the last one again. */
    void clear() {
        last = "";
    }
}
