package io.k8sdns.rules;

import io.k8sdns.name.DnsLabels;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * The SRV records of a name as they are kept. Targets of one Service differ in their last letters, so of each record that
 * alone is written in which it differs from the one before.
 *
 * <pre>
 * record    how many octets it begins with like the one before, how many follow, those
 * </pre>
 *
 * <p>The octets of a record are its port (2 octets), how its target ends (the last octet of a name of {@link PackedName}), and
 * the labels before that: what differs comes last. The two numbers are one octet where one to four octets follow at most 31,
 * which is nearly always: {@code follow - 1 << 5 | like}; else an octet {@code 0x80 | like}, at most 127, and a count.
 *
 * <p>Of 64 records and more one may change while thousands stay, so they come in blocks then: the number of blocks (a count)
 * and the length of each (counts), and the blocks, the first record of each whole. A record begins a block if a hash of its
 * octets says so, one in sixteen does; and the first of all does. So the same records are the same octets however they came,
 * and a change reaches no farther than its block and the end of the one before.
 */
final class PackedSrvs {
    private static final int BLOCKS = 64;

    /** A power of two: how many records a block has in the mean. */
    private static final int BLOCK = 16;

    private static final int LONG_FORM = 0x80;
    private static final int MOST_SHARED = 0x7F;

    /** In the short form. */
    private static final int MOST_SHARED_SHORT = 0x1F;

    private static final int MOST_FOLLOWING_SHORT = 4;
    private static final int FOLLOWING_SHIFT = 5;

    /** Where the target's end is in a record, and where its labels are. */
    private static final int END = 2;

    private static final int LABELS = 3;

    private static final int LONGEST = LABELS + 254;

    private PackedSrvs() {}

    /** Returns whether so many records come in blocks. */
    private static boolean inBlocks(int count) {
        return count >= BLOCKS;
    }

    private static boolean beginsBlock(byte[] record, int length) {
        return (DnsLabels.hash(record, 0, length) & BLOCK - 1) == 0;
    }

    private static int port(byte[] octets, int at) {
        return (octets[at] & 0xFF) << 8 | octets[at + 1] & 0xFF;
    }

    private static DnsLabels target(byte[] octets, int at, int length, byte[] packed) {
        return PackedName.name(octets, at + LABELS, at + length, octets[at + END], packed);
    }

    private static boolean isOneLabelBelowTheFirstName(byte[] octets, int at, int length) {
        return octets[at + END] < 0 && length > LABELS && length == LABELS + 1 + octets[at + LABELS];
    }

    /** Compares two records at one name: octets where both are one label below the same name, as nearly all are. */
    private static int compare(byte[] octets, int at, int length, byte[] other, byte[] packed) {
        int byPort = port(octets, at) - port(other, 0);
        if (byPort != 0) {
            return byPort;
        }
        if (octets[at + END] == other[END]
                && isOneLabelBelowTheFirstName(octets, at, length)
                && isOneLabelBelowTheFirstName(other, 0, other.length)) {
            return DnsLabels.compareLabels(octets, at + LABELS, other, LABELS);
        }
        return target(octets, at, length, packed).compareTo(target(other, 0, other.length, packed));
    }

    // ---- reading and writing ----

    /**
     * Returns the records of a name.
     *
     * @param packed the name
     * @param from where they begin; they end where it ends
     * @param count how many there are
     */
    static NameData.Srv[] read(byte[] packed, int from, int count) {
        int at = from;
        if (inBlocks(count)) {
            at = PackedName.afterCount(packed, from);
            for (int left = PackedName.count(packed, from); left > 0; left--) {
                at = PackedName.afterCount(packed, at);
            }
        }
        NameData.Srv[] srvs = new NameData.Srv[count];
        Reader reader = new Reader(packed, at, packed.length);
        for (int i = 0; reader.next(); i++) {
            srvs[i] = new NameData.Srv(port(reader.record, 0), target(reader.record, 0, reader.length, packed));
        }
        return srvs;
    }

    /**
     * Writes records.
     *
     * @param sorted the records in order
     * @param out is written to
     */
    static void write(Collection<NameData.Srv> sorted, PackedName.Writer out) {
        boolean inBlocks = inBlocks(sorted.size());
        PackedName.Writer records = inBlocks ? out.another() : out;
        Writer writer = new Writer(records, inBlocks);
        for (NameData.Srv srv : sorted) {
            writer.add(srv);
        }
        if (inBlocks) {
            writer.endBlock();
            out.octets(writer.lengths.packed());
            out.octets(records.taken());
        }
    }

