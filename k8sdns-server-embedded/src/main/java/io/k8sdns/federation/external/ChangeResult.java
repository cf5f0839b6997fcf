package io.k8sdns.federation.external;

import java.util.Objects;

/**
 * The result of a change of one name.
 *
 * @param kind the kind of the result, which determines when the change is retried
 * @param text the reason of a failure, for logs; empty if the change was applied
 */
public record ChangeResult(Kind kind, String text) {
    /** The change was applied; the name was read afterwards and has the records. */
    public static final ChangeResult APPLIED = new ChangeResult(Kind.APPLIED, "");

    /** Checks that nothing is null. */
    public ChangeResult {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(text, "text");
    }

    /** The kinds of results. */
    public enum Kind {
        /** The zone has the records. */
        APPLIED,

        /** The zone does not have the records that the change expects. Nothing was changed. The zone must be read again. */
        CONFLICT,

        /** The server does not answer or has a problem. Retrying soon can succeed. The change may have been applied. */
        TRANSIENT,

        /** The change fails until a setting is corrected. */
        PERMANENT
    }
}
