package io.k8sdns.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds out whether stderr is a terminal. The JDK answers that only for stdin and stdout together. */
final class Terminal {
    private static final Path STDERR = Path.of("/proc/self/fd/2");

    private Terminal() {}

    /** Returns whether stderr is a terminal; false if that cannot be known, as on systems other than Linux. */
    static boolean isStderr() {
        return isTerminal(STDERR);
    }

    /** Returns whether a link of {@code /proc} leads to a terminal. */
    static boolean isTerminal(Path descriptor) {
        try {
            String file = Files.readSymbolicLink(descriptor).toString();
            return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty") || file.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }
}