    /** Reads one record after another. */
    private static final class Reader {
        private final byte[] packed;
        private final int end;
        private final byte[] record = new byte[LONGEST];
        private int length;

        /** How many octets it begins with like the one before. */
        private int shared;

        /** Where it is. */
        private int from;

        private int to;

        Reader(byte[] packed, int from, int to) {
            this.packed = packed;
            this.end = to;
            this.to = from;
        }

        /** Moves on to the next record; returns whether there is one. */
        boolean next() {
            if (to == end) {
                return false;
            }
            from = to;
            int head = packed[from];
            shared = head & (head < 0 ? MOST_SHARED : MOST_SHARED_SHORT);
            int octets = octets(packed, from);
            int following = following(packed, from);
            System.arraycopy(packed, octets, record, shared, following);
            to = octets + following;
            length = shared + following;
            return true;
        }

        /** Returns where the octets of a record are. */
        static int octets(byte[] packed, int record) {
            return packed[record] < 0 ? PackedName.afterCount(packed, record + 1) : record + 1;
        }

        /** Returns how many these are. */
        static int following(byte[] packed, int record) {
            return packed[record] < 0 ? PackedName.count(packed, record + 1) : 1 + (packed[record] >> FOLLOWING_SHIFT);
        }
    }

    /** Writes one record after another. */
    private static final class Writer {
        private final PackedName.Writer out;
        private final boolean inBlocks;

        /** Those of the blocks that have ended. */
        private final Lengths lengths = new Lengths();

        /** Where the block is that is written to; -1 for none. */
        private int block = -1;

        /** The record that was written last. */
        private byte[] last = Splice.NOTHING;

        private int lastLength;

        Writer(PackedName.Writer out, boolean inBlocks) {
            this.out = out;
            this.inBlocks = inBlocks;
        }

        void add(NameData.Srv srv) {
            byte[] record = out.record(srv);
            write(record, record.length);
            last = record;
            lastLength = record.length;
        }

        /** Adds a record that stands in octets which become others. */
        void add(byte[] record, int length) {
            follow(record, write(record, length), length);
        }

        /** Returns how many octets the record begins with like the one before, which it does not become here. */
        private int write(byte[] record, int length) {
            int shared = 0;
            if (inBlocks && (block < 0 || beginsBlock(record, length))) {
                endBlock();
                block = out.at();
            } else {
                int most = Math.min(MOST_SHARED, Math.min(lastLength, length));
                shared = Arrays.mismatch(last, 0, most, record, 0, most);
                shared = shared < 0 ? most : shared;
            }
            int following = length - shared;
            if (shared <= MOST_SHARED_SHORT && following > 0 && following <= MOST_FOLLOWING_SHORT) {
                out.octet(following - 1 << FOLLOWING_SHIFT | shared);
            } else {
                out.octet(LONG_FORM | shared);
                out.count(following);
            }
            out.range(record, shared, length);
            return shared;
        }

        /** Writes what a reader is at as it is: it follows the same record there and here. */
        void copy(Reader reader) {
            out.range(reader.packed, reader.from, reader.to);
            follow(reader.record, reader.shared, reader.length);
        }

        private void follow(byte[] record, int shared, int length) {
            if (length > last.length) {
                last = Arrays.copyOf(last, 2 * length);
            }
            System.arraycopy(record, shared, last, shared, length - shared);
            lastLength = length;
        }

        void endBlock() {
            if (block >= 0) {
                lengths.add(out.at() - block);
                block = -1;
            }
        }
    }

    /** The lengths of blocks. */
    private static final class Lengths {
        private static final int[] NONE = new int[0];

        private int[] lengths = NONE;
        private int count;

        void add(int length) {
            if (count == lengths.length) {
                lengths = Arrays.copyOf(lengths, Math.max(16, 2 * count));
            }
            lengths[count++] = length;
        }

        byte[] packed() {
            int[] all = new int[1 + count];
            all[0] = count;
            System.arraycopy(lengths, 0, all, 1, count);
            return PackedName.counts(all);
        }
    }

    // ---- changing a few of many ----

    /** Returns whether records can be {@linkplain #amend amended}: they are in blocks, and are so when some have gone. */
    static boolean canAmend(int count, int going) {
        return inBlocks(count - going);
    }

