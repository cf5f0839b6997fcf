package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.rules.NameData;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that own or lend a name, immutable and in order: a B+ tree of each family, whose nodes are short sorted
 * arrays of raw addresses and beside them what they own, one array each ({@link NameData#packed}), or the nodes below. A
 * batch of changes copies the nodes on the way to what it touches, each once.
 *
 * <p>Sorted, because a partial reverse name ({@code 0.10.in-addr.arpa}) exists exactly when an address in its range has
 * a PTR: that is one search here, and no entry per octet or nibble has to be counted.
 */
final class AddressTable {
    static final AddressTable EMPTY = new AddressTable(Tree.empty(IpFamily.IPV4), Tree.empty(IpFamily.IPV6));

    private final Tree ipv4;
    private final Tree ipv6;

    private AddressTable(Tree ipv4, Tree ipv6) {
        this.ipv4 = ipv4;
        this.ipv6 = ipv6;
    }

    /** Returns the number of addresses. */
    int size() {
        return ipv4.size + ipv6.size;
    }

    private Tree of(IpFamily family) {
        return family == IpFamily.IPV4 ? ipv4 : ipv6;
    }

    /** Returns what an address owns, packed; null if it is not stored. */
    byte @Nullable [] get(IpAddress address) {
        return get(address.family(), address.high(), address.low());
    }

    /**
     * Returns what an address owns, packed; null if it is not stored.
     *
     * @param high the upper 64 bits; 0 for IPv4
     * @param low the lower 64 bits; of an IPv4 address all 32
     */
    byte @Nullable [] get(IpFamily family, long high, long low) {
        return of(family).root.get(high, low);
    }

    /** Returns whether an address of the network has a PTR. */
    boolean hasPointer(IpNetwork network) {
        IpAddress base = network.base();
        IpAddress first = of(base.family()).root.firstPointing(base.high(), base.low());
        return first != null && network.contains(first);
    }

    /** Hands over every address with what it owns, packed, in the order of the addresses. */
    void forEach(BiConsumer<IpAddress, byte[]> action) {
        ipv4.root.forEach(action);
        ipv6.root.forEach(action);
    }

    /** Starts a batch of changes; this table stays as it is. */
    Edit edit() {
        return new Edit(this);
    }

    /** A table that changes, seen by one thread, until {@link #build}. */
    static final class Edit {
        private final TreeEdit ipv4;
        private final TreeEdit ipv6;

        private Edit(AddressTable table) {
            ipv4 = new TreeEdit(table.ipv4);
            ipv6 = new TreeEdit(table.ipv6);
        }

        private TreeEdit of(IpAddress address) {
            return address.isIpv4() ? ipv4 : ipv6;
        }

        @Nullable
        NameEntry get(IpAddress address) {
            return of(address).root.entry(address.high(), address.low());
        }

        /** Stores what an address owns, in place of what was there. */
        void put(IpAddress address, byte[] packed, Publishers publishers) {
            of(address).change(address, packed, publishers);
        }

        /** Drops an address, if it is stored. */
        void remove(IpAddress address) {
            of(address).change(address, null, null);
        }

        AddressTable build() {
            return new AddressTable(ipv4.build(), ipv6.build());
        }
    }

    /** The addresses of one family. */
    private static final class Tree {
        private final Node root;
        private final int size;

        private Tree(Node root, int size) {
            this.root = root;
            this.size = size;
        }

        static Tree empty(IpFamily family) {
            return new Tree(new Node(family.octets(), 0, 0, new Object()), 0);
        }
    }

    /** The addresses of one family while they change. */
    private static final class TreeEdit {
        /** Marks the nodes that are this edit's own, and may be changed where they are. */
        private Object mine = new Object();

        private Tree built;
        private Node root;
        private int size;

        private TreeEdit(Tree before) {
            this.built = before;
            this.root = before.root;
            this.size = before.size;
        }

        /**
         * Stores what an address owns, or drops the address. On the way down, a full node that gets another address is split
         * before, so that there is room; one that loses an address is joined with the next one if both together are at most
         * half full.
         *
         * <p>All in one, and not to be parted without measuring: HotSpot inlines no method of more than 325 bytes of
         * bytecode (FreqInlineSize). Within its callers, JDK 17's compiler analyses what is here for ten seconds and more,
         * and they run slow meanwhile.
         *
         * @param packed what it owns; null to drop it
         * @param publishers who says so; null to drop it
         */
        void change(IpAddress address, byte @Nullable [] packed, @Nullable Publishers publishers) {
            long high = address.high();
            long low = address.low();
            byte[] was = root.get(high, low);
            int more = (packed == null ? 0 : 1) - (was == null ? 0 : 1);
            int pointing = Node.weight(packed) - Node.weight(was);
            if (packed == null && was == null) {
                return;
            }
            if (more > 0 && root.count == Node.FULL) {
                root = root.above(mine);
            }
            root = own(root, Math.max(0, more));
            Node node = root;
            // Where the way to the address parts from the others, so that nothing is left of a leaf that gets empty.
            Node fork = root;
            int branch = 0;
            while (node.height > 0) {
                int place = node.place(high, low);
                Node child = node.child(place);
                int room = Math.max(0, more);
                if (more > 0) {
                    if (child.count == Node.FULL) {
                        Node upper = child.part(Node.FULL / 2, Node.FULL, mine);
                        node.insert(place + 1, upper);
                        child = child.part(0, Node.FULL / 2, mine);
                        if (upper.compare(0, high, low) <= 0) {
                            node.set(place, child);
                            place++;
                            child = upper;
                        }
                    }
                    // A key is at or before all of its child, which the search needs once this is not the first one any
                    // more.
                    if (node.compare(place, high, low) > 0) {
                        node.setKey(place, high, low);
                    }
                } else if (more < 0 && place + 1 < node.count) {
                    int next = node.child(place + 1).count;
                    room = child.count + next <= Node.FULL / 2 ? next : 0;
                }
                child = own(child, room);
                node.set(place, child);
                if (more < 0 && room > 0) {
                    child.append(node.child(place + 1));
                    node.cut(place + 1);
                }
                if (node.count > 1) {
                    fork = node;
                    branch = place;
                }
                node.pointing += pointing;
                node = child;
            }
            node.pointing += pointing;
            int index = node.index(high, low);
            if (packed == null) {
                node.cut(index);
            } else if (index >= 0) {
                node.set(index, packed, Objects.requireNonNull(publishers));
            } else {
                node.insert(-1 - index, high, low, packed, Objects.requireNonNull(publishers));
            }
            size += more;
            if (node.count == 0 && size > 0) {
                fork.cut(branch);
            }
            while (root.height > 0 && root.count == 1) {
                root = root.child(0);
            }
        }

        /** Returns a node that may be changed where it is, with room for so many more. */
        @SuppressWarnings("ReferenceEquality")
        private Node own(Node node, int more) {
            return node.editor == mine && node.count + more <= node.items.length ? node : node.copy(more, mine);
        }

        @SuppressWarnings("ReferenceEquality")
        Tree build() {
            if (root != built.root) {
                built = new Tree(root, size);
                mine = new Object();
            }
            return built;
        }
    }

    /** A short sorted array of addresses, and what is there beside each. */
    private static final class Node {
        private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
        private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

        /** The most entries of a node. */
        private static final int FULL = 128;

        /** How many octets an address has. */
        private final int octets;

        /** How many levels are below; 0 for a leaf. */
        private final int height;

        /**
         * In a leaf the addresses, else for each child an address that none of its own is before, and all of the child before
         * are; {@link #count} are in use.
         */
        private final byte[] keys;

        /** In a leaf what the addresses own, packed, else the children. */
        private final @Nullable Object[] items;

        /** In a leaf who says so, else nothing. */
        private final @Nullable Publishers[] publishers;

        private final Object editor;
        private int count;

        /** How many of the addresses, here or below, have a PTR. */
        private int pointing;

        /** Makes a node with room for so many entries, in steps of sixteen. */
        private Node(int octets, int height, int room, Object editor) {
            int places = room + 15 & -16;
            this.octets = octets;
            this.height = height;
            this.keys = new byte[places * octets];
            this.items = new Object[places];
            this.publishers = new Publishers[height == 0 ? places : 0];
            this.editor = editor;
        }

        // ---- what is there

        byte @Nullable [] get(long high, long low) {
            Node leaf = leaf(high, low);
            int index = leaf.index(high, low);
            return index < 0 ? null : leaf.packed(index);
        }

        @Nullable
        NameEntry entry(long high, long low) {
            Node leaf = leaf(high, low);
            int index = leaf.index(high, low);
            return index < 0 ? null : new NameEntry(leaf.packed(index), Objects.requireNonNull(leaf.publishers[index]));
        }

        /**
         * Returns the first address at or behind this one that has a PTR. Of the first child all that have one may be
         * before it, so that the search goes on to the next that has any.
         */
        @Nullable
        IpAddress firstPointing(long high, long low) {
            for (int i = place(high, low); i < count; i++) {
                if (weight(i) > 0) {
                    IpAddress found = height > 0
                            ? child(i).firstPointing(high, low)
                            : compare(i, high, low) >= 0 ? address(i) : null;
                    if (found != null) {
                        return found;
                    }
                }
            }
            return null;
        }

        void forEach(BiConsumer<IpAddress, byte[]> action) {
            for (int i = 0; i < count; i++) {
                if (height > 0) {
                    child(i).forEach(action);
                } else {
                    action.accept(address(i), packed(i));
                }
            }
        }

        /** Returns the leaf that an address is in, if it is stored. */
        private Node leaf(long high, long low) {
            Node node = this;
            while (node.height > 0) {
                node = node.child(node.place(high, low));
            }
            return node;
        }

        /** Returns the index of the last entry that is not behind an address; 0 if there is none. */
        int place(long high, long low) {
            return Math.max(0, upTo(high, low) - 1);
        }

        /** Returns the index of an address in a leaf; {@code -1 - i} if it is missing and would be at {@code i}. */
        int index(long high, long low) {
            int upTo = upTo(high, low);
            return upTo > 0 && compare(upTo - 1, high, low) == 0 ? upTo - 1 : -1 - upTo;
        }

        /** Returns the number of entries that are not behind an address. */
        private int upTo(long high, long low) {
            int from = 0;
            int to = count;
            while (from < to) {
                int middle = from + to >>> 1;
                if (compare(middle, high, low) <= 0) {
                    from = middle + 1;
                } else {
                    to = middle;
                }
            }
            return from;
        }

        private int compare(int index, long high, long low) {
            if (octets == 4) {
                return Integer.compareUnsigned((int) INT.get(keys, 4 * index), (int) low);
            }
            int byHigh = Long.compareUnsigned((long) LONG.get(keys, 16 * index), high);
            return byHigh != 0 ? byHigh : Long.compareUnsigned((long) LONG.get(keys, 16 * index + 8), low);
        }

        private IpAddress address(int index) {
            return IpAddress.ofBytes(Arrays.copyOfRange(keys, index * octets, (index + 1) * octets));
        }

        /** Returns what an address of a leaf has, of those in use. */
        private byte[] packed(int index) {
            return (byte[]) Objects.requireNonNull(items[index]);
        }

        /** Returns a child, of those in use. */
        Node child(int index) {
            return (Node) Objects.requireNonNull(items[index]);
        }

        private int weight(int index) {
            return height > 0 ? child(index).pointing : weight(packed(index));
        }

        /** Returns 1 for an address with a PTR, else 0. */
        static int weight(byte @Nullable [] packed) {
            return packed != null && NameData.ofPacked(packed).hasPointers() ? 1 : 0;
        }

        // ---- how it changes; those who call keep what has a PTR in count

        void set(int index, byte[] packed, Publishers some) {
            items[index] = packed;
            publishers[index] = some;
        }

        void set(int index, Node child) {
            items[index] = child;
        }

        void setKey(int index, long high, long low) {
            if (octets == 4) {
                INT.set(keys, 4 * index, (int) low);
            } else {
                LONG.set(keys, 16 * index, high);
                LONG.set(keys, 16 * index + 8, low);
            }
        }

        /** Puts an address into a leaf. */
        void insert(int index, long high, long low, byte[] packed, Publishers some) {
            move(index, index + 1);
            setKey(index, high, low);
            set(index, packed, some);
        }

        /** Puts in a child. */
        void insert(int index, Node child) {
            move(index, index + 1);
            System.arraycopy(child.keys, 0, keys, index * octets, octets);
            set(index, child);
        }

        void cut(int index) {
            move(index + 1, index);
            items[count] = null;
            if (height == 0) {
                publishers[count] = null;
            }
        }

        private void move(int from, int to) {
            copyEntries(this, from, count, to);
            count += to - from;
        }

        /** Takes over what another node has, all of it behind what is here. */
        void append(Node other) {
            copyEntries(other, 0, other.count, count);
            count += other.count;
            pointing += other.pointing;
        }

        private void copyEntries(Node other, int from, int end, int to) {
            int length = end - from;
            System.arraycopy(other.keys, from * octets, keys, to * octets, length * octets);
            System.arraycopy(other.items, from, items, to, length);
            if (height == 0) {
                System.arraycopy(other.publishers, from, publishers, to, length);
            }
        }

        /** Returns a copy with room for so many more. */
        Node copy(int more, Object newEditor) {
            Node copy = new Node(octets, height, count + more, newEditor);
            copy.append(this);
            return copy;
        }

        Node part(int from, int end, Object newEditor) {
            Node part = new Node(octets, height, end - from, newEditor);
            part.copyEntries(this, from, end, 0);
            part.count = end - from;
            for (int i = from; i < end; i++) {
                part.pointing += weight(i);
            }
            return part;
        }

        /** Returns a node with this one as its only child, and room for another. */
        Node above(Object newEditor) {
            Node above = new Node(octets, height + 1, 2, newEditor);
            above.insert(0, this);
            above.pointing = pointing;
            return above;
        }
    }
}
