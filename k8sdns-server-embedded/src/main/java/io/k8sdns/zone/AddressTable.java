package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.records.NameData;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
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

    /** Raw addresses one after another. */
    private static final class Keys {
        private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
        private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

        private Keys() {}

        static int compare(byte[] keys, int index, int octets, long high, long low) {
            if (octets == 4) {
                return Integer.compareUnsigned((int) INT.get(keys, 4 * index), (int) low);
            }
            int byHigh = Long.compareUnsigned((long) LONG.get(keys, 16 * index), high);
            return byHigh != 0 ? byHigh : Long.compareUnsigned((long) LONG.get(keys, 16 * index + 8), low);
        }

        /** Returns the number of keys, of the first ones, that are at or before the address. */
        static int upTo(byte[] keys, int count, int octets, long high, long low) {
            int from = 0;
            int to = count;
            while (from < to) {
                int middle = from + to >>> 1;
                if (compare(keys, middle, octets, high, low) <= 0) {
                    from = middle + 1;
                } else {
                    to = middle;
                }
            }
            return from;
        }

        static IpAddress address(byte[] keys, int index, int octets) {
            return IpAddress.ofBytes(Arrays.copyOfRange(keys, index * octets, (index + 1) * octets));
        }
    }

    /** The addresses of one family. */
    private static final class Sorted {
        private static final Sorted EMPTY_IPV4 = new Sorted(4, new byte[0], new Chunk[0], 0);
        private static final Sorted EMPTY_IPV6 = new Sorted(16, new byte[0], new Chunk[0], 0);

        /** How many octets an address has. */
        private final int octets;

        /** The first address of each chunk, so that the search for a chunk looks into no chunk. */
        private final byte[] firsts;

        /** In order, none empty. */
        private final Chunk[] chunks;

        private final int size;

        private Sorted(int octets, byte[] firsts, Chunk[] chunks, int size) {
            this.octets = octets;
            this.firsts = firsts;
            this.chunks = chunks;
            this.size = size;
        }

        byte @Nullable [] get(long high, long low) {
            int chunk = Keys.upTo(firsts, chunks.length, octets, high, low) - 1;
            if (chunk < 0) {
                return null;
            }
            int index = chunks[chunk].index(octets, high, low);
            return index < 0 ? null : chunks[chunk].packed[index];
        }

        boolean hasPointer(IpNetwork network) {
            IpAddress base = network.base();
            int chunk = Math.max(0, Keys.upTo(firsts, chunks.length, octets, base.high(), base.low()) - 1);
            for (; chunk < chunks.length; chunk++) {
                if (chunks[chunk].pointing > 0) {
                    for (int i = 0; i < chunks[chunk].count; i++) {
                        byte[] keys = chunks[chunk].keys;
                        if (Keys.compare(keys, i, octets, base.high(), base.low()) >= 0
                                && points(chunks[chunk].packed(i))) {
                            return network.contains(Keys.address(keys, i, octets));
                        }
                    }
                }
            }
            return false;
        }

        void forEach(BiConsumer<IpAddress, byte[]> action) {
            for (Chunk chunk : chunks) {
                for (int i = 0; i < chunk.count; i++) {
                    action.accept(Keys.address(chunk.keys, i, octets), chunk.packed(i));
                }
            }
        }
    }

    /** The addresses of one family while they change. */
    private static final class SortedEdit {
        /** Marks the chunks that are this edit's own, and may be changed where they are. */
        private Object mine = new Object();

        private Sorted built;
        private final int octets;

        /** The first {@link #count} are in use. */
        private Chunk[] chunks;

        private byte[] firsts;
        private int count;
        private int size;
        private boolean shared = true;

        private SortedEdit(Sorted before) {
            this.built = before;
            this.octets = before.octets;
            this.chunks = before.chunks;
            this.firsts = before.firsts;
            this.count = chunks.length;
            this.size = before.size;
        }

        private int chunk(long high, long low) {
            return Keys.upTo(firsts, count, octets, high, low) - 1;
        }

        @Nullable
        NameEntry get(long high, long low) {
            int chunk = chunk(high, low);
            int index = chunk < 0 ? -1 : chunks[chunk].index(octets, high, low);
            return index < 0 ? null : chunks[chunk].entry(index);
        }

        void put(IpAddress address, byte[] packed, Publishers publishers) {
            if (count == 0) {
                insert(0, new Chunk(octets, 1, mine));
            }
            int index = Math.max(0, chunk(address.high(), address.low()));
            int at = chunks[index].index(octets, address.high(), address.low());
            if (at < 0 && chunks[index].count == FULL) {
                split(index);
                // Not by calling this method again: HotSpot inlines the call, and then analyses it for seconds.
                index = Math.max(0, chunk(address.high(), address.low()));
                at = chunks[index].index(octets, address.high(), address.low());
            }
            Chunk own = own(index, at < 0 ? 1 : 0);
            if (at >= 0) {
                own.set(at, packed, publishers);
                return;
            }
            own.insert(-1 - at, address.bytes(), packed, publishers);
            set(index, own);
            size++;
        }

        private void split(int index) {
            Chunk full = chunks[index];
            insert(index + 1, full.part(octets, FULL / 2, FULL, mine));
            set(index, full.part(octets, 0, FULL / 2, mine));
        }

        void remove(long high, long low) {
            int index = chunk(high, low);
            int at = index < 0 ? -1 : chunks[index].index(octets, high, low);
            if (at < 0) {
                return;
            }
            Chunk own = own(index, 0);
            own.remove(octets, at);
            size--;
            if (own.count == 0) {
                cut(index);
                return;
            }
            set(index, own);
            if (index + 1 < count && own.count + chunks[index + 1].count <= FULL / 2) {
                Chunk both = own(index, chunks[index + 1].count);
                both.append(octets, chunks[index + 1]);
                cut(index + 1);
            }
        }

        /** Returns a chunk that may be changed where it is, with room for so many more. */
        @SuppressWarnings("ReferenceEquality")
        private Chunk own(int index, int more) {
            ownChunks();
            Chunk chunk = chunks[index];
            if (chunk.editor != mine || chunk.count + more > chunk.packed.length) {
                Chunk own = new Chunk(octets, chunk.count + more, mine);
                own.append(octets, chunk);
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
            System.arraycopy(chunk.keys, 0, firsts, index * octets, octets);
        }

        private void insert(int index, Chunk chunk) {
            ownChunks();
            if (count == chunks.length) {
                chunks = Arrays.copyOf(chunks, count * 2 + 1);
                firsts = Arrays.copyOf(firsts, chunks.length * octets);
            }
            System.arraycopy(chunks, index, chunks, index + 1, count - index);
            System.arraycopy(firsts, index * octets, firsts, (index + 1) * octets, (count - index) * octets);
            count++;
            set(index, chunk);
        }

        private void cut(int index) {
            count--;
            System.arraycopy(chunks, index + 1, chunks, index, count - index);
            System.arraycopy(firsts, (index + 1) * octets, firsts, index * octets, (count - index) * octets);
        }

        Sorted build() {
            if (!shared) {
                if (count < chunks.length) {
                    chunks = Arrays.copyOf(chunks, count);
                    firsts = Arrays.copyOf(firsts, count * octets);
                }
                built = new Sorted(octets, firsts, chunks, size);
                shared = true;
                mine = new Object();
            }
            return built;
        }
    }

    /** A short sorted array of addresses, and what they own beside it. */
    private static final class Chunk {
        /** The first {@link #count} are in use. */
        private final byte[] keys;

        private final byte[] @Nullable [] packed;
        private final @Nullable Publishers[] publishers;
        private final Object editor;
        private int count;

        /** How many of them have a PTR. */
        private int pointing;

        /** Makes a chunk with room for so many addresses, in steps of sixteen. */
        private Chunk(int octets, int room, Object editor) {
            int places = room + 15 & -16;
            this.keys = new byte[places * octets];
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
        int index(int octets, long high, long low) {
            int upTo = Keys.upTo(keys, count, octets, high, low);
            return upTo > 0 && Keys.compare(keys, upTo - 1, octets, high, low) == 0 ? upTo - 1 : -1 - upTo;
        }

        void set(int index, byte[] data, Publishers some) {
            pointing += weight(data) - weight(packed(index));
            packed[index] = data;
            publishers[index] = some;
        }

        void insert(int index, byte[] address, byte[] data, Publishers some) {
            move(address.length, index, index + 1);
            System.arraycopy(address, 0, keys, index * address.length, address.length);
            packed[index] = data;
            publishers[index] = some;
            pointing += weight(data);
            count++;
        }

        void remove(int octets, int index) {
            pointing -= weight(packed(index));
            move(octets, index + 1, index);
            count--;
            packed[count] = null;
            publishers[count] = null;
        }

        private void move(int octets, int from, int to) {
            int rest = count - from;
            System.arraycopy(keys, from * octets, keys, to * octets, rest * octets);
            System.arraycopy(packed, from, packed, to, rest);
            System.arraycopy(publishers, from, publishers, to, rest);
        }

        Chunk part(int octets, int from, int to, Object newEditor) {
            Chunk part = new Chunk(octets, to - from, newEditor);
            part.copy(octets, this, from, to);
            for (int i = from; i < to; i++) {
                part.pointing += weight(packed(i));
            }
            return part;
        }

        /** Takes over what another chunk has, all of it behind what is here. */
        void append(int octets, Chunk other) {
            copy(octets, other, 0, other.count);
            pointing += other.pointing;
        }

        private void copy(int octets, Chunk other, int from, int to) {
            int more = to - from;
            System.arraycopy(other.keys, from * octets, keys, count * octets, more * octets);
            System.arraycopy(other.packed, from, packed, count, more);
            System.arraycopy(other.publishers, from, publishers, count, more);
            count += more;
        }

        private static int weight(byte[] packed) {
            return points(packed) ? 1 : 0;
        }
    }
}
