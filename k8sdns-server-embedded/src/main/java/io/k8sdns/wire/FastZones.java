package io.k8sdns.wire;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.zone.RevisionView;
import io.k8sdns.zone.ZoneRevision;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Header;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Type;

/**
 * The zones of one revision, prepared for {@link FastPath}: longest first, each with the encoded authority section of its
 * negative answers. A revision with the same rules reuses all of this except the serial.
 */
final class FastZones {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** The length of the numbers at the end of an SOA record, from the serial on: five of four bytes. */
    private static final int SOA_NUMBERS = 5 * Integer.BYTES;

    private final RevisionView view;
    private final ZoneRevision revision;
    private final FastZone[] zones;
    private final byte[] ptrTargetZone;
    private final int serial;

    private FastZones(RevisionView view, FastZone[] zones, byte[] ptrTargetZone) {
        this.view = view;
        this.revision = view.revision();
        this.zones = zones;
        this.ptrTargetZone = ptrTargetZone;
        this.serial = (int) revision.serial();
    }

    static FastZones of(RevisionView view) {
        ZoneRevision revision = view.revision();
        List<FastZone> zones = new ArrayList<>();
        DnsLabels ptrTargetZone = revision.rules().ptrTargetZone();
        for (DnsLabels zone : revision.settings().zones()) {
            zones.add(new FastZone(zone, Kind.FORWARD, revision));
        }
        for (ReverseZone zone : revision.settings().reverseZones()) {
            // PTR targets below arpa would share a suffix with the question, and need compression pointers.
            Kind kind = ptrTargetZone.endsWith(NameSchema.ARPA) ? Kind.SLOW_PATH : reverse(zone);
            zones.add(new FastZone(zone.name(), kind, revision));
        }
        zones.sort(Comparator.comparingInt((FastZone zone) -> zone.name.wireLength())
                .reversed());
        return new FastZones(view, zones.toArray(FastZone[]::new), ptrTargetZone.toWire());
    }

    /** Returns the zones of another revision or view. */
    FastZones at(RevisionView other) {
        return other.revision().rules() == revision.rules() ? new FastZones(other, zones, ptrTargetZone) : of(other);
    }

    /** Returns the kind of a reverse zone: {@link Kind#SLOW_PATH} unless the server serves all of its addresses. */
    private static Kind reverse(ReverseZone zone) {
        if (!zone.isWhole()) {
            return Kind.SLOW_PATH;
        }
        return zone.networks().get(0).base().isIpv4() ? Kind.REVERSE_IPV4 : Kind.REVERSE_IPV6;
    }

    RevisionView view() {
        return view;
    }

    /** Returns the serial of the zones' SOA records, as an unsigned number. */
    int serial() {
        return serial;
    }

    /** Returns the TTL of records in seconds. */
    long ttlSeconds() {
        return revision.settings().ttlSeconds();
    }

    /** Returns the zone of PTR targets in wire form without the root label. Callers must not modify the array. */
    byte[] ptrTargetZone() {
        return ptrTargetZone;
    }

    /**
     * Returns the longest zone that contains a name; null if this server does not serve the name.
     *
     * @param bytes holds the name in wire form
     * @param labels the offset of each label
     * @param count the number of labels
     * @param end the offset of the root label
     */
    @Nullable
    FastZone find(byte[] bytes, int[] labels, int count, int end) {
        for (FastZone zone : zones) {
            int label = count - zone.count;
            if (label >= 0 && zone.name.matches(bytes, label == count ? end : labels[label], end)) {
                return zone;
            }
        }
        return null;
    }

    /** The kinds of zones, by how their names are looked up. */
    enum Kind {
        FORWARD,
        REVERSE_IPV4,
        REVERSE_IPV6,
        /** A zone that only the slow path answers. */
        SLOW_PATH
    }

    /** One zone. */
    static final class FastZone {
        final DnsLabels name;
        final int count;
        final Kind kind;

        /**
         * Whether another served zone lies below this one, as {@code b.example.} below {@code example.}: a name that is not stored here
         * may belong to it, or lie above it.
         */
        final boolean hasZonesBelow;

