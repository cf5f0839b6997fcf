package io.k8sdns.cli;

import io.k8sdns.cli.ForwardingObserver.SetupError;
import java.io.PrintWriter;
import java.util.function.Supplier;

/**
 * The receivers of events and messages about upstream servers and their sources.
 *
 * @param observer returns the observer of events; called when names are forwarded, and for each counted warning
 * @param err receives messages
 */
record UpstreamReports(Supplier<ForwardingObserver> observer, PrintWriter err) {
    /** Counts and prints a warning. */
    void warn(SetupError kind, String text) {
        observer.get().setupError(kind);
        err.println(text);
    }

    /** Prints a note or a warning that is not counted. */
    void print(String text) {
        err.println(text);
    }
}
