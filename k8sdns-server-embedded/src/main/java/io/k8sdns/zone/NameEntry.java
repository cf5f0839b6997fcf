package io.k8sdns.zone;

import io.k8sdns.rules.NameData;

/**
 * A stored name as the writer sees it: what it owns, and whose facts that was made of. Made to be looked at, and not kept:
 * the tables hold the two side by side.
 *
 * <p>The publishers are the ledger: they are all that the writer needs to know to make the name anew, since facts are
 * derived from an object again whenever they are asked for.
 */
final class NameEntry {
    private final byte[] packed;
    private final Publishers publishers;

    NameEntry(byte[] packed, Publishers publishers) {
        this.packed = packed;
        this.publishers = publishers;
    }

    /** Returns what the name owns, in one array; see {@link NameData#packed}. */
    byte[] packed() {
        return packed;
    }

    NameData data() {
        return NameData.ofPacked(packed);
    }

    Publishers publishers() {
        return publishers;
    }
}
