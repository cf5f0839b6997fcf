package io.k8sdns.records;

import io.k8sdns.name.DnsLabels;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The SRV records of a name as they are kept. Targets of one Service differ in their last letters, so of each record that
 * alone is written in which it differs from the one before.
 *
 * <pre>
 * record    how many octets it begins with like the one before (one octet, at most 127), how many follow (a count), those
 * </pre>
 *
 * <p>The octets of a record are its port (2 octets) and its target, a name of {@link PackedName}.
 *
 * <p>Of 64 records and more one may change while thousands stay, so they come in blocks then: the length of what follows
 * (4 octets), and records, the first of them whole. A record begins a block if a hash of its octets says so, one in sixteen
 * does; and the first of all does. So the same records are the same octets however they came, and a change reaches no
 * farther than its block and the end of the one before.
 */
final class PackedSrvs {
    private static final int BLOCKS = 64;

    /** A power of two: how many records a block has in the mean. */
    private static final int BLOCK = 16;

    private static final int BLOCK_HEAD = 4;

    private static final int MOST_SHARED = 0x7F;

    /** A port, the longest name, and what ends it. */
    private static final int LONGEST = 2 + 254 + 1;

    private PackedSrvs() {}

    /** Returns whether so many records come in blocks. */
    static boolean inBlocks(int count) {
        return count >= BLOCKS;
    }

    private static boolean beginsBlock(byte[] record, int length) {
        return (DnsLabels.hash(record, 0, length) & BLOCK - 1) == 0;
    }

    private static int afterBlock(byte[] packed, int block) {
        return block + BLOCK_HEAD + PackedName.ipv4(packed, block);
    }

    private static int port(byte[] octets, int at) {
        return (octets[at] & 0xFF) << 8 | octets[at + 1] & 0xFF;
    }

    /** Compares two records at one name: octets where both are one label below the same name, as nearly all are. */
    private static int compare(byte[] octets, int at, byte[] other, byte[] packed) {
        int byPort = port(octets, at) - port(other, 0);
        if (byPort != 0) {
            return byPort;
        }
        int end = at + 3 + octets[at + 2];
        int otherEnd = 3 + other[2];
        if (octets[at + 2] > 0 && other[2] > 0 && octets[end] < 0 && octets[end] == other[otherEnd]) {
            return DnsLabels.compareLabels(octets, at + 2, other, 2);
        }
        return PackedName.name(octets, at + 2, packed).compareTo(PackedName.name(other, 2, packed));
    }

    /** Reads one record after another. */
    static final class Reader {
        private final byte[] packed;
        private final boolean blocks;
        private final int end;
        private final byte[] record = new byte[LONGEST];
        private int length;
        private int at;
        private int blockEnd;

        /**
         * Reads from the first record, or the first of some blocks, on.
         *
         * @param packed a name
         * @param from where they begin
         * @param to where they end
         */
        Reader(byte[] packed, int from, int to, boolean blocks) {
            this.packed = packed;
            this.blocks = blocks;
            this.end = to;
            this.at = from;
            this.blockEnd = from;
        }

        /** Moves on to the next record; returns whether there is one. */
        boolean next() {
            if (at == end) {
                return false;
            }
            if (blocks && at == blockEnd) {
                blockEnd = afterBlock(packed, at);
                at += BLOCK_HEAD;
            }
            int shared = packed[at++];
            int rest = PackedName.count(packed, at);
            at = PackedName.afterCount(packed, at);
            System.arraycopy(packed, at, record, shared, rest);
            at += rest;
            length = shared + rest;
            return true;
        }

        NameData.Srv srv() {
            return new NameData.Srv(port(record, 0), PackedName.name(record, 2, packed));
        }
    }

    /** Writes one record after another. */
    static final class Writer {
        private final PackedName.Writer out;
        private final boolean blocks;

        /** The record that was written last. */
        private byte[] last = new byte[LONGEST];

        private int lastLength;

        /** Where the block is that is written to; -1 for none. */
        private int block = -1;

        /** Where it was copied from, while the last record is still to be read from there. */
        private @Nullable Reader copied;

        Writer(PackedName.Writer out, boolean blocks) {
            this.out = out;
            this.blocks = blocks;
        }

        void add(NameData.Srv srv) {
            byte[] record = out.record(srv);
            add(record, record.length);
        }

