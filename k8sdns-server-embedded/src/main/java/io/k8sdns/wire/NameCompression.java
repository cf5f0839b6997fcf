package io.k8sdns.wire;

/**
 * The targets of compression pointers in one message (RFC 1035, 4.1.4): the offset of every suffix of every name written so
 * far. Suffixes are compared case-insensitively.
 *
 * <p>A hash table with open addressing. A slot holds the hash of a suffix and its offset in the message; offset 0 marks a free
 * slot.
 */
final class NameCompression {
    /** The largest offset that a compression pointer can hold. */
    static final int LAST_TARGET = 0x3FFF;

    /** The bit in which upper and lower case of a letter differ. Without it some other bytes have equal hashes, too. */
    private static final int CASE_BIT = 0x20;

    /** Room for the labels of a name from a search list, and those of the SOA record. */
    private int[] hashes = new int[32];

    private int[] offsets = new int[32];
    private int used;

    /**
     * Returns the hash of a suffix.
     *
     * @param name the name in wire form
     * @param label the offset of the suffix's first label in it
     * @param rest the hash of the suffix after that label; 0 for the root
     */
    static int hash(byte[] name, int label, int rest) {
        int hash = rest;
        for (int i = label; i <= label + name[label]; i++) {
            hash = hash * 31 + (name[i] | CASE_BIT);
        }
        return hash;
    }

    /**
     * Returns the offset of a suffix in the message.
     *
     * @param message the message so far
     * @param hash the suffix's hash
     * @param name a name in wire form
     * @param from the offset of the suffix in that name
     * @return 0 if the message has no such suffix that a pointer can reach
     */
    int find(byte[] message, int hash, byte[] name, int from) {
        for (int slot = slot(hash); offsets[slot] != 0; slot = next(slot)) {
            if (hashes[slot] == hash && equal(message, offsets[slot], name, from)) {
                return offsets[slot];
            }
        }
        return 0;
    }

    /** Adds a suffix that has been written to the message; ignored if a pointer cannot reach its offset. */
    void add(int hash, int offset) {
        if (offset > LAST_TARGET) {
            return;
        }
        if (2 * ++used > offsets.length) {
            grow();
        }
        put(hash, offset);
    }

    private void put(int hash, int offset) {
        int slot = slot(hash);
        while (offsets[slot] != 0) {
            slot = next(slot);
        }
        hashes[slot] = hash;
        offsets[slot] = offset;
    }

    private void grow() {
        int[] oldHashes = hashes;
        int[] oldOffsets = offsets;
        hashes = new int[oldHashes.length * 2];
        offsets = new int[hashes.length];
        for (int i = 0; i < oldOffsets.length; i++) {
            if (oldOffsets[i] != 0) {
                put(oldHashes[i], oldOffsets[i]);
            }
        }
    }

    private int slot(int hash) {
        return (hash ^ hash >>> 16) & offsets.length - 1;
    }

    private int next(int slot) {
        return slot + 1 & offsets.length - 1;
    }

    private static boolean equal(byte[] message, int offset, byte[] name, int from) {
        int at = offset;
        int position = from;
        while (true) {
            if ((message[at] & 0xC0) == 0xC0) {
                at = (message[at] & 0x3F) << 8 | message[at + 1] & 0xFF;
                continue;
            }
            int length = message[at];
            if (length != name[position]) {
                return false;
            }
            if (length == 0) {
                return true;
            }
            for (int i = 1; i <= length; i++) {
                if (fold(message[at + i]) != fold(name[position + i])) {
                    return false;
                }
            }
            at += 1 + length;
            position += 1 + length;
        }
    }

    private static int fold(byte character) {
        return character >= 'A' && character <= 'Z' ? character + 32 : character;
    }
}
