package io.k8sdns.federation.external;

import java.util.Objects;

/**
 * What became of a change of one name.
 *
 * @param kind decides when it is tried again
 * @param text the reason of a failure, for a person; empty if the change is made
 */
public record ChangeResult(Kind kind, String text) {
    /** The change is made, and the zone was read afterwards and has the records. */
    public static final ChangeResult APPLIED = new ChangeResult(Kind.APPLIED, "");

    /** Checks that nothing is null. */
    public ChangeResult {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(text, "text");
    }

    /** What a failure means for the next attempt. */
    public enum Kind {
        /** The zone has the records. */
        APPLIED,

        /** The zone has other records than the change expects. It is read again, and nothing is overwritten. */
        CONFLICT,

        /** It may work a little later: nothing answers, or the server has a problem. It is not known whether the change is made. */
        TRANSIENT,

        /** It will not work until somebody changes a setting. */
        PERMANENT
    }
}