    /**
     * Makes records more or fewer, of which {@link #canAmend} says that they can be.
     *
     * @param packed a name
     * @param from where its records begin; they end where it ends
     * @param edits in the order of the records
     * @param splice takes what becomes another
     * @return how many records there are more
     */
    static int amend(byte[] packed, int from, List<NameData.Edit<NameData.Srv>> edits, Splice splice) {
        int mark = splice.mark();
        int[] blocks = blocks(packed, from);
        Amendment amendment = new Amendment(packed, blocks, edits, splice);
        int more = amendment.amend();
        splice.replace(mark, from, blocks[0], amendment.writer.lengths.packed());
        return more;
    }

    /** Returns where each block begins, and where the last one ends. */
    private static int[] blocks(byte[] packed, int from) {
        int[] blocks = new int[1 + PackedName.count(packed, from)];
        int at = PackedName.afterCount(packed, from);
        for (int i = 1; i < blocks.length; i++) {
            blocks[i] = blocks[i - 1] + PackedName.count(packed, at);
            at = PackedName.afterCount(packed, at);
        }
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] += at;
        }
        return blocks;
    }

    /** The walk through the edits and the blocks that they are in. */
    private static final class Amendment {
        private final byte[] packed;
        private final int[] blocks;
        private final List<NameData.Edit<NameData.Srv>> edits;
        private final Splice splice;
        private final PackedName.Writer out;

        /** Writes blocks next to each other anew, from this one on and up to, not with, that one. */
        private final Writer writer;

        private int writtenFrom;
        private int written;

        private int more;

        /** The next edit, and its octets; none behind the last one. */
        private int next = -1;

        private byte[] octets = new byte[0];

        Amendment(byte[] packed, int[] blocks, List<NameData.Edit<NameData.Srv>> edits, Splice splice) {
            this.packed = packed;
            this.blocks = blocks;
            this.edits = edits;
            this.splice = splice;
            this.out = new PackedName.Writer(packed, PackedName.kinds(packed));
            this.writer = new Writer(out, true);
            advance();
        }

        private void advance() {
            next++;
            if (next < edits.size()) {
                octets = out.record(edits.get(next).thing());
            }
        }

        private boolean isBehindLast() {
            return next == edits.size();
        }

        /** Compares a record with the next edit; whatever there is comes before the end of the edits. */
        private int order(byte[] record, int at, int length) {
            return isBehindLast() ? -1 : compare(record, at, length, octets, packed);
        }

        /** Compares the first record of a block with the next edit. */
        private int order(int block) {
            int first = blocks[block];
            return order(packed, Reader.octets(packed, first), Reader.following(packed, first));
        }

        int amend() {
            while (!isBehindLast()) {
                int block = find();
                // A block whose first record goes is a part of the one before it.
                boolean joined = block > written && !edits.get(next).there() && order(block) == 0;
                skipTo(joined ? block - 1 : block);
                while (written <= block) {
                    amendBlock();
                }
            }
            endWritten();
            skipTo(blocks.length - 1);
            return more;
        }

        /** Returns the block that the next edit is in: the last one that does not begin behind it. */
        private int find() {
            int from = written + 1;
            int to = blocks.length - 1;
            while (from < to) {
                int middle = from + to >>> 1;
                if (order(middle) > 0) {
                    to = middle;
                } else {
                    from = middle + 1;
                }
            }
            return from - 1;
        }

        /** Leaves the blocks as they are up to one that is to be written next. */
        private void skipTo(int block) {
            if (written < block) {
                endWritten();
                for (; written < block; written++) {
                    writer.lengths.add(blocks[written + 1] - blocks[written]);
                }
                writtenFrom = block;
            }
        }

        private void endWritten() {
            if (writtenFrom < written) {
                writer.endBlock();
                splice.replace(blocks[writtenFrom], blocks[written], out.taken());
                writtenFrom = written;
            }
        }

        private void amendBlock() {
            Reader reader = new Reader(packed, blocks[written], blocks[written + 1]);
            written++;
            boolean inStep = false;
            while (reader.next()) {
                int order = order(reader.record, 0, reader.length);
                while (order > 0) {
                    insert();
                    inStep = false;
                    order = order(reader.record, 0, reader.length);
                }
                boolean stays = order < 0 || edits.get(next).there();
                if (stays && inStep) {
                    writer.copy(reader);
                } else if (stays) {
                    writer.add(reader.record, reader.length);
                } else {
                    more--;
                }
                inStep = stays;
                if (order == 0) {
                    advance();
                }
            }
            while (!isBehindLast() && (written == blocks.length - 1 || order(written) > 0)) {
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