        /** The authority section of a negative answer to a question about the apex; its serial is overwritten. */
        private final byte[] negative;

        /** The offsets of the compression pointers in {@link #negative}. */
        private final int[] pointers;

        /** The offset that each pointer points to: in the zone's name, or in {@link #negative}. */
        private final int[] targets;

        /** Whether the offset of each target is one in {@link #negative}. */
        private final boolean[] isInNegative;

        /** The labels of the SOA record's names directly below the zone; none in a reverse zone. */
        private final DnsLabels[] soaLabels;

        FastZone(DnsLabels name, Kind kind, ZoneRevision revision) {
            this.name = name;
            this.count = name.count();
            this.kind = kind;
            this.hasZonesBelow = revision.isAboveZone(name);
            Question apex = new Question(name, RecordType.of(Type.HINFO), DClass.IN);
            RecordSet soa = revision.rules().negativeStartOfAuthority(name, revision.serial());
            Answer answer = Answer.builder(Rcode.NXDOMAIN)
                    .authoritative()
                    .authority(List.of(soa))
                    .build();
            ByteBuffer message = MessageWriter.write(
                    new Query(0, 0, Optional.of(apex), Optional.empty(), false),
                    answer,
                    MessageWriter.MAX_MESSAGE_BYTES,
                    RecordSet::records);
            int encodedAt = Header.LENGTH + name.wireLength() + 1 + 4;
            this.negative = new byte[message.remaining() - encodedAt];
            message.get(message.position() + encodedAt, negative);
            this.pointers = pointers(negative);
            this.targets = new int[pointers.length];
            this.isInNegative = new boolean[pointers.length];
            for (int i = 0; i < pointers.length; i++) {
                int target = (short) SHORT.get(negative, pointers[i]) & 0x3FFF;
                isInNegative[i] = target >= encodedAt;
                targets[i] = target - (isInNegative[i] ? encodedAt : Header.LENGTH);
            }
            this.soaLabels = soaLabels((SOARecord) soa.records().get(0), name);
        }

        /** Returns the offsets of compression pointers in an SOA record: the owner, and the ends of its two names. */
        private static int[] pointers(byte[] soa) {
            List<Integer> found = new ArrayList<>(List.of(0));
            // After the owner (2 bytes, a pointer), type, class, TTL and data length.
            int at = 12;
            for (int names = 0; names < 2; names++) {
                while (soa[at] > 0) {
                    at += 1 + soa[at];
                }
                if (soa[at] < 0) {
                    found.add(at++);
                }
                at++;
            }
            return found.stream().mapToInt(Integer::intValue).toArray();
        }

        private static DnsLabels[] soaLabels(SOARecord soa, DnsLabels zone) {
            return Stream.of(soa.getHost(), soa.getAdmin())
                    .flatMap(name -> DnsNames.labels(name).below(zone).stream())
                    .map(below -> below.skip(below.count() - 1))
                    .toArray(DnsLabels[]::new);
        }

        int negativeLength() {
            return negative.length;
        }

        /**
         * Writes the SOA record.
         *
         * @param at the offset to write at
         * @param apex the offset of the zone's name in the question
         * @param serial the serial
         */
        void writeNegative(byte[] message, int at, int apex, int serial) {
            System.arraycopy(negative, 0, message, at, negative.length);
            INT.set(message, at + negative.length - SOA_NUMBERS, serial);
            for (int i = 0; i < pointers.length; i++) {
                int target = targets[i] + (isInNegative[i] ? at : apex);
                SHORT.set(message, at + pointers[i], (short) (0xC000 | target));
            }
        }

        /**
         * Returns whether the SOA record would point to the label directly below the zone, because one of the record's names
         * has the same label.
         *
         * @param bytes holds the label
         * @param at the offset of its length byte
         */
        boolean isPartOfSoa(byte[] bytes, int at) {
            for (DnsLabels label : soaLabels) {
                if (label.matches(bytes, at, at + 1 + bytes[at])) {
                    return true;
                }
            }
            return false;
        }
    }
}
