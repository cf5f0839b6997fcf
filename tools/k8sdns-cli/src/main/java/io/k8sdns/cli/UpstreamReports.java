package io.k8sdns.cli;

import io.k8sdns.cli.ForwardingObserver.SetupError;
import io.k8sdns.resolver.FailureObserver;
import java.io.PrintWriter;
import java.util.function.Supplier;

/**
 * The receivers of failures, events and messages about upstream servers.
 *
 * @param failures receives the causes of SERVFAIL
 * @param observer returns the observer of events; called only if names are forwarded or expanded
 * @param err receives messages about the ConfigMap and the host's resolv.conf
 */
record UpstreamReports(FailureObserver failures, Supplier<ForwardingObserver> observer, PrintWriter err) {
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
