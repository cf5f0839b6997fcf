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

/** The endpoints of a slice in a {@link PackedObject}: read one after another, and compared with those of another slice. */
final class SliceEndpoints {
    private static final int READY = 1;
    private static final int NOT_READY = 2;
    private static final int HOSTNAME = 4;
    private static final int TARGET = 8;
    private static final int SEVERAL_ADDRESSES = 16;

    private final byte[] octets;
    private final int head;
    private final int start;
    private final AddressType type;

    /**
     * Makes the endpoints of a slice.
     *
     * @param octets the slice; the endpoints are at its end
     * @param head where it begins, behind its UID
     * @param start where the endpoints begin
     */
    SliceEndpoints(byte[] octets, int head, int start, AddressType type) {
        this.octets = octets;
        this.head = head;
        this.start = start;
        this.type = type;
    }

    /**
     * Appends an endpoint.
     *
     * @param withTarget whether it is named by the object behind it, which is all that this is read for
     */
    static void write(OctetWriter writer, Endpoint endpoint, boolean withTarget) {
        Optional<ObjectRef> target = withTarget ? endpoint.targetRef() : Optional.empty();
        int ready = endpoint.ready().isEmpty() ? 0 : endpoint.ready().get() ? READY : NOT_READY;
        List<IpAddress> addresses = endpoint.addresses();
        writer.octet(ready
                | (endpoint.hostname().isPresent() ? HOSTNAME : 0)
                | (target.isPresent() ? TARGET : 0)
                | (addresses.size() > 1 ? SEVERAL_ADDRESSES : 0));
        if (addresses.size() > 1) {
            writer.octet(addresses.size());
        }
        addresses.forEach(writer::address);
        endpoint.hostname().ifPresent(writer::text);
        target.ifPresent(ref -> writer.text(ref.name()));
    }

    /** Where some endpoints of a slice are, one after another. */
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
        Place place = begin();
        place.to = Math.max(place.to, range.from);
        while (place.to < range.to && place.next()) {
            if (filter.isAll() || address != null && place.has(address) || label != null && place.isNamed(label)) {
                endpoints.add(place.endpoint());
            }
        }
        return endpoints;
    }

    /** Returns the first endpoint that is wanted; empty if none is. */
    List<Endpoint> first(Predicate<Endpoint> wanted) {
        Place place = begin();
        while (place.next()) {
            Endpoint endpoint = place.endpoint();
            if (wanted.test(endpoint)) {
                return List.of(endpoint);
            }
        }
        return List.of();
    }

    private Place begin() {
        return new Place(octets, start, type);
    }

    /**
     * The endpoints that two versions of a slice do not have in common.
     *
     * @param before those of the earlier version
     * @param after those of the later one
     */
    record Difference(List<Endpoint> before, List<Endpoint> after) {}

    /**
     * Returns the difference from an earlier version: the endpoints between the first and the last one that differ. No address in them is
     * one of an endpoint outside, so that their facts are all that changed.
     *
     * @return null if the versions differ in something else, or an address is inside and outside
     */
    @Nullable
    Difference differenceFrom(SliceEndpoints earlier) {
        if (!Arrays.equals(octets, head, start, earlier.octets, earlier.head, earlier.start)) {
            return null;
        }
        Place mine = begin();
        Place others = earlier.begin();
        int ahead = mine.to - others.to;
        int alike = Arrays.mismatch(octets, mine.to, octets.length, earlier.octets, others.to, earlier.octets.length);
        int differs = alike < 0 ? octets.length : mine.to + alike;
        int from = mine.to;
        while (mine.next() && mine.to <= differs) {
            from = mine.to;
        }
        mine.to = from;
        others.to = from - ahead;
        // From the end, the bytes that are the same; then on to where an endpoint ends in both, and those begin.
        int most = Math.min(mine.left(), others.left());
        int same = 0;
        while (same < most && octets[octets.length - 1 - same] == earlier.octets[earlier.octets.length - 1 - same]) {
            same++;
        }
        while (mine.left() != others.left() || mine.left() > same) {
            (mine.left() < others.left() ? others : mine).next();
        }
        Range after = new Range(from, mine.to);
        Difference difference = new Difference(
                earlier.in(new Range(from - ahead, others.to), EndpointFilter.ALL), in(after, EndpointFilter.ALL));
        return hasOutside(after, difference.before) || hasOutside(after, difference.after) ? null : difference;
    }

    /** Returns whether an endpoint outside a range has an address of some endpoints. */
    private boolean hasOutside(Range range, List<Endpoint> some) {
        for (Endpoint one : some) {
            for (IpAddress address : one.addresses()) {
                byte[] bytes = address.bytes();
                Place place = begin();
                while (place.next()) {
                    if ((place.from < range.from || place.from >= range.to) && place.has(bytes)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** One endpoint after another, without an object for each. */
    static final class Place {
        private final byte[] octets;
        private final int addressLength;
        private int from;
        private int to;
        private int addresses;
        private int addressCount;
        private int hostname;
        private int target;

        private Place(byte[] octets, int at, AddressType type) {
            this.octets = octets;
            this.to = at;
            this.addressLength = (type == AddressType.IPV6 ? IpFamily.IPV6 : IpFamily.IPV4).octets();
        }

        /** Returns how many octets there are behind this endpoint. */
        private int left() {
            return octets.length - to;
        }

        /** Moves on to the next endpoint; returns whether there is one. */
        private boolean next() {
            if (to == octets.length) {
                return false;
            }
            from = to;
            OctetReader reader = new OctetReader(octets, from);
            int flags = reader.octet();
            addressCount = (flags & SEVERAL_ADDRESSES) == 0 ? 1 : reader.octet();
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
                    if (Arrays.equals(octets, at, at + addressLength, address, 0, addressLength)) {
                        return true;
                    }
                }
            }
            return false;
        }

        /** Returns whether the hostname of this endpoint, or the name of what is behind it, is this text. */
        boolean isNamed(byte[] text) {
            return is(hostname, text) || is(target, text);
        }

        private boolean is(int textAt, byte[] text) {
            if (textAt < 0) {
                return false;
            }
            OctetReader reader = new OctetReader(octets, textAt);
            int length = reader.count() - 1;
            return length == text.length && Arrays.equals(octets, reader.at(), reader.at() + length, text, 0, length);
        }

        private Endpoint endpoint() {
            int flags = octets[from];
            OctetReader reader = new OctetReader(octets, addresses);
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