        private void add(byte[] record, int length) {
            int shared = 0;
            if (blocks && (block < 0 || beginsBlock(record, length))) {
                endBlock();
                block = out.at();
                out.number(0, BLOCK_HEAD);
            } else {
                readCopied();
                int most = Math.min(MOST_SHARED, Math.min(lastLength, length));
                shared = Arrays.mismatch(last, 0, most, record, 0, most);
                shared = shared < 0 ? most : shared;
            }
            out.octet(shared);
            out.count(length - shared);
            out.range(record, shared, length);
            System.arraycopy(record, shared, last, shared, length - shared);
            lastLength = length;
        }

        /**
         * Writes some whole blocks as they are.
         *
         * @param lastBlock where the last of them begins
         */
        private void copy(byte[] packed, int from, int to, int lastBlock) {
            if (from < to) {
                endBlock();
                block = out.at() + lastBlock - from;
                out.range(packed, from, to);
                copied = new Reader(packed, lastBlock, to, true);
            }
        }

        private void readCopied() {
            if (copied != null) {
                while (copied.next()) {
                    lastLength = copied.length;
                }
                last = copied.record;
                copied = null;
            }
        }

        /** Says how long the last block is. */
        void endBlock() {
            if (block >= 0) {
                out.numberAt(block, out.at() - block - BLOCK_HEAD);
                copied = null;
            }
        }
    }

    /**
     * Writes the records of some blocks, more of them or fewer.
     *
     * @param packed a name
     * @param from where its blocks begin; they end where it ends
     * @param edits in the order of the records
     * @param out is written to
     * @return how many records there are more
     */
    static int amend(byte[] packed, int from, List<NameData.Edit<NameData.Srv>> edits, PackedName.Writer out) {
        return new Amendment(packed, edits, out).amend(from);
    }

    /** The walk through records and edits. */
    private static final class Amendment {
        private final byte[] packed;
        private final List<NameData.Edit<NameData.Srv>> edits;
        private final PackedName.Writer out;
        private final Writer writer;
        private int more;

        /** The next edit, and its octets; none behind the last one. */
        private int next = -1;

        private byte[] octets = new byte[0];

        Amendment(byte[] packed, List<NameData.Edit<NameData.Srv>> edits, PackedName.Writer out) {
            this.packed = packed;
            this.edits = edits;
            this.out = out;
            this.writer = new Writer(out, true);
            advance();
        }

        private void advance() {
            next++;
            if (next < edits.size()) {
                octets = out.record(edits.get(next).thing());
            }
        }

        /** Returns whether the next edit is before a record that is written whole. */
        private boolean isBefore(byte[] record, int at) {
            return next < edits.size() && compare(record, at, octets, packed) > 0;
        }

        /** Returns whether the next edit is before a block, or before the end. */
        private boolean isBeforeBlock(int block) {
            return block == packed.length
                    ? next < edits.size()
                    : isBefore(packed, PackedName.afterCount(packed, block + BLOCK_HEAD + 1));
        }

        int amend(int from) {
            int copyFrom = from;
            int lastBlock = from;
            for (int block = from; block < packed.length; ) {
                int end = afterBlock(packed, block);
                if (isBeforeBlock(end)) {
                    writer.copy(packed, copyFrom, block, lastBlock);
                    amendBlock(block, end);
                    copyFrom = end;
                }
                lastBlock = block;
                block = end;
            }
            writer.copy(packed, copyFrom, packed.length, lastBlock);
            writer.endBlock();
            return more;
        }

        private void amendBlock(int block, int end) {
            for (Reader reader = new Reader(packed, block, end, true); reader.next(); ) {
                while (isBefore(reader.record, 0)) {
                    insert();
                }
                if (next < edits.size() && compare(reader.record, 0, octets, packed) == 0) {
                    more += edits.get(next).there() ? 0 : -1;
                    if (edits.get(next).there()) {
                        writer.add(reader.record, reader.length);
                    }
                    advance();
                } else {
                    writer.add(reader.record, reader.length);
                }
            }
            while (isBeforeBlock(end)) {
                insert();
            }
        }

        private void insert() {
            if (edits.get(next).there()) {
                writer.add(octets, octets.length);
                more++;
            }
            advance();
        }
    }
}
