package io.k8sdns.zone;

import io.k8sdns.model.AddressType;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.rules.EndpointFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The endpoints of a slice in a {@link PackedObject}. They are read in sequence, and compared with those of another version of the slice. */
final class SliceEndpoints {
    private static final int READY = 1;
    private static final int NOT_READY = 2;
    private static final int HOSTNAME = 4;
    private static final int TARGET = 8;
    private static final int SEVERAL_ADDRESSES = 16;

    private final byte[] bytes;
    private final int head;
    private final int start;
    private final AddressType type;

    /**
     * Creates a reader of the endpoints of a slice.
     *
     * @param bytes the slice; the endpoints are at its end
     * @param head where the content of the slice begins, after its UID
     * @param start where the endpoints begin
     */
    SliceEndpoints(byte[] bytes, int head, int start, AddressType type) {
        this.bytes = bytes;
        this.head = head;
        this.start = start;
        this.type = type;
    }

    /**
     * Appends an endpoint.
     *
     * @param withTarget whether it is named after its Pod; the reference to the Pod is read for nothing else
     */
    static void write(ByteWriter writer, Endpoint endpoint, boolean withTarget) {
        Optional<ObjectRef> target = withTarget ? endpoint.targetRef() : Optional.empty();
        int ready = endpoint.ready().isEmpty() ? 0 : endpoint.ready().get() ? READY : NOT_READY;
        List<IpAddress> addresses = endpoint.addresses();
        writer.putByte(ready
                | (endpoint.hostname().isPresent() ? HOSTNAME : 0)
                | (target.isPresent() ? TARGET : 0)
                | (addresses.size() > 1 ? SEVERAL_ADDRESSES : 0));
        if (addresses.size() > 1) {
            writer.putByte(addresses.size());
        }
        addresses.forEach(writer::putAddress);
        endpoint.hostname().ifPresent(writer::putText);
        target.ifPresent(ref -> writer.putText(ref.name()));
    }

    /** The bytes of consecutive endpoints: where they begin, and where they end. */
    record Range(int from, int to) {
        /** The range of all. */
        static final Range ALL = new Range(0, Integer.MAX_VALUE);
    }

    /** Returns the endpoints in a range that a filter chooses; the others are not decoded. */
    List<Endpoint> in(Range range, EndpointFilter filter) {
        byte @Nullable [] address =
                filter.address() == null ? null : filter.address().bytes();
        byte @Nullable [] label = filter.label() == null ? null : filter.label().getBytes(StandardCharsets.ISO_8859_1);
        List<Endpoint> endpoints = new ArrayList<>();
        Cursor cursor = begin();
        cursor.to = Math.max(cursor.to, range.from);
        while (cursor.to < range.to && cursor.next()) {
            if (filter.isAll() || address != null && cursor.has(address) || label != null && cursor.isNamed(label)) {
                endpoints.add(cursor.endpoint());
            }
        }
        return endpoints;
    }

    /** Returns the first endpoint that is wanted; empty if none is. */
    List<Endpoint> first(Predicate<Endpoint> wanted) {
        Cursor cursor = begin();
        while (cursor.next()) {
            Endpoint endpoint = cursor.endpoint();
            if (wanted.test(endpoint)) {
                return List.of(endpoint);
            }
        }
        return List.of();
    }

    private Cursor begin() {
        return new Cursor(bytes, start, type);
    }

    /**
     * The endpoints that two versions of a slice do not have in common.
     *
     * @param before those of the earlier version
     * @param after those of the later one
     */
    record Difference(List<Endpoint> before, List<Endpoint> after) {}

    /**
     * Returns the difference from an earlier version: the endpoints from the first to the last one that differ. Only their facts have
     * changed.
     *
     * <pre>
     *   | head | equal endpoints | difference | equal endpoints |
     * </pre>
     *
     * @return null if the heads differ, or if an address in the difference is also that of another endpoint, whose facts may have changed, too
     */
    @Nullable
    Difference differenceFrom(SliceEndpoints earlier) {
        if (!Arrays.equals(bytes, head, start, earlier.bytes, earlier.head, earlier.start)) {
            return null;
        }
        int from = firstDifference(earlier);
        int earlierFrom = from - (start - earlier.start);
        Cursor mine = new Cursor(bytes, from, type);
        Cursor others = new Cursor(earlier.bytes, earlierFrom, type);
        advanceToEqualEnds(mine, others);
        Range after = new Range(from, mine.to);
        Difference difference = new Difference(
                earlier.in(new Range(earlierFrom, others.to), EndpointFilter.ALL), in(after, EndpointFilter.ALL));
        return isAlsoOutside(after, difference.before) || isAlsoOutside(after, difference.after) ? null : difference;
    }

