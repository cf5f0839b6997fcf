package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.records.NameData;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that own or lend a name, immutable and in order; of each family an array of chunks, each a short sorted
 * array of raw addresses and beside it what they own, one array each ({@link NameData#packed}). A batch of changes copies
 * the array of references and the chunks that it touches, each once.
 *
 * <p>Sorted, because a partial reverse name ({@code 0.10.in-addr.arpa}) exists exactly when an address in its range has
 * a PTR: that is one search here, and no entry per octet or nibble has to be counted.
 */
final class AddressTable {
    /** The most entries of a chunk. */
    private static final int FULL = 128;

    static final AddressTable EMPTY = new AddressTable(Sorted.EMPTY_IPV4, Sorted.EMPTY_IPV6);

    private final Sorted ipv4;
    private final Sorted ipv6;

    private AddressTable(Sorted ipv4, Sorted ipv6) {
        this.ipv4 = ipv4;
        this.ipv6 = ipv6;
    }

    /** Returns the number of addresses. */
    int size() {
        return ipv4.size + ipv6.size;
    }

    private Sorted of(IpFamily family) {
        return family == IpFamily.IPV4 ? ipv4 : ipv6;
    }

    /** Returns what an address owns, packed; null if it is not stored. */
    byte @Nullable [] get(IpAddress address) {
        return of(address.family()).get(address.high(), address.low());
    }

    /**
     * Returns what an address owns, packed; null if it is not stored.
     *
     * @param high the upper 64 bits; 0 for IPv4
     * @param low the lower 64 bits; of an IPv4 address all 32
     */
    byte @Nullable [] get(IpFamily family, long high, long low) {
        return of(family).get(high, low);
    }

    /** Returns whether an address of the network has a PTR. */
    boolean hasPointer(IpNetwork network) {
        return of(network.base().family()).hasPointer(network);
    }

    /** Hands over every address with what it owns, packed, in the order of the addresses. */
    void forEach(BiConsumer<IpAddress, byte[]> action) {
        ipv4.forEach(action);
        ipv6.forEach(action);
    }

    /** Starts a batch of changes; this table stays as it is. */
    Edit edit() {
        return new Edit(this);
    }

    private static boolean points(byte[] packed) {
        return NameData.ofPacked(packed).hasPointers();
    }

    /** A table that changes, seen by one thread, until {@link #build}. */
    static final class Edit {
        private final SortedEdit ipv4;
        private final SortedEdit ipv6;

        private Edit(AddressTable table) {
            ipv4 = new SortedEdit(table.ipv4);
            ipv6 = new SortedEdit(table.ipv6);
        }

        private SortedEdit of(IpAddress address) {
            return address.isIpv4() ? ipv4 : ipv6;
        }

        @Nullable
        NameEntry get(IpAddress address) {
            return of(address).get(address.high(), address.low());
        }

        /** Stores what an address owns, in place of what was there. */
        void put(IpAddress address, byte[] packed, Publishers publishers) {
            of(address).put(address, packed, publishers);
        }

        /** Drops an address, if it is stored. */
        void remove(IpAddress address) {
            of(address).remove(address.high(), address.low());
        }

        AddressTable build() {
            return new AddressTable(ipv4.build(), ipv6.build());
        }
    }

    /** Raw addresses one after another, each of so many words: one of IPv4, four of IPv6. */
    private static final class Keys {
        private static final int IPV4_WORDS = 1;
        private static final int IPV6_WORDS = 4;

        private Keys() {}

        private static long twoWords(int[] keys, int at) {
            return (long) keys[at] << 32 | keys[at + 1] & 0xFFFF_FFFFL;
        }

        static int compare(int[] keys, int index, int words, long high, long low) {
            int at = index * words;
            if (words == IPV4_WORDS) {
                return Integer.compareUnsigned(keys[at], (int) low);
            }
            int byHigh = Long.compareUnsigned(twoWords(keys, at), high);
            return byHigh != 0 ? byHigh : Long.compareUnsigned(twoWords(keys, at + 2), low);
        }

        /** Returns the number of keys, of the first ones, that are at or before the address. */
        static int upTo(int[] keys, int count, int words, long high, long low) {
            int from = 0;
            int to = count;
            while (from < to) {
                int middle = from + to >>> 1;
                if (compare(keys, middle, words, high, low) <= 0) {
                    from = middle + 1;
                } else {
                    to = middle;
                }
            }
            return from;
        }

        static void set(int[] keys, int index, int words, IpAddress address) {
            int at = index * words;
            if (words == IPV6_WORDS) {
                keys[at++] = (int) (address.high() >>> 32);
                keys[at++] = (int) address.high();
                keys[at++] = (int) (address.low() >>> 32);
            }
            keys[at] = (int) address.low();
        }

        static IpAddress address(int[] keys, int index, int words) {
            int at = index * words;
            return words == IPV4_WORDS
                    ? IpAddress.ofIpv4(keys[at])
                    : IpAddress.ofIpv6(twoWords(keys, at), twoWords(keys, at + 2));
        }
    }

    /** The addresses of one family. */
    private static final class Sorted {
        private static final Sorted EMPTY_IPV4 = new Sorted(Keys.IPV4_WORDS, new int[0], new Chunk[0], 0);
        private static final Sorted EMPTY_IPV6 = new Sorted(Keys.IPV6_WORDS, new int[0], new Chunk[0], 0);

        /** How many words an address has. */
        private final int words;

        /** The first address of each chunk, so that the search for a chunk looks into no chunk. */
        private final int[] firsts;

        /** In order, none empty. */
        private final Chunk[] chunks;

        private final int size;

        private Sorted(int words, int[] firsts, Chunk[] chunks, int size) {
            this.words = words;
            this.firsts = firsts;
            this.chunks = chunks;
            this.size = size;
        }

        byte @Nullable [] get(long high, long low) {
            int chunk = Keys.upTo(firsts, chunks.length, words, high, low) - 1;
            if (chunk < 0) {
                return null;
            }
            int index = chunks[chunk].index(words, high, low);
            return index < 0 ? null : chunks[chunk].packed[index];
        }

        boolean hasPointer(IpNetwork network) {
            IpAddress base = network.base();
            int chunk = Math.max(0, Keys.upTo(firsts, chunks.length, words, base.high(), base.low()) - 1);
            for (; chunk < chunks.length; chunk++) {
                if (chunks[chunk].pointing > 0) {
                    for (int i = 0; i < chunks[chunk].count; i++) {
                        int[] keys = chunks[chunk].keys;
                        if (Keys.compare(keys, i, words, base.high(), base.low()) >= 0
                                && points(chunks[chunk].packed(i))) {
                            return network.contains(Keys.address(keys, i, words));
                        }
                    }
                }
            }
            return false;
        }

        void forEach(BiConsumer<IpAddress, byte[]> action) {
            for (Chunk chunk : chunks) {
                for (int i = 0; i < chunk.count; i++) {
                    action.accept(Keys.address(chunk.keys, i, words), chunk.packed(i));
                }
            }
        }
    }

    /** The addresses of one family while they change. */
    private static final class SortedEdit {
        /** Marks the chunks that are this edit's own, and may be changed where they are. */
        private Object mine = new Object();

        private Sorted built;
        private final int words;

        /** The first {@link #count} are in use. */
        private Chunk[] chunks;

        private int[] firsts;
        private int count;
        private int size;
        private boolean shared = true;

        private SortedEdit(Sorted before) {
            this.built = before;
            this.words = before.words;
            this.chunks = before.chunks;
            this.firsts = before.firsts;
            this.count = chunks.length;
            this.size = before.size;
        }

        private int chunk(long high, long low) {
            return Keys.upTo(firsts, count, words, high, low) - 1;
        }

        @Nullable
        NameEntry get(long high, long low) {
            int chunk = chunk(high, low);
            int index = chunk < 0 ? -1 : chunks[chunk].index(words, high, low);
            return index < 0 ? null : chunks[chunk].entry(index);
        }

        void put(IpAddress address, byte[] packed, Publishers publishers) {
            if (count == 0) {
                insert(0, new Chunk(words, 1, mine));
            }
            int index = Math.max(0, chunk(address.high(), address.low()));
            int at = chunks[index].index(words, address.high(), address.low());
            if (at >= 0) {
                own(index, 0).set(at, packed, publishers);
                return;
            }
            if (chunks[index].count == FULL) {
                split(index);
                // Not by calling this method again: HotSpot inlines the call, and then analyses it for seconds.
                index = Math.max(0, chunk(address.high(), address.low()));
                at = chunks[index].index(words, address.high(), address.low());
            }
            own(index, 1).insert(words, -1 - at, address, packed, publishers);
            set(index, chunks[index]);
            size++;
        }

        private void split(int index) {
            Chunk full = chunks[index];
            insert(index + 1, full.part(words, FULL / 2, FULL, mine));
            set(index, full.part(words, 0, FULL / 2, mine));
        }

        void remove(long high, long low) {
            int index = chunk(high, low);
            int at = index < 0 ? -1 : chunks[index].index(words, high, low);
            if (at < 0) {
                return;
            }
            Chunk own = own(index, 0);
            own.remove(words, at);
            size--;
            if (own.count == 0) {
                cut(index);
                return;
            }
            set(index, own);
            if (index + 1 < count && own.count + chunks[index + 1].count <= FULL / 2) {
                Chunk both = own(index, chunks[index + 1].count);
                both.append(words, chunks[index + 1]);
                cut(index + 1);
            }
        }

        /** Returns a chunk that may be changed where it is, with room for so many more. */
        @SuppressWarnings("ReferenceEquality")
        private Chunk own(int index, int more) {
            ownChunks();
            Chunk chunk = chunks[index];
            if (chunk.editor != mine || chunk.count + more > chunk.packed.length) {
                Chunk own = new Chunk(words, chunk.count + more, mine);
                own.append(words, chunk);
                chunks[index] = own;
            }
            return chunks[index];
        }

        private void ownChunks() {
            if (shared) {
                chunks = chunks.clone();
                firsts = firsts.clone();
                shared = false;
            }
        }

        private void set(int index, Chunk chunk) {
            chunks[index] = chunk;
            System.arraycopy(chunk.keys, 0, firsts, index * words, words);
        }

        private void insert(int index, Chunk chunk) {
            ownChunks();
            if (count == chunks.length) {
                chunks = Arrays.copyOf(chunks, count * 2 + 1);
                firsts = Arrays.copyOf(firsts, chunks.length * words);
            }
            System.arraycopy(chunks, index, chunks, index + 1, count - index);
            System.arraycopy(firsts, index * words, firsts, (index + 1) * words, (count - index) * words);
            count++;
            set(index, chunk);
        }

        private void cut(int index) {
            count--;
            System.arraycopy(chunks, index + 1, chunks, index, count - index);
            System.arraycopy(firsts, (index + 1) * words, firsts, index * words, (count - index) * words);
        }

        Sorted build() {
            if (!shared) {
                if (count < chunks.length) {
                    chunks = Arrays.copyOf(chunks, count);
                    firsts = Arrays.copyOf(firsts, count * words);
                }
                built = new Sorted(words, firsts, chunks, size);
                shared = true;
                mine = new Object();
            }
            return built;
        }
    }

    /** A short sorted array of addresses, and what they own beside it. */
    private static final class Chunk {
        /** The first {@link #count} are in use. */
        private final int[] keys;

        private final byte[] @Nullable [] packed;
        private final @Nullable Publishers[] publishers;
        private final Object editor;
        private int count;

        /** How many of them have a PTR. */
        private int pointing;

        /** Makes a chunk with room for so many addresses, in steps of sixteen. */
        private Chunk(int words, int room, Object editor) {
            int places = room + 15 & -16;
            this.keys = new int[places * words];
            this.packed = new byte[places][];
            this.publishers = new Publishers[places];
            this.editor = editor;
        }

        /** Returns what an address has, of those in use. */
        private byte[] packed(int index) {
            return Objects.requireNonNull(packed[index]);
        }

        NameEntry entry(int index) {
            return new NameEntry(packed(index), Objects.requireNonNull(publishers[index]));
        }

        /** Returns the index of the address; {@code -1 - i} if it is missing and would be at {@code i}. */
        int index(int words, long high, long low) {
            int upTo = Keys.upTo(keys, count, words, high, low);
            return upTo > 0 && Keys.compare(keys, upTo - 1, words, high, low) == 0 ? upTo - 1 : -1 - upTo;
        }

        void set(int index, byte[] data, Publishers some) {
            pointing += weight(data) - weight(packed(index));
            packed[index] = data;
            publishers[index] = some;
        }

        void insert(int words, int index, IpAddress address, byte[] data, Publishers some) {
            move(words, index, index + 1);
            Keys.set(keys, index, words, address);
            packed[index] = data;
            publishers[index] = some;
            pointing += weight(data);
            count++;
        }

        void remove(int words, int index) {
            pointing -= weight(packed(index));
            move(words, index + 1, index);
            count--;
            packed[count] = null;
            publishers[count] = null;
        }

        private void move(int words, int from, int to) {
            int rest = count - from;
            System.arraycopy(keys, from * words, keys, to * words, rest * words);
            System.arraycopy(packed, from, packed, to, rest);
            System.arraycopy(publishers, from, publishers, to, rest);
        }

        Chunk part(int words, int from, int to, Object newEditor) {
            Chunk part = new Chunk(words, to - from, newEditor);
            part.copy(words, this, from, to);
            for (int i = from; i < to; i++) {
                part.pointing += weight(packed(i));
            }
            return part;
        }

        /** Takes over what another chunk has, all of it behind what is here. */
        void append(int words, Chunk other) {
            copy(words, other, 0, other.count);
            pointing += other.pointing;
        }

        private void copy(int words, Chunk other, int from, int to) {
            int more = to - from;
            System.arraycopy(other.keys, from * words, keys, count * words, more * words);
            System.arraycopy(other.packed, from, packed, count, more);
            System.arraycopy(other.publishers, from, publishers, count, more);
            count += more;
        }

        private static int weight(byte[] packed) {
            return points(packed) ? 1 : 0;
        }
    }
}
