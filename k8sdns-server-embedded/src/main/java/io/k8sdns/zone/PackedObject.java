package io.k8sdns.zone;

import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.rules.RecordRules;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An object as the zone keeps it: its UID and what {@link RecordRules} reads of it, in one array; namespace and name are
 * its key and kept there. Labels, selectors, target ports, nodes and zones of endpoints make no record and are gone. An
 * endpoint costs about 20 octets here and ten times that as objects.
 *
 * <p>Given back as an object, since the rules read objects and nothing else, whenever its facts are asked for; without the
 * UID, which makes no fact.
 */
final class PackedObject {
    private static final int CLUSTER_IP = 0;
    private static final int HEADLESS = 1;
    private static final int EXTERNAL_NAME = 2;
    private static final int TYPE = 3;
    private static final int NOT_READY_TOO = 4;

    private static final int READY = 1;
    private static final int NOT_READY = 2;
    private static final int HOSTNAME = 4;
    private static final int TARGET = 8;
    private static final int SEVERAL_ADDRESSES = 16;

    private static final int UUID_LENGTH = 36;

    /** The place in these lists is what is kept. */
    private static final List<Protocol> PROTOCOLS = List.of(Protocol.values());

    private static final List<PodPhase> PHASES = List.of(PodPhase.values());
    private static final List<AddressType> ADDRESS_TYPES = List.of(AddressType.values());

    private final byte[] octets;

    private PackedObject(byte[] octets) {
        this.octets = octets;
    }

    /** Returns the UID that the API server gave. */
    Optional<String> uid() {
        return new Reader(octets).uid();
    }

    /** Returns whether two objects are the same but for the UID, so that they have the same facts. */
    boolean sameFactsAs(PackedObject other) {
        Reader mine = new Reader(octets);
        Reader others = new Reader(other.octets);
        mine.skipUid();
        others.skipUid();
        return Arrays.equals(octets, mine.at, octets.length, other.octets, others.at, other.octets.length);
    }

    // ---- Services ----

    static PackedObject of(Service service) {
        Writer writer = new Writer(64);
        writer.uid(service.uid());
        int early = service.publishNotReadyAddresses() ? NOT_READY_TOO : 0;
        if (service instanceof ClusterIpService clusterIp) {
            writer.octet(CLUSTER_IP | early);
            writer.octet(clusterIp.clusterIps().size());
            for (IpAddress address : clusterIp.clusterIps()) {
                writer.octet(address.family().octets());
                writer.address(address);
            }
        } else if (service instanceof HeadlessService) {
            writer.octet(HEADLESS | early);
        } else if (service instanceof ExternalNameService external) {
            writer.octet(EXTERNAL_NAME);
            writer.text(external.externalName());
        } else {
            throw new AssertionError(service);
        }
        writer.count(service.ports().size());
        for (ServicePort port : service.ports()) {
            writer.port(port.name(), port.protocol(), port.port());
        }
        return new PackedObject(writer.written());
    }

    Service service(String namespace, String name) {
        Reader reader = new Reader(octets);
        reader.skipUid();
        Metadata metadata = Metadata.of(namespace, name);
        int kind = reader.octet();
        boolean early = (kind & NOT_READY_TOO) != 0;
        List<IpAddress> addresses = new ArrayList<>(2);
        Optional<String> externalName = Optional.empty();
        switch (kind & TYPE) {
            case CLUSTER_IP -> {
                for (int left = reader.octet(); left > 0; left--) {
                    addresses.add(reader.address(reader.octet()));
                }
            }
            case EXTERNAL_NAME -> externalName = reader.text();
            default -> {}
        }
        ServicePort[] ports = new ServicePort[reader.count()];
        for (int i = 0; i < ports.length; i++) {
            Optional<String> portName = reader.text();
            Protocol protocol = PROTOCOLS.get(reader.octet());
            int number = reader.number();
            ports[i] = portName.isPresent()
                    ? ServicePort.of(portName.get(), protocol, number)
                    : ServicePort.unnamed(protocol, number);
        }
        return switch (kind & TYPE) {
            case CLUSTER_IP -> new ClusterIpService(metadata, addresses, List.of(ports), EndpointSelection.NONE, early);
            case HEADLESS -> new HeadlessService(metadata, List.of(ports), EndpointSelection.NONE, early);
            case EXTERNAL_NAME -> new ExternalNameService(metadata, externalName);
            default -> throw new AssertionError(kind);
        };
    }

