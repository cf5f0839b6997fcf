package io.k8sdns.rfc2136;

import java.util.Objects;

/** Texts of exceptions, for a person. */
final class DnsFailures {
    private DnsFailures() {}

    static String text(Exception failure) {
        return Objects.requireNonNullElse(
                failure.getMessage(), failure.getClass().getSimpleName());
    }
}
