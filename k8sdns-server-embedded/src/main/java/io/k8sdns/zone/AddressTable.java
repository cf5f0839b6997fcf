package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.RecordRules;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted map from addresses to the data of their names: reverse names, and names that contain the address. One B+ tree
 * for each address family. A node holds a short sorted array of raw addresses, and for each address its packed data ({@link
 * NameData#packed}) or a child node. A batch of changes copies each node on the path to a change once; see "Copy on
 * write" in the description of this package.
 *
 * <p>The map is sorted because a partial reverse name ({@code 0.10.in-addr.arpa}) exists if and only if the reverse name of an
 * address in its range does: one range search finds it, without a counter for each octet or nibble.
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

    /** Returns the packed data of an address; null if it is not stored. */
    byte @Nullable [] get(IpAddress address) {
        return get(address.family(), address.high(), address.low());
    }

    /**
     * Returns the packed data of an address; null if it is not stored.
     *
     * @param high the upper 64 bits; 0 for IPv4
     * @param low the lower 64 bits; for IPv4 the whole address
     */
    byte @Nullable [] get(IpFamily family, long high, long low) {
        return of(family).root.get(high, low);
    }

    /** Returns whether the reverse name of an address of the network exists. */
    boolean hasReverseNameIn(IpNetwork network) {
        IpAddress base = network.base();
        IpAddress first = of(base.family()).root.firstReverseName(base.high(), base.low());
        return first != null && network.contains(first);
    }

    /** Calls an action for every address with its packed data, in the order of the addresses. */
    void forEach(BiConsumer<IpAddress, byte[]> action) {
        ipv4.root.forEach(action);
        ipv6.root.forEach(action);
    }

    /** Returns an editor that starts with the content of this table, which remains unchanged. */
    Editor edit() {
        return new Editor(this);
    }

    /** Edits a copy of a table; both share all unchanged parts. Can continue after {@link #build}. Not thread-safe. */
    static final class Editor {
        private final TreeEditor ipv4;
        private final TreeEditor ipv6;

        private Editor(AddressTable table) {
            ipv4 = new TreeEditor(table.ipv4);
            ipv6 = new TreeEditor(table.ipv6);
        }

        private TreeEditor of(IpAddress address) {
            return address.isIpv4() ? ipv4 : ipv6;
        }

        @Nullable
        NameEntry get(IpAddress address) {
            return of(address).root.entry(address.high(), address.low());
        }

        /** Stores the data of an address, or replaces it. */
        void put(IpAddress address, byte[] packed, Publishers publishers) {
            of(address).replace(address, packed, publishers);
        }

        /** Removes an address, if it is stored. */
        void remove(IpAddress address) {
            of(address).replace(address, null, null);
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
            return new Tree(new Node(family.byteCount(), 0, 0, new Object()), 0);
        }
    }

    /** Edits a copy of a tree. */
    private static final class TreeEditor {
        /** The token of the nodes that this editor owns and may change in place. */
        private Object token = new Object();

        private Tree built;
        private Node root;
        private int size;

        private TreeEditor(Tree before) {
            this.built = before;
            this.root = before.root;
            this.size = before.size;
        }

        /**
         * Stores or removes the data of an address. On the way down, an insertion splits each full node, so that there is room for
         * one more entry; a removal merges a node with the next one if both together are at most half full.
         *
         * <p>One large method on purpose; measure before splitting it. HotSpot does not inline methods that are this large
         * (FreqInlineSize: 325 bytes of bytecode by default). Inlined into its callers, earlier forms took the JIT compiler
         * of JDK 17 many seconds ({@code docs/decisions/addresses-in-a-tree.md}, "Compile time").
         *
         * @param packed the data; null to remove the address
         * @param publishers the publishers of the data; null to remove the address
         */
        void replace(IpAddress address, byte @Nullable [] packed, @Nullable Publishers publishers) {
            long high = address.high();
            long low = address.low();
            byte[] before = root.get(high, low);
            int sizeDelta = (packed == null ? 0 : 1) - (before == null ? 0 : 1);
            int reverseNameDelta = Node.reverseNames(packed) - Node.reverseNames(before);
            if (packed == null && before == null) {
                return;
            }
            if (sizeDelta > 0 && root.count == Node.FULL) {
                root = root.newParent(token);
            }
            root = own(root, Math.max(0, sizeDelta));
            Node node = root;
            // The lowest node on the path with several children, and the child on the path: it is removed if the leaf
            // becomes empty.
            Node fork = root;
            int forkIndex = 0;
            // Down to the leaf: each node on the path becomes one that this editor owns.
            while (node.height > 0) {
                int index = node.floor(high, low);
                Node child = node.child(index);
                int room = Math.max(0, sizeDelta);
                if (sizeDelta > 0) {
                    if (child.count == Node.FULL) {
                        Node upper = child.part(Node.FULL / 2, Node.FULL, token);
                        node.insert(index + 1, upper);
                        child = child.part(0, Node.FULL / 2, token);
                        if (upper.compare(0, high, low) <= 0) {
                            node.set(index, child);
                            index++;
                            child = upper;
                        }
                    }
                    // Keeps the key a lower bound of its child, which the search needs if an earlier child is inserted.
                    if (node.compare(index, high, low) > 0) {
                        node.setKey(index, high, low);
                    }
                } else if (sizeDelta < 0 && index + 1 < node.count) {
                    int next = node.child(index + 1).count;
                    room = child.count + next <= Node.FULL / 2 ? next : 0;
                }
                child = own(child, room);
                node.set(index, child);
                if (sizeDelta < 0 && room > 0) {
                    child.append(node.child(index + 1));
                    node.remove(index + 1);
                }
                if (node.count > 1) {
                    fork = node;
                    forkIndex = index;
                }
                node.reverseNameCount += reverseNameDelta;
                node = child;
            }
            // In the leaf.
            node.reverseNameCount += reverseNameDelta;
            int entry = node.index(high, low);
            if (packed == null) {
                node.remove(entry);
            } else if (entry >= 0) {
                node.set(entry, packed, Objects.requireNonNull(publishers));
            } else {
                node.insert(-1 - entry, high, low, packed, Objects.requireNonNull(publishers));
            }
            // A removal may leave an empty leaf, or a root with one child.
            size += sizeDelta;
            if (node.count == 0 && size > 0) {
                fork.remove(forkIndex);
            }
            while (root.height > 0 && root.count == 1) {
                root = root.child(0);
            }
        }

        /** Returns a node, or a copy of it, that this editor owns and that has room for some more entries. */
        @SuppressWarnings("ReferenceEquality")
        private Node own(Node node, int more) {
            return node.token == token && node.count + more <= node.items.length ? node : node.copy(more, token);
        }

        @SuppressWarnings("ReferenceEquality")
        Tree build() {
            if (root != built.root) {
                built = new Tree(root, size);
                token = new Object();
            }
            return built;
        }
    }

    /** A node: a short sorted array of addresses, and an item for each. */
    private static final class Node {
        private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
        private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

        /** The largest number of entries of a node. */
        private static final int FULL = 128;

        /** The length of an address in bytes. */
        private final int keyBytes;

        /** The number of levels below this node; 0 for a leaf. */
        private final int height;

        /**
         * The addresses of a leaf. In an inner node the lower bound of each child: at most its smallest address, and larger than all
         * addresses of the previous child. The first {@link #count} are in use.
         */
        private final byte[] keys;

        /** The packed data of the addresses of a leaf; the children of an inner node. */
        private final @Nullable Object[] items;

        /** The publishers of the data of a leaf; empty in an inner node. */
        private final @Nullable Publishers[] publishers;

        /** The token of the editor that may change this node in place. */
        private final Object token;

        private int count;

        /** The number of addresses with a reverse name in this node or below. */
        private int reverseNameCount;

        /** Creates an empty node with a capacity of at least {@code room} entries, a multiple of sixteen. */
        private Node(int keyBytes, int height, int room, Object token) {
            int capacity = room + 15 & -16;
            this.keyBytes = keyBytes;
            this.height = height;
            this.keys = new byte[capacity * keyBytes];
            this.items = new Object[capacity];
            this.publishers = new Publishers[height == 0 ? capacity : 0];
            this.token = token;
        }

        // ---- reading

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
         * Returns the smallest address with a reverse name that is at least a given address; null if there is none. The first child may
         * hold only smaller ones; the search then continues with the next child that has any.
         */
        @Nullable
        IpAddress firstReverseName(long high, long low) {
            for (int i = floor(high, low); i < count; i++) {
                if (reverseNames(i) > 0) {
                    IpAddress found = height > 0
                            ? child(i).firstReverseName(high, low)
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

        /** Returns the leaf that contains an address if it is stored. */
        private Node leaf(long high, long low) {
            Node node = this;
            while (node.height > 0) {
                node = node.child(node.floor(high, low));
            }
            return node;
        }

        /** Returns the index of the last entry whose key is at most an address; 0 if there is none. */
        int floor(long high, long low) {
            return Math.max(0, countAtMost(high, low) - 1);
        }

        /** Returns the index of an address in a leaf; {@code -1 - i} if it is not stored and its insertion point is {@code i}. */
        int index(long high, long low) {
            int end = countAtMost(high, low);
            return end > 0 && compare(end - 1, high, low) == 0 ? end - 1 : -1 - end;
        }

        /** Returns the number of entries whose key is at most an address. */
        private int countAtMost(long high, long low) {
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
            if (keyBytes == 4) {
                return Integer.compareUnsigned((int) INT.get(keys, 4 * index), (int) low);
            }
            int byHigh = Long.compareUnsigned((long) LONG.get(keys, 16 * index), high);
            return byHigh != 0 ? byHigh : Long.compareUnsigned((long) LONG.get(keys, 16 * index + 8), low);
        }

        private IpAddress address(int index) {
            return IpAddress.ofBytes(Arrays.copyOfRange(keys, index * keyBytes, (index + 1) * keyBytes));
        }

        /** Returns the packed data at an index below {@link #count}; only in a leaf. */
        private byte[] packed(int index) {
            return (byte[]) Objects.requireNonNull(items[index]);
        }

        /** Returns the child at an index below {@link #count}; only in an inner node. */
        Node child(int index) {
            return (Node) Objects.requireNonNull(items[index]);
        }

        /** Returns the number of addresses with a reverse name in one entry. */
        private int reverseNames(int index) {
            return height > 0 ? child(index).reverseNameCount : reverseNames(packed(index));
        }

        /** Returns 1 if the reverse name of an address exists, otherwise 0. */
        static int reverseNames(byte @Nullable [] packed) {
            return packed != null && RecordRules.hasReverseName(NameData.ofPacked(packed)) ? 1 : 0;
        }

        // ---- changing; the caller updates reverseNameCount

        void set(int index, byte[] packed, Publishers publishers) {
            items[index] = packed;
            this.publishers[index] = publishers;
        }

        void set(int index, Node child) {
            items[index] = child;
        }

        void setKey(int index, long high, long low) {
            if (keyBytes == 4) {
                INT.set(keys, 4 * index, (int) low);
            } else {
                LONG.set(keys, 16 * index, high);
                LONG.set(keys, 16 * index + 8, low);
            }
        }

        /** Inserts an address into a leaf. */
        void insert(int index, long high, long low, byte[] packed, Publishers publishers) {
            move(index, index + 1);
            setKey(index, high, low);
            set(index, packed, publishers);
        }

        /** Inserts a child into an inner node. */
        void insert(int index, Node child) {
            move(index, index + 1);
            System.arraycopy(child.keys, 0, keys, index * keyBytes, keyBytes);
            set(index, child);
        }

        /** Removes an entry. */
        void remove(int index) {
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

        /** Appends all entries of another node, whose keys are larger. */
        void append(Node other) {
            copyEntries(other, 0, other.count, count);
            count += other.count;
            reverseNameCount += other.reverseNameCount;
        }

        private void copyEntries(Node other, int from, int end, int to) {
            int length = end - from;
            System.arraycopy(other.keys, from * keyBytes, keys, to * keyBytes, length * keyBytes);
            System.arraycopy(other.items, from, items, to, length);
            if (height == 0) {
                System.arraycopy(other.publishers, from, publishers, to, length);
            }
        }

        /** Returns a copy with room for some more entries. */
        Node copy(int more, Object newToken) {
            Node copy = new Node(keyBytes, height, count + more, newToken);
            copy.append(this);
            return copy;
        }

        /** Returns a copy of some entries. */
        Node part(int from, int end, Object newToken) {
            Node part = new Node(keyBytes, height, end - from, newToken);
            part.copyEntries(this, from, end, 0);
            part.count = end - from;
            for (int i = from; i < end; i++) {
                part.reverseNameCount += reverseNames(i);
            }
            return part;
        }

        /** Returns a new parent with this node as its only child, and room for another. */
        Node newParent(Object newToken) {
            Node parent = new Node(keyBytes, height + 1, 2, newToken);
            parent.insert(0, this);
            parent.reverseNameCount = reverseNameCount;
            return parent;
        }
    }
}