    // ---- EndpointSlices ----

    /**
     * Keeps a slice.
     *
     * @param withTargets whether endpoints are named by the objects behind them, which is all that these are read for
     */
    static PackedObject of(EndpointSlice slice, boolean withTargets) {
        Writer writer = new Writer(64 + 24 * slice.endpoints().size());
        writer.uid(slice.uid());
        writer.octet(ADDRESS_TYPES.indexOf(slice.addressType()));
        writer.count(slice.ports().size());
        for (EndpointPort port : slice.ports()) {
            writer.port(port.name(), port.protocol(), port.port().orElse(0));
        }
        for (Endpoint endpoint : slice.endpoints()) {
            Optional<ObjectRef> target = withTargets ? endpoint.targetRef() : Optional.empty();
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
        return new PackedObject(writer.written());
    }

    /** Where some endpoints of a slice are, one after another. */
    record Range(int from, int to) {
        /** The range of all. */
        static final Range ALL = new Range(0, Integer.MAX_VALUE);
    }

    EndpointSlice slice(String namespace, String name, String serviceName) {
        return slice(namespace, name, serviceName, endpoints(Range.ALL, any -> true));
    }

    /** Returns the slice with some of its endpoints. */
    EndpointSlice slice(String namespace, String name, String serviceName, List<Endpoint> endpoints) {
        Reader reader = new Reader(octets);
        reader.skipUid();
        AddressType type = ADDRESS_TYPES.get(reader.octet());
        EndpointPort[] ports = new EndpointPort[reader.count()];
        for (int i = 0; i < ports.length; i++) {
            Optional<String> portName = reader.text();
            Protocol protocol = PROTOCOLS.get(reader.octet());
            int number = reader.number();
            ports[i] = new EndpointPort(portName, protocol, number == 0 ? OptionalInt.empty() : OptionalInt.of(number));
        }
        return EndpointSlice.builder(namespace, name)
                .service(serviceName)
                .addressType(type)
                .endpoints(endpoints)
                .ports(List.of(ports))
                .build();
    }

    /** Returns those endpoints of a slice that lie in a range and are wanted; the others are not made into objects. */
    List<Endpoint> endpoints(Range range, Predicate<Place> wanted) {
        List<Endpoint> endpoints = new ArrayList<>();
        Place place = endpoints();
        place.to = Math.max(place.to, range.from);
        while (place.to < range.to && place.next()) {
            if (wanted.test(place)) {
                endpoints.add(place.endpoint());
            }
        }
        return endpoints;
    }

    /** Returns where the first endpoint of a slice is that is wanted; empty if none is. */
    Optional<Range> first(Predicate<Endpoint> wanted) {
        Place place = endpoints();
        while (place.next()) {
            if (wanted.test(place.endpoint())) {
                return Optional.of(new Range(place.from, place.to));
            }
        }
        return Optional.empty();
    }

    /** Returns the place before the first endpoint of a slice. */
    private Place endpoints() {
        Reader reader = new Reader(octets);
        reader.skipUid();
        AddressType type = ADDRESS_TYPES.get(reader.octet());
        for (int left = reader.count(); left > 0; left--) {
            reader.skipText();
            reader.at += 3;
        }
        return new Place(octets, reader.at, type);
    }

    private int afterUid() {
        Reader reader = new Reader(octets);
        reader.skipUid();
        return reader.at;
    }

    /**
     * Which endpoints two slices do not have in common.
     *
     * @param here those of the one
     * @param there those of the other
     */
    record Difference(Range here, Range there) {}

    /**
     * Returns which endpoints two slices do not have in common: those between the first and the last endpoint that
     * differ. Those outside are the same, and the slices say the same of them.
     *
     * @param other another slice
     * @return null if the slices differ in something else, so that no endpoint need say what it said
     */
    @Nullable
    Difference differenceFrom(PackedObject other) {
        Place mine = endpoints();
        Place others = other.endpoints();
        if (!Arrays.equals(octets, afterUid(), mine.to, other.octets, other.afterUid(), others.to)) {
            return null;
        }
        int ahead = mine.to - others.to;
        int alike = Arrays.mismatch(octets, mine.to, octets.length, other.octets, others.to, other.octets.length);
        int differs = alike < 0 ? octets.length : mine.to + alike;
        int from = mine.to;
        while (mine.next() && mine.to <= differs) {
            from = mine.to;
        }
        mine.to = from;
        others.to = from - ahead;
        // From behind, the octets that are the same; then on to where an endpoint ends in both, and those begin.
        int most = Math.min(mine.left(), others.left());
        int same = 0;
        while (same < most && octets[octets.length - 1 - same] == other.octets[other.octets.length - 1 - same]) {
            same++;
        }
        while (mine.left() != others.left() || mine.left() > same) {
            (mine.left() < others.left() ? others : mine).next();
        }
        return new Difference(new Range(from, mine.to), new Range(from - ahead, others.to));
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
            Reader reader = new Reader(octets);
            reader.at = from;
            int flags = reader.octet();
            addressCount = (flags & SEVERAL_ADDRESSES) == 0 ? 1 : reader.octet();
            addresses = reader.at;
            reader.at += addressCount * addressLength;
            hostname = (flags & HOSTNAME) == 0 ? -1 : reader.at;
            if (hostname >= 0) {
                reader.skipText();
            }
            target = (flags & TARGET) == 0 ? -1 : reader.at;
            if (target >= 0) {
                reader.skipText();
            }
            to = reader.at;
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
            Reader reader = new Reader(octets);
            reader.at = textAt;
            int length = reader.count() - 1;
            return length == text.length && Arrays.equals(octets, reader.at, reader.at + length, text, 0, length);
        }

        private Endpoint endpoint() {
            int flags = octets[from];
            Reader reader = new Reader(octets);
            reader.at = addresses;
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

    // ---- Pods ----

    static PackedObject of(Pod pod) {
        Writer writer = new Writer(32);
        writer.uid(pod.uid());
        writer.octet(pod.phase().map(phase -> 1 + PHASES.indexOf(phase)).orElse(0));
        for (IpAddress address : pod.ips()) {
            writer.octet(address.family().octets());
            writer.octets(address.bytes());
        }
        return new PackedObject(writer.written());
    }

    Pod pod(String namespace, String name) {
        Reader reader = new Reader(octets);
        reader.skipUid();
        Metadata metadata = Metadata.of(namespace, name);
        int phase = reader.octet();
        List<IpAddress> addresses = new ArrayList<>(2);
        while (reader.at < octets.length) {
            addresses.add(reader.address(reader.octet()));
        }
        Pod.Builder pod = Pod.builder(metadata).ips(addresses);
        if (phase > 0) {
            pod.phase(PHASES.get(phase - 1));
        }
        return pod.build();
    }

    // ---- octets ----

    /** Returns whether this is a UUID as Kubernetes writes it, letters in lower case. */
    private static boolean isUuid(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
            if (dash ? c != '-' : !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f')) {
                return false;
            }
        }
        return text.length() == UUID_LENGTH;
    }

    /** Writes what {@link Reader} reads. */
    private static final class Writer {
        private byte[] octets;
        private int at;

        Writer(int roughly) {
            octets = new byte[roughly];
        }

        private void room(int more) {
            if (at + more > octets.length) {
                octets = Arrays.copyOf(octets, Math.max(at + more, 2 * octets.length));
            }
        }

        void octet(int octet) {
            room(1);
            octets[at++] = (byte) octet;
        }

        void octets(byte[] some) {
            room(some.length);
            System.arraycopy(some, 0, octets, at, some.length);
            at += some.length;
        }

        /** Seven bits an octet, the lowest first; the last one has no upper bit. */
        void count(int count) {
            int left = count;
            for (; left > 0x7F; left >>>= 7) {
                octet(left | 0x80);
            }
            octet(left);
        }

        /** A count of one more than its octets, or 0 for none. */
        void text(Optional<String> text) {
            if (text.isPresent()) {
                text(text.get());
            } else {
                count(0);
            }
        }

        void text(String text) {
            int length = text.length();
            room(5 + length);
            int start = at;
            count(1 + length);
            for (int i = 0; i < length; i++) {
                char c = text.charAt(i);
                if (c > 0x7F) {
                    at = start;
                    byte[] some = text.getBytes(StandardCharsets.UTF_8);
                    count(1 + some.length);
                    octets(some);
                    return;
                }
                octets[at++] = (byte) c;
            }
        }

        void address(IpAddress address) {
            if (address.isIpv4()) {
                number(address.low(), 4);
            } else {
                number(address.high(), 8);
                number(address.low(), 8);
            }
        }

        private void number(long number, int length) {
            room(length);
            for (int shift = 8 * (length - 1); shift >= 0; shift -= 8) {
                octets[at++] = (byte) (number >>> shift);
            }
        }

        /** 16 octets for a UUID, which is what API servers give; else a text. */
        void uid(Optional<String> uid) {
            if (uid.isEmpty() || !isUuid(uid.get())) {
                octet(0);
                text(uid);
                return;
            }
            octet(1);
            String text = uid.get();
            for (int i = 0; i < UUID_LENGTH; i += 2) {
                i += text.charAt(i) == '-' ? 1 : 0;
                octet(Character.digit(text.charAt(i), 16) << 4 | Character.digit(text.charAt(i + 1), 16));
            }
        }

        void port(Optional<String> name, Protocol protocol, int number) {
            text(name);
            octet(PROTOCOLS.indexOf(protocol));
            octet(number >>> 8);
            octet(number);
        }

        byte[] written() {
            return at == octets.length ? octets : Arrays.copyOf(octets, at);
        }
    }

    /** Reads what {@link Writer} wrote. */
    private static final class Reader {
        private final byte[] octets;
        private int at;

        Reader(byte[] octets) {
            this.octets = octets;
        }

        int octet() {
            return octets[at++] & 0xFF;
        }

        int number() {
            return octet() << 8 | octet();
        }

        int count() {
            int count = 0;
            for (int shift = 0; ; shift += 7) {
                int octet = octet();
                count |= (octet & 0x7F) << shift;
                if (octet <= 0x7F) {
                    return count;
                }
            }
        }

        Optional<String> text() {
            int length = count() - 1;
            if (length < 0) {
                return Optional.empty();
            }
            at += length;
            return Optional.of(new String(octets, at - length, length, StandardCharsets.UTF_8));
        }

        void skipText() {
            int length = count() - 1;
            at += Math.max(length, 0);
        }

        void skipUid() {
            if (octet() == 0) {
                skipText();
            } else {
                at += 16;
            }
        }

        Optional<String> uid() {
            if (octet() == 0) {
                return text();
            }
            StringBuilder text = new StringBuilder(UUID_LENGTH);
            for (int i = 0; i < 16; i++) {
                if (i == 4 || i == 6 || i == 8 || i == 10) {
                    text.append('-');
                }
                int octet = octet();
                text.append(Character.forDigit(octet >>> 4, 16)).append(Character.forDigit(octet & 0xF, 16));
            }
            return Optional.of(text.toString());
        }

        IpAddress address(int length) {
            at += length;
            return IpAddress.ofBytes(Arrays.copyOfRange(octets, at - length, at));
        }
    }
}
