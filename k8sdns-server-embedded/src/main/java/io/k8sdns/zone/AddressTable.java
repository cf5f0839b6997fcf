package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that own or lend a name, immutable and in order: an array of chunks, each a short sorted array. A batch
 * of changes copies the array of references and the chunks that it touches.
 *
 * <p>Sorted, because a partial reverse name ({@code 0.10.in-addr.arpa}) exists exactly when an address in its range has
 * a PTR: that is one search here, and no entry per octet or nibble has to be counted.
 */
final class AddressTable {
    /** The most entries of a chunk. */
    private static final int FULL = 128;

    static final AddressTable EMPTY = new AddressTable(new Chunk[0], 0);

    /** In order, none empty. */
    private final Chunk[] chunks;

    private final int size;

    private AddressTable(Chunk[] chunks, int size) {
        this.chunks = chunks;
        this.size = size;
    }

    /** Returns the number of addresses. */
    int size() {
        return size;
    }

    /** Returns the entry of an address; null if it is not stored. */
    @Nullable
    NameEntry<IpAddress> get(IpAddress address) {
        int chunk = chunk(chunks, chunks.length, address);
        return chunk < 0 ? null : chunks[chunk].get(address);
    }

    /** Returns whether an address of the network has a PTR. */
    boolean hasPointer(IpNetwork network) {
        int chunk = Math.max(0, chunk(chunks, chunks.length, network.base()));
        for (; chunk < chunks.length; chunk++) {
            if (chunks[chunk].pointing > 0) {
                for (NameEntry<IpAddress> entry : chunks[chunk].entries) {
                    if (points(entry) && entry.key().compareTo(network.base()) >= 0) {
                        return network.contains(entry.key());
                    }
                }
            }
        }
        return false;
    }

    /** Hands over every entry, in the order of the addresses. */
    void forEach(Consumer<NameEntry<IpAddress>> action) {
        for (Chunk chunk : chunks) {
            Arrays.asList(chunk.entries).forEach(action);
        }
    }

    /** Starts a batch of changes; this table stays as it is. */
    Edit edit() {
        return new Edit(chunks, size);
    }

    private static boolean points(NameEntry<IpAddress> entry) {
        return !entry.data().pointers().isEmpty();
    }

    /** Returns the last chunk that begins at or before the address; -1 if there is none. */
    private static int chunk(Chunk[] chunks, int count, IpAddress address) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = low + high >>> 1;
            if (chunks[middle].entries[0].key().compareTo(address) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** A table that changes, seen by one thread, until {@link #build}. */
    static final class Edit {
        /** The first {@link #count} are in use. */
        private Chunk[] chunks;

        private int count;
        private int size;
        private boolean shared = true;

        private Edit(Chunk[] chunks, int size) {
            this.chunks = chunks;
            this.count = chunks.length;
            this.size = size;
        }

        @Nullable
        NameEntry<IpAddress> get(IpAddress address) {
            int chunk = chunk(chunks, count, address);
            return chunk < 0 ? null : chunks[chunk].get(address);
        }

        /** Stores an entry, in place of the one with its address. */
        void put(NameEntry<IpAddress> entry) {
            own();
            if (count == 0) {
                insert(0, Chunk.EMPTY.with(entry));
                size = 1;
                return;
            }
            int index = Math.max(0, chunk(chunks, count, entry.key()));
            Chunk changed = chunks[index].with(entry);
            size += changed.entries.length - chunks[index].entries.length;
            if (changed.entries.length > FULL) {
                chunks[index] = changed.part(0, FULL / 2);
                insert(index + 1, changed.part(FULL / 2, changed.entries.length));
            } else {
                chunks[index] = changed;
            }
        }

        /** Drops an address, if it is stored. */
        void remove(IpAddress address) {
            int index = chunk(chunks, count, address);
            if (index < 0 || chunks[index].get(address) == null) {
                return;
            }
            own();
            size--;
            chunks[index] = chunks[index].without(address);
            if (chunks[index].entries.length == 0) {
                cut(index);
            } else if (index + 1 < count
                    && chunks[index].entries.length + chunks[index + 1].entries.length <= FULL / 2) {
                chunks[index] = chunks[index].followedBy(chunks[index + 1]);
                cut(index + 1);
            }
        }

        private void own() {
            if (shared) {
                chunks = Arrays.copyOf(chunks, count + 1);
                shared = false;
            }
        }

        private void insert(int index, Chunk chunk) {
            if (count == chunks.length) {
                chunks = Arrays.copyOf(chunks, count * 2);
            }
            System.arraycopy(chunks, index, chunks, index + 1, count - index);
            chunks[index] = chunk;
            count++;
        }

        private void cut(int index) {
            count--;
            System.arraycopy(chunks, index + 1, chunks, index, count - index);
        }

        AddressTable build() {
            return new AddressTable(shared ? chunks : Arrays.copyOf(chunks, count), size);
        }
    }

    /** A sorted array that is copied to be changed. */
    private static final class Chunk {
        private static final Chunk EMPTY = new Chunk(entries(0), 0);

        private final NameEntry<IpAddress>[] entries;

        /** How many of them have a PTR. */
        private final int pointing;

        private Chunk(NameEntry<IpAddress>[] entries, int pointing) {
            this.entries = entries;
            this.pointing = pointing;
        }

        @SuppressWarnings({"unchecked", "rawtypes"})
        private static NameEntry<IpAddress>[] entries(int length) {
            return new NameEntry[length];
        }

        @Nullable
        NameEntry<IpAddress> get(IpAddress address) {
            int index = index(address);
            return index < 0 ? null : entries[index];
        }

        /** Returns the index of the address; {@code -1 - i} if it is missing and would be at {@code i}. */
        private int index(IpAddress address) {
            int low = 0;
            int high = entries.length;
            while (low < high) {
                int middle = low + high >>> 1;
                int order = entries[middle].key().compareTo(address);
                if (order == 0) {
                    return middle;
                }
                if (order < 0) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return -1 - low;
        }

        Chunk with(NameEntry<IpAddress> entry) {
            int index = index(entry.key());
            if (index >= 0) {
                NameEntry<IpAddress>[] copy = entries.clone();
                copy[index] = entry;
                return new Chunk(copy, pointing - weight(entries[index]) + weight(entry));
            }
            int at = -1 - index;
            NameEntry<IpAddress>[] copy = entries(entries.length + 1);
            System.arraycopy(entries, 0, copy, 0, at);
            copy[at] = entry;
            System.arraycopy(entries, at, copy, at + 1, entries.length - at);
            return new Chunk(copy, pointing + weight(entry));
        }

        Chunk without(IpAddress address) {
            int index = index(address);
            NameEntry<IpAddress>[] copy = entries(entries.length - 1);
            System.arraycopy(entries, 0, copy, 0, index);
            System.arraycopy(entries, index + 1, copy, index, copy.length - index);
            return new Chunk(copy, pointing - weight(entries[index]));
        }

        Chunk part(int from, int to) {
            int some = 0;
            for (int i = from; i < to; i++) {
                some += weight(entries[i]);
            }
            return new Chunk(Arrays.copyOfRange(entries, from, to), some);
        }

        private static int weight(NameEntry<IpAddress> entry) {
            return points(entry) ? 1 : 0;
        }

        Chunk followedBy(Chunk next) {
            NameEntry<IpAddress>[] both = Arrays.copyOf(entries, entries.length + next.entries.length);
            System.arraycopy(next.entries, 0, both, entries.length, next.entries.length);
            return new Chunk(both, pointing + next.pointing);
        }
    }
}
