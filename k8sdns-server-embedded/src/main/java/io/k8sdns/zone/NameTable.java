package io.k8sdns.zone;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.rules.NameData;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The stored names below the zone, immutable: pages of segments, each a small open-addressing hash table of packed names
 * ({@link NameData#packed}), one array for each. A batch of changes copies each page and each segment that it changes once, and the array of
 * pages, which has one reference for some thousand names; see "Copy on write" in the description of this package.
 *
 * <p>A name is found by its labels or, without an object for each query, by the bytes of a message. A lookup loads the page, the
 * segment, its hashes and the name. With a million names its cost is that of the loads that miss the CPU's caches; the pages are few
 * enough to stay there.
 */
final class NameTable {
    /** The number of segments doubles when they have more names than this on average. */
    private static final int FULL = 96;

    /** The number of segments of a page, a power of two; a table with fewer of them is one page. */
    private static final int PAGE = 64;

    static final NameTable EMPTY = new NameTable(new Segment[][] {{new Segment(0, new Object())}}, 1, 0);

    private final Segment[][] pages;

    /** The number of segments of all pages, a power of two; the upper bits of a name's hash choose one. */
    private final int segments;

    private final int size;

    private NameTable(Segment[][] pages, int segments, int size) {
        this.pages = pages;
        this.segments = segments;
        this.size = size;
    }

    /** Returns the number of names. */
    int size() {
        return size;
    }

    /** Returns the number of segments that both tables have. For tests. */
    long segmentsSharedWith(NameTable other) {
        return segments()
                .filter(other.segments().collect(Collectors.toSet())::contains)
                .count();
    }

    private Stream<Segment> segments() {
        return Arrays.stream(pages).flatMap(Arrays::stream);
    }

    /** Returns the number of segments. For tests. */
    int segmentCount() {
        return segments;
    }

    /** Returns a name in its packed form; null if it is not stored. */
    byte @Nullable [] get(DnsLabels name) {
        int hash = hash(name.hashCode());
        Segment segment = at(pages, segment(hash, segments));
        int slot = segment.find(name, hash);
        return slot < 0 ? null : segment.names[slot];
    }

    /** Returns the packed form of a name that is given in wire form; null if it is not stored. */
    byte @Nullable [] get(byte[] bytes, int from, int to) {
        int hash = hash(DnsLabels.hash(bytes, from, to));
        return at(pages, segment(hash, segments)).get(bytes, from, to, hash);
    }

    /** Calls an action with every name in its packed form, in no particular order. */
    void forEach(Consumer<byte[]> action) {
        segments().forEach(segment -> {
            for (byte[] name : segment.names) {
                if (name != null) {
                    action.accept(name);
                }
            }
        });
    }

    /** Starts a batch of changes; this table does not change. */
    Editor edit() {
        return new Editor(this);
    }

    /** Returns a hash that is not 0, which marks a free slot. */
    private static int hash(int hash) {
        return hash == 0 ? 1 : hash;
    }

    /** Returns the segment of a hash: its upper bits choose the segment, the lower ones the slot. */
    private static int segment(int hash, int count) {
        return count == 1 ? 0 : hash >>> Integer.numberOfLeadingZeros(count) + 1;
    }

    private static Segment at(Segment[][] pages, int index) {
        return pages[index / PAGE][index % PAGE];
    }

    /** Edits a copy of a table; both share all unchanged parts. Can continue after {@link #build}. Not thread-safe. */
    static final class Editor {
        private static final Object[] NO_TOKENS = {};

        /** The token of the segments and pages that this editor owns and may change in place. */
        private Object token = new Object();

        private NameTable built;
        private Segment[][] pages;

        /**
         * The token of each page, once this editor has its own array of pages. Not stored in the pages, because a lookup would have to
         * load one object more.
         */
        private @Nullable Object[] pageTokens = NO_TOKENS;

        private int segments;
        private int size;

        /** The expected average number of names of a segment. */
        private int expected;

        private Editor(NameTable table) {
            this.built = table;
            this.pages = table.pages;
            this.segments = table.segments;
            this.size = table.size;
        }

        /** Makes room for some more names, so that segments need not grow step by step. */
        void expect(int more) {
            while (size + more > segments * FULL) {
                doubleSegments();
            }
            expected = (size + more) / segments;
        }

        @Nullable
        NameEntry get(DnsLabels name) {
            int hash = hash(name.hashCode());
            Segment segment = at(pages, segment(hash, segments));
            int slot = segment.find(name, hash);
            return slot < 0 ? null : segment.entry(slot);
        }

        /** Stores a name with its packed form, or replaces it. */
        void put(DnsLabels name, byte[] packed, Publishers publishers) {
            int hash = hash(name.hashCode());
            int index = segment(hash, segments);
            Segment segment = at(pages, index);
            int slot = segment.find(name, hash);
            if (slot >= 0) {
                own(index, segment.hashes.length).set(slot, hash, packed, publishers);
            } else {
                add(name, packed, publishers);
            }
        }

        /** Stores a name that is not stored yet with its packed form. */
        void add(DnsLabels name, byte[] packed, Publishers publishers) {
            int hash = hash(name.hashCode());
            int index = segment(hash, segments);
            int count = at(pages, index).count + 1;
            int slots = at(pages, index).hashes.length;
            boolean full = slots < Segment.fewestSlots(count);
            own(index, full ? Math.max(Segment.roomySlots(count), Segment.fewestSlots(expected)) : slots)
                    .add(hash, packed, publishers);
            if (++size > segments * FULL) {
                doubleSegments();
            }
        }

        /** Removes a name, if it is stored. */
        void remove(DnsLabels name) {
            int hash = hash(name.hashCode());
            int index = segment(hash, segments);
            Segment segment = at(pages, index);
            int slot = segment.find(name, hash);
            if (slot >= 0) {
                Segment own = own(index, segment.hashes.length);
                own.free(slot);
                size--;
                if (own.hashes.length > 2 * Segment.roomySlots(own.count)) {
                    own(index, Segment.roomySlots(own.count));
                }
            }
        }

        /** Returns a segment that this editor owns, with a number of slots. */
        @SuppressWarnings("ReferenceEquality")
        private Segment own(int index, int slots) {
            Segment[] page = ownPage(index / PAGE);
            int position = index % PAGE;
            Segment segment = page[position];
            if (segment.hashes.length != slots) {
                Segment larger = new Segment(slots, token);
                segment.forEach(larger::add);
                page[position] = larger;
            } else if (segment.token != token) {
                page[position] = new Segment(segment, token);
            }
            return page[position];
        }

        /** Returns a page that this editor owns. */
        @SuppressWarnings("ReferenceEquality")
        private Segment[] ownPage(int index) {
            if (pages == built.pages) {
                pages = pages.clone();
                pageTokens = new Object[pages.length];
            }
            if (pageTokens[index] != token) {
                pages[index] = pages[index].clone();
                pageTokens[index] = token;
            }
            return pages[index];
        }

        private void doubleSegments() {
            int twice = 2 * segments;
            Segment[][] doubled = new Segment[Math.max(1, twice / PAGE)][Math.min(twice, PAGE)];
            for (int i = 0; i < segments; i++) {
                Segment segment = at(pages, i);
                int upper = 2 * i + 1;
                int[] counts = new int[2];
                segment.forEach((hash, packed, publishers) -> counts[segment(hash, twice) == upper ? 1 : 0]++);
                for (int half = 0; half < 2; half++) {
                    int index = 2 * i + half;
                    doubled[index / PAGE][index % PAGE] = new Segment(Segment.roomySlots(counts[half]), token);
                }
                segment.forEach((hash, packed, publishers) ->
                        at(doubled, segment(hash, twice)).add(hash, packed, publishers));
            }
            pages = doubled;
            pageTokens = new Object[doubled.length];
            Arrays.fill(pageTokens, token);
            segments = twice;
        }

        NameTable build() {
            if (pages != built.pages) {
                built = new NameTable(pages, segments, size);
                token = new Object();
            }
            return built;
        }
    }

    /** A small hash table: linear probing, at most three quarters full. */
    private static final class Segment {
        /** The hash of the name in each slot; 0 if the slot is free. */
        private final int[] hashes;

        private final byte[] @Nullable [] names;
        private final @Nullable Publishers[] publishers;

        /** The token of the editor that may change this segment in place. */
        private final Object token;

        private int count;

        private Segment(int slots, Object token) {
            this.hashes = new int[slots];
            this.names = new byte[slots][];
            this.publishers = new Publishers[slots];
            this.token = token;
        }

        private Segment(Segment other, Object token) {
            this.hashes = other.hashes.clone();
            this.names = other.names.clone();
            this.publishers = other.publishers.clone();
            this.token = token;
            this.count = other.count;
        }

        interface Visitor {
            void visit(int hash, byte[] packed, Publishers publishers);
        }

        /** Returns the fewest slots for some names: four for each three of them, so that searches stay short. */
        private static int fewestSlots(int count) {
            return rounded(count * 4 / 3);
        }

        /** Returns the slots for some names and a quarter more: five for each three of them. */
        private static int roomySlots(int count) {
            return rounded(count * 5 / 3);
        }

        /**
         * Returns the next larger multiple of four, so that at least one slot is free; a power of two would leave up to half of the
         * slots free.
         */
        private static int rounded(int slots) {
            return slots + 4 & -4;
        }

        /** Scales the lower bits of a hash to the number of slots. */
        private static int slot(int hash, int slots) {
            return (hash & 0xFFFF) * slots >>> 16;
        }

        private int next(int slot) {
            return slot + 1 == hashes.length ? 0 : slot + 1;
        }

        byte @Nullable [] get(byte[] bytes, int from, int to, int hash) {
            int[] all = hashes;
            if (all.length == 0) {
                return null;
            }
            int length = to - from;
            for (int slot = slot(hash, all.length); all[slot] != 0; slot = next(slot)) {
                if (all[slot] == hash) {
                    byte[] name = name(slot);
                    if (name.length > length && name[length] == 0 && DnsLabels.matches(bytes, from, to, name, 0)) {
                        return name;
                    }
                }
            }
            return null;
        }

        /** Returns the slot of a name; -1 if it is not stored. */
        int find(DnsLabels name, int hash) {
            if (hashes.length == 0) {
                return -1;
            }
            int length = name.wireLength();
            for (int slot = slot(hash, hashes.length); hashes[slot] != 0; slot = next(slot)) {
                if (hashes[slot] == hash) {
                    byte[] packed = name(slot);
                    if (packed.length > length && packed[length] == 0 && name.matches(packed, 0, length)) {
                        return slot;
                    }
                }
            }
            return -1;
        }

        /** Returns the name of a slot that is not free. */
        private byte[] name(int slot) {
            return Objects.requireNonNull(names[slot]);
        }

        private Publishers publishers(int slot) {
            return Objects.requireNonNull(publishers[slot]);
        }

        NameEntry entry(int slot) {
            return new NameEntry(name(slot), publishers(slot));
        }

        void set(int slot, int hash, byte[] packed, Publishers publishers) {
            hashes[slot] = hash;
            names[slot] = packed;
            this.publishers[slot] = publishers;
        }

        void add(int hash, byte[] packed, Publishers publishers) {
            int slot = slot(hash, hashes.length);
            while (hashes[slot] != 0) {
                slot = next(slot);
            }
            set(slot, hash, packed, publishers);
            count++;
        }

        /** Frees a slot, and moves the names after it to where a search finds them. */
        void free(int slot) {
            int hole = slot;
            int slots = hashes.length;
            for (int at = next(slot); hashes[at] != 0; at = next(at)) {
                int wanted = slot(hashes[at], slots);
                if ((at - wanted + slots) % slots >= (at - hole + slots) % slots) {
                    hashes[hole] = hashes[at];
                    names[hole] = names[at];
                    publishers[hole] = publishers[at];
                    hole = at;
                }
            }
            hashes[hole] = 0;
            names[hole] = null;
            publishers[hole] = null;
            count--;
        }

        void forEach(Visitor visitor) {
            for (int slot = 0; slot < hashes.length; slot++) {
                if (hashes[slot] != 0) {
                    visitor.visit(hashes[slot], name(slot), publishers(slot));
                }
            }
        }
    }
}
