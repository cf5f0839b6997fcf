package io.k8sdns.resolver;

import java.util.Locale;
import java.util.Objects;

/**
 * An extended DNS error (RFC 8914); sent only to clients that use EDNS.
 *
 * @param code the info code, for example 14 (not ready) or 20 (not authoritative)
 * @param text the reason, for a human reader; may be empty
 */
public record ExtendedError(int code, String text) {
    /** Other: an error without a code of its own. */
    public static final int OTHER = 0;

    /** Stale answer: the data may be out of date, because their source does not respond. */
    public static final int STALE_ANSWER = 3;

    /** Stale NXDOMAIN answer: the data may be out of date, and the name may exist now. */
    public static final int STALE_NXDOMAIN_ANSWER = 19;

    /** Not ready: the server has not loaded its data yet. */
    public static final int NOT_READY = 14;

    /** Not authoritative: the name is not served by this server. */
    public static final int NOT_AUTHORITATIVE = 20;

    /** Not supported: this server does not implement the operation or query. */
    public static final int NOT_SUPPORTED = 21;

    /** No reachable authority: forwarding failed. */
    public static final int NO_REACHABLE_AUTHORITY = 22;

    /** Network error while forwarding. */
    public static final int NETWORK_ERROR = 23;

    /** Synthesized: the server has composed the answer; no zone holds it in this form. */
    public static final int SYNTHESIZED = 29;

    /** Invalid query type: no name can have data of the type (RFC 9824). */
    public static final int INVALID_QUERY_TYPE = 30;

    /**
     * Checks the code, and that the text is not null.
     *
     * @throws IllegalArgumentException if the code is not in 0 to 65535
     */
    public ExtendedError {
        Objects.requireNonNull(text, "text");
        if (code < 0 || code > 0xFFFF) {
            throw new IllegalArgumentException("not an info code (0 to 65535): " + code);
        }
    }

    /** Returns the text with control characters escaped; the code if the text is empty. */
    @Override
    public String toString() {
        if (text.isEmpty()) {
            return "extended error " + code;
        }
        StringBuilder line = new StringBuilder();
        text.codePoints()
                .forEach(c -> line.append(
                        Character.isISOControl(c) ? String.format(Locale.ROOT, "\\u%04X", c) : Character.toString(c)));
        return line.toString();
    }
}