    /** Returns where the first endpoint begins that differs from the one at the same place in an earlier version. */
    private int firstDifference(SliceEndpoints earlier) {
        int mismatch = Arrays.mismatch(bytes, start, bytes.length, earlier.bytes, earlier.start, earlier.bytes.length);
        int end = mismatch < 0 ? bytes.length : start + mismatch;
        int from = start;
        Cursor cursor = begin();
        while (cursor.next() && cursor.to <= end) {
            from = cursor.to;
        }
        return from;
    }

    /** Advances two cursors until the endpoints behind them are equal. */
    private static void advanceToEqualEnds(Cursor one, Cursor other) {
        int most = Math.min(one.left(), other.left());
        int same = 0;
        while (same < most && one.bytes[one.bytes.length - 1 - same] == other.bytes[other.bytes.length - 1 - same]) {
            same++;
        }
        // The equal bytes may begin within an endpoint.
        while (one.left() != other.left() || one.left() > same) {
            (one.left() < other.left() ? other : one).next();
        }
    }

    /** Returns whether an endpoint outside a range has an address of some endpoints. */
    private boolean isAlsoOutside(Range range, List<Endpoint> some) {
        for (Endpoint one : some) {
            for (IpAddress address : one.addresses()) {
                byte[] bytes = address.bytes();
                Cursor cursor = begin();
                while (cursor.next()) {
                    if ((cursor.from < range.from || cursor.from >= range.to) && cursor.has(bytes)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** A cursor over the endpoints; an endpoint is decoded by {@link #endpoint} alone. */
    static final class Cursor {
        private final byte[] bytes;
        private final int addressLength;
        private int from;
        private int to;
        private int addresses;
        private int addressCount;
        private int hostname;
        private int target;

        private Cursor(byte[] bytes, int at, AddressType type) {
            this.bytes = bytes;
            this.to = at;
            this.addressLength = (type == AddressType.IPV6 ? IpFamily.IPV6 : IpFamily.IPV4).byteCount();
        }

        /** Returns how many bytes there are behind this endpoint. */
        private int left() {
            return bytes.length - to;
        }

        /** Moves on to the next endpoint; returns whether there is one. */
        private boolean next() {
            if (to == bytes.length) {
                return false;
            }
            from = to;
            ByteReader reader = new ByteReader(bytes, from);
            int flags = reader.unsignedByte();
            addressCount = (flags & SEVERAL_ADDRESSES) == 0 ? 1 : reader.unsignedByte();
            addresses = reader.at();
            reader.skip(addressCount * addressLength);
            hostname = (flags & HOSTNAME) == 0 ? -1 : reader.at();
            if (hostname >= 0) {
                reader.skipText();
            }
            target = (flags & TARGET) == 0 ? -1 : reader.at();
            if (target >= 0) {
                reader.skipText();
            }
            to = reader.at();
            return true;
        }

        /** Returns whether this endpoint has an address. */
        boolean has(byte[] address) {
            if (address.length == addressLength) {
                for (int i = 0; i < addressCount; i++) {
                    int at = addresses + i * addressLength;
                    if (Arrays.equals(bytes, at, at + addressLength, address, 0, addressLength)) {
                        return true;
                    }
                }
            }
            return false;
        }

        /** Returns whether the hostname of this endpoint, or the name of its Pod, is this text. */
        boolean isNamed(byte[] text) {
            return is(hostname, text) || is(target, text);
        }

        private boolean is(int textAt, byte[] text) {
            if (textAt < 0) {
                return false;
            }
            ByteReader reader = new ByteReader(bytes, textAt);
            int length = reader.varint() - 1;
            return length == text.length && Arrays.equals(bytes, reader.at(), reader.at() + length, text, 0, length);
        }

        private Endpoint endpoint() {
            int flags = bytes[from];
            ByteReader reader = new ByteReader(bytes, addresses);
            IpAddress[] all = new IpAddress[addressCount];
            for (int i = 0; i < all.length; i++) {
                all[i] = reader.address(addressLength);
            }
            Endpoint.Builder endpoint = Endpoint.builder(List.of(all));
            if ((flags & (READY | NOT_READY)) != 0) {
                endpoint.ready((flags & READY) != 0);
            }
            if (hostname >= 0) {
                endpoint.hostname(reader.text().orElseThrow());
            }
            if (target >= 0) {
                endpoint.targetRef(ObjectRef.of(Pod.KIND, reader.text().orElseThrow()));
            }
            return endpoint.build();
        }
    }
}
