package io.k8sdns.zone;

import io.k8sdns.model.AddressType;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.rules.EndpointFilter;
import io.k8sdns.rules.RecordRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The endpoints of a slice in a {@link PackedObject}, one after another. They are read in sequence. */
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
     * @param withTarget {@link RecordRules#readsTargets}
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

    /** Returns all endpoints. */
    List<Endpoint> all() {
        return between(start, bytes.length);
    }

    /** Returns the endpoints that a filter chooses; the others are not decoded. */
    List<Endpoint> chosenBy(EndpointFilter filter) {
        List<Endpoint> endpoints = new ArrayList<>();
        Cursor cursor = cursor();
        while (cursor.next()) {
            if (filter.chooses(cursor)) {
                endpoints.add(cursor.endpoint());
            }
        }
        return endpoints;
    }

    /**
     * Returns consecutive endpoints.
     *
     * @param from where the first one begins
     * @param to where the last one ends
     */
    List<Endpoint> between(int from, int to) {
        List<Endpoint> endpoints = new ArrayList<>();
        Cursor cursor = cursorAt(from);
        while (cursor.to < to && cursor.next()) {
            endpoints.add(cursor.endpoint());
        }
        return endpoints;
    }

    /** Returns the first endpoint that is wanted; empty if none is. */
    List<Endpoint> first(Predicate<Endpoint> wanted) {
        Cursor cursor = cursor();
        while (cursor.next()) {
            Endpoint endpoint = cursor.endpoint();
            if (wanted.test(endpoint)) {
                return List.of(endpoint);
            }
        }
        return List.of();
    }

    /** Returns a cursor before the first endpoint. */
    Cursor cursor() {
        return cursorAt(start);
    }

    /** Returns a cursor before an endpoint that begins at an offset. */
    Cursor cursorAt(int from) {
        return new Cursor(bytes, from, type);
    }

    // ---- the bytes, which SliceDifference compares

    /** Returns where the first endpoint begins. */
    int start() {
        return start;
    }

    /** Returns where the last endpoint ends. */
    int end() {
        return bytes.length;
    }

    /** Returns whether two slices are equal except for their UIDs and endpoints. */
    boolean hasSameHead(SliceEndpoints other) {
        return Arrays.equals(bytes, head, start, other.bytes, other.head, other.start);
    }

    /**
     * Returns the offset of the first byte that differs from the other slice, comparing from the first endpoint of each; the length if none
     * differs.
     */
    int mismatch(SliceEndpoints other) {
        int mismatch = Arrays.mismatch(bytes, start, bytes.length, other.bytes, other.start, other.bytes.length);
        return mismatch < 0 ? bytes.length : start + mismatch;
    }

    /** Returns how many of the last bytes two slices have in common, up to a limit. */
    int commonEnd(SliceEndpoints other, int limit) {
        int count = 0;
        while (count < limit && bytes[bytes.length - 1 - count] == other.bytes[other.bytes.length - 1 - count]) {
            count++;
        }
        return count;
    }

    /** A cursor over the endpoints; an endpoint is decoded by {@link #endpoint} alone. */
    static final class Cursor implements EndpointFilter.Fields {
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

        /** Returns where this endpoint begins. */
        int from() {
            return from;
        }

        /** Returns where this endpoint ends, and the next one begins. */
        int to() {
            return to;
        }

        /** Returns how many bytes there are after this endpoint. */
        int left() {
            return bytes.length - to;
        }

        /** Moves on to the next endpoint; returns whether there is one. */
        boolean next() {
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

        @Override
        public boolean hasAddress(byte[] address) {
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

        @Override
        public boolean hasHostname(byte[] text) {
            return hasText(hostname, text);
        }

        @Override
        public boolean hasTargetName(byte[] text) {
            return hasText(target, text);
        }

        private boolean hasText(int textAt, byte[] text) {
            if (textAt < 0) {
                return false;
            }
            ByteReader reader = new ByteReader(bytes, textAt);
            int length = reader.varint() - 1;
            return length == text.length && Arrays.equals(bytes, reader.at(), reader.at() + length, text, 0, length);
        }

        /** Decodes this endpoint. */
        Endpoint endpoint() {
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
