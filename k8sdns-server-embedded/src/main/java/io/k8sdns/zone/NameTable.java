package io.k8sdns.zone;

import io.k8sdns.name.DnsLabels;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The stored names below the zone, immutable: an array of segments, each a small open-addressing hash table. A batch of
 * changes copies the array of references and the segments that it touches; everything else is shared with the revision
 * before.
 *
 * <p>This class alone knows the layout. A name is found by its labels or, without an object per query, by the octets of a
 * message.
 */
final class NameTable {
    /** The mean number of names of a segment at which the number of segments doubles. */
    private static final int FULL = 32;

    static final NameTable EMPTY = new NameTable(new Segment[] {Segment.EMPTY}, 0);

    /** A power of two of them; the upper bits of a name's hash choose one. */
    private final Segment[] segments;

    private final int size;

    private NameTable(Segment[] segments, int size) {
        this.segments = segments;
        this.size = size;
    }

    /** Returns the number of names. */
    int size() {
        return size;
    }

    /** Returns the entry of a name; null if it is not stored. */
    @Nullable
    NameEntry<DnsLabels> get(DnsLabels name) {
        int hash = name.hashCode();
        return segments[segment(hash, segments.length)].get(name, hash);
    }

    /** Returns the entry of the name that stands in wire form in these octets; null if it is not stored. */
    @Nullable
    NameEntry<DnsLabels> get(byte[] octets, int from, int to) {
        int hash = DnsLabels.hash(octets, from, to);
        return segments[segment(hash, segments.length)].get(octets, from, to, hash);
    }

    /** Hands over every entry, in no particular order. */
    void forEach(Consumer<NameEntry<DnsLabels>> action) {
        for (Segment segment : segments) {
            segment.forEach(action);
        }
    }

    /** Starts a batch of changes; this table stays as it is. */
    Edit edit() {
        return new Edit(segments, size);
    }

    /** The upper bits choose the segment, the lower ones the slot. */
    private static int segment(int hash, int count) {
        return count == 1 ? 0 : hash >>> Integer.numberOfLeadingZeros(count) + 1;
    }

    /** A table that changes, seen by one thread, until {@link #build}. */
    static final class Edit {
        private Segment[] segments;
        private int size;
        private boolean shared = true;

        private Edit(Segment[] segments, int size) {
            this.segments = segments;
            this.size = size;
        }

        @Nullable
        NameEntry<DnsLabels> get(DnsLabels name) {
            int hash = name.hashCode();
            return segments[segment(hash, segments.length)].get(name, hash);
        }

        /** Stores an entry, in place of the one with its name. */
        void put(NameEntry<DnsLabels> entry) {
            int hash = entry.key().hashCode();
            int index = segment(hash, segments.length);
            Segment changed = segments[index].with(entry, hash);
            size += changed.count - segments[index].count;
            own()[index] = changed;
            if (size > segments.length * FULL) {
                doubleSegments();
            }
        }

        /** Drops a name, if it is stored. */
        void remove(DnsLabels name) {
            int hash = name.hashCode();
            int index = segment(hash, segments.length);
            Segment changed = segments[index].without(name, hash);
            size += changed.count - segments[index].count;
            own()[index] = changed;
        }

        private Segment[] own() {
            if (shared) {
                segments = segments.clone();
                shared = false;
            }
            return segments;
        }

        private void doubleSegments() {
            Segment[] doubled = new Segment[segments.length * 2];
            for (int i = 0; i < segments.length; i++) {
                int lower = 2 * i;
                doubled[lower] = segments[i].where(entry -> segment(entry.key().hashCode(), doubled.length) == lower);
                doubled[lower + 1] =
                        segments[i].where(entry -> segment(entry.key().hashCode(), doubled.length) != lower);
            }
            segments = doubled;
            shared = false;
        }

        NameTable build() {
            shared = true;
            return new NameTable(segments, size);
        }
    }

    /** A small hash table that is copied to be changed: linear probing, at most three quarters full. */
    private static final class Segment {
        private static final Segment EMPTY = new Segment(1);

        private final @Nullable NameEntry<DnsLabels>[] slots;
        private int count;

        @SuppressWarnings({"unchecked", "rawtypes"})
        private Segment(int capacity) {
            this.slots = new NameEntry[capacity];
        }

        private static int capacity(int count) {
            int capacity = 1;
            while (count * 4 > capacity * 3) {
                capacity *= 2;
            }
            return capacity;
        }

        @Nullable
        NameEntry<DnsLabels> get(DnsLabels name, int hash) {
            return slots[slot(name, hash)];
        }

        @Nullable
        NameEntry<DnsLabels> get(byte[] octets, int from, int to, int hash) {
            int mask = slots.length - 1;
            int slot = hash & mask;
            NameEntry<DnsLabels> entry = slots[slot];
            while (entry != null
                    && !(entry.key().hashCode() == hash && entry.key().matches(octets, from, to))) {
                slot = slot + 1 & mask;
                entry = slots[slot];
            }
            return entry;
        }

        /** Returns the slot of the name, or the free one where it would be. */
        private int slot(DnsLabels name, int hash) {
            int mask = slots.length - 1;
            int slot = hash & mask;
            NameEntry<DnsLabels> entry = slots[slot];
            while (entry != null && !entry.key().equals(name)) {
                slot = slot + 1 & mask;
                entry = slots[slot];
            }
            return slot;
        }

        private void add(NameEntry<DnsLabels> entry) {
            slots[slot(entry.key(), entry.key().hashCode())] = entry;
            count++;
        }

        Segment with(NameEntry<DnsLabels> entry, int hash) {
            int slot = slot(entry.key(), hash);
            int newCount = slots[slot] == null ? count + 1 : count;
            Segment copy = new Segment(Math.max(slots.length, capacity(newCount)));
            if (copy.slots.length == slots.length) {
                System.arraycopy(slots, 0, copy.slots, 0, slots.length);
                copy.slots[slot] = entry;
                copy.count = newCount;
            } else {
                forEach(copy::add);
                copy.add(entry);
            }
            return copy;
        }

        Segment without(DnsLabels name, int hash) {
            NameEntry<DnsLabels> gone = get(name, hash);
            return gone == null ? this : where(entry -> entry != gone);
        }

        Segment where(Predicate<NameEntry<DnsLabels>> keep) {
            int kept = 0;
            for (NameEntry<DnsLabels> entry : slots) {
                if (entry != null && keep.test(entry)) {
                    kept++;
                }
            }
            Segment copy = new Segment(capacity(kept));
            forEach(entry -> {
                if (keep.test(entry)) {
                    copy.add(entry);
                }
            });
            return copy;
        }

        void forEach(Consumer<NameEntry<DnsLabels>> action) {
            for (NameEntry<DnsLabels> entry : slots) {
                if (entry != null) {
                    action.accept(entry);
                }
            }
        }
    }
}
