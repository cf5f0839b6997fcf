package io.k8sdns.wire;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.ClusterName;
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
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Header;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * What {@link FastPath} needs of one revision: its zones, longest first, each with the authority section of its negative
 * answers, ready to be copied. The next revision shares all of it but the serial.
 */
final class FastZones {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final DnsLabels ARPA = DnsLabels.of("arpa");

    /** From the serial to the end of an SOA record: five numbers of four octets. */
    private static final int SOA_NUMBERS = 5 * Integer.BYTES;

    private final RevisionView view;
    private final ZoneRevision revision;
    private final FastZone[] zones;
    private final byte[] pointerZone;
    private final int serial;

    private FastZones(RevisionView view, FastZone[] zones, byte[] pointerZone) {
        this.view = view;
        this.revision = view.revision();
        this.zones = zones;
        this.pointerZone = pointerZone;
        this.serial = (int) revision.serial();
    }

    static FastZones of(RevisionView view) {
        ZoneRevision revision = view.revision();
        List<FastZone> zones = new ArrayList<>();
        DnsLabels first = revision.settings().zones().get(0);
        for (DnsLabels zone : revision.settings().zones()) {
            zones.add(new FastZone(zone, Kind.FORWARD, revision));
        }
        for (ReverseZone zone : revision.settings().reverseZones()) {
            // Names of another top-level domain share no suffix with the question, so that nothing there is pointed at.
            Kind kind = first.endsWith(ARPA) ? Kind.SLOW_PATH : reverse(zone);
            zones.add(new FastZone(zone.name(), kind, revision));
        }
        zones.sort(Comparator.comparingInt((FastZone zone) -> zone.name.wireLength())
                .reversed());
        return new FastZones(view, zones.toArray(FastZone[]::new), first.toWire());
    }

    /** Returns the zones of another revision or view. */
    FastZones at(RevisionView other) {
        return other.revision().rules() == revision.rules() ? new FastZones(other, zones, pointerZone) : of(other);
    }

    /** Returns how the names of a reverse zone are found: on the slow path unless all of its addresses are served. */
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

    /** Returns the zone that PTR targets are in, in wire form without the root label; not to be changed. */
    byte[] pointerZone() {
        return pointerZone;
    }

    /**
     * Returns the longest zone that a name ends with; null if it is in none.
     *
     * @param octets holds the name in wire form
     * @param labels where each label begins
     * @param count how many there are
     * @param end where the root label is
     */
    @Nullable
    FastZone find(byte[] octets, int[] labels, int count, int end) {
        for (FastZone zone : zones) {
            int label = count - zone.count;
            if (label >= 0 && zone.name.matches(octets, label == count ? end : labels[label], end)) {
                return zone;
            }
        }
        return null;
    }

    /** How the names of a zone are found. */
    enum Kind {
        FORWARD,
        REVERSE_IPV4,
        REVERSE_IPV6,
        /** Only on the slow path. */
        SLOW_PATH
    }

    /** One zone. */
    static final class FastZone {
        private static final DnsLabels DNS = ClusterName.FixedName.DNS.labels();

        final DnsLabels name;
        final int count;
        final Kind kind;

        /** Whether names that are not stored may be another zone's, or above one. */
        final boolean hasZonesBelow;

        /** The authority section of a negative answer, as it stands behind the question for the apex, with any serial. */
        private final byte[] negative;

        /** Where it stood there. */
        private final int stood;

        /** Where its compression pointers are. */
        private final int[] pointers;

        FastZone(DnsLabels name, Kind kind, ZoneRevision revision) {
            this.name = name;
            this.count = name.count();
            this.kind = kind;
            this.hasZonesBelow = revision.hasZonesBelow(name);
            Question apex = new Question(name, RecordType.of(Type.HINFO), DClass.IN);
            RecordSet soa = revision.rules()
                    .startOfAuthority(
                            name, revision.serial(), revision.settings().negativeTtlSeconds());
            Answer answer = Answer.builder(Rcode.NXDOMAIN)
                    .authoritative()
                    .authority(List.of(soa))
                    .build();
            ByteBuffer message = MessageWriter.write(
                    new Query(0, 0, Optional.of(apex), Optional.empty(), false),
                    answer,
                    MessageWriter.MOST_OCTETS,
                    RecordSet::records);
            this.stood = Header.LENGTH + name.wireLength() + 1 + 4;
            this.negative = new byte[message.remaining() - stood];
            message.get(message.position() + stood, negative);
            this.pointers = pointers(negative);
        }

        /** An owner that is a pointer, ten octets, and two names that may end in one. */
        private static int[] pointers(byte[] soa) {
            List<Integer> found = new ArrayList<>(List.of(0));
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

        int negativeLength() {
            return negative.length;
        }

        /**
         * Writes the SOA.
         *
         * @param at where it begins
         * @param apex where the zone's name begins in the question
         * @param serial its serial
         */
        void writeNegative(byte[] message, int at, int apex, int serial) {
            System.arraycopy(negative, 0, message, at, negative.length);
            INT.set(message, at + negative.length - SOA_NUMBERS, serial);
            for (int pointer : pointers) {
                int target = (negative[pointer] & 0x3F) << 8 | negative[pointer + 1] & 0xFF;
                int moved = target < stood ? target - Header.LENGTH + apex : target - stood + at;
                message[at + pointer] = (byte) (0xC0 | moved >>> 8);
                message[at + pointer + 1] = (byte) moved;
            }
        }

        /**
         * Returns whether a label just below the zone begins a name that the SOA holds, too, and would point at.
         *
         * @param octets holds the label
         * @param at where its length octet is
         */
        boolean isPartOfSoa(byte[] octets, int at) {
            int end = at + 1 + octets[at];
            return octets[at] == 3 && DNS.matches(octets, at, end)
                    || octets[at] == 10 && RecordRules.HOSTMASTER.matches(octets, at, end);
        }
    }
}
