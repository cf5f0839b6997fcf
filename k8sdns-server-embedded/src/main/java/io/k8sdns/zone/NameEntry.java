package io.k8sdns.zone;

import io.k8sdns.rules.NameData;

/**
 * A stored name as the writer sees it: its data, and the publishers whose facts they were assembled from. A short-lived view; the tables
 * store the two side by side.
 *
 * <p>The publishers are all that is needed to assemble the name again, since facts are derived from an object whenever they are needed.
 */
final class NameEntry {
    private final byte[] packed;
    private final Publishers publishers;

    NameEntry(byte[] packed, Publishers publishers) {
        this.packed = packed;
        this.publishers = publishers;
    }

    /** Returns the data of the name in one array; see {@link NameData#packed}. */
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
