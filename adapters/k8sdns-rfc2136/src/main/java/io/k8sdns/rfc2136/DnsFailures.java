package io.k8sdns.rfc2136;

import java.util.Objects;

/** Returns the messages of exceptions, or their class names. */
final class DnsFailures {
    private DnsFailures() {}

    static String text(Exception failure) {
        return Objects.requireNonNullElse(
                failure.getMessage(), failure.getClass().getSimpleName());
    }
}
