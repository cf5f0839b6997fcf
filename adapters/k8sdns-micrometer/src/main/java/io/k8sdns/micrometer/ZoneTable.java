package io.k8sdns.micrometer;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.wire.ResponseObserver;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The observers of zones. Finds the longest zone that contains a name in place, without allocation. Immutable. */
final class ZoneTable {
    /** More than the length of any name in wire form, without the root label. */
    private static final int LENGTHS = 256;

    private final Entry[][] buckets;

    /** Whether a zone has this length in wire form; other parts of a name need no lookup. */
    private final boolean[] lengths = new boolean[LENGTHS];

    private record Entry(DnsLabels zone, ResponseObserver observer) {}

    ZoneTable(Map<DnsLabels, ? extends ResponseObserver> zones) {
        buckets = new Entry[Integer.highestOneBit(2 * zones.size() + 1)][0];
        zones.forEach((zone, observer) -> {
            int bucket = bucket(zone.hashCode());
            Entry[] longer = Arrays.copyOf(buckets[bucket], buckets[bucket].length + 1);
            longer[longer.length - 1] = new Entry(zone, observer);
            buckets[bucket] = longer;
            lengths[zone.wireLength()] = true;
        });
    }

    private int bucket(int hash) {
        return hash & buckets.length - 1;
    }

    /**
     * Returns the observer of the longest zone that contains a name; null if no zone contains it.
     *
     * @param bytes the array that holds the name in wire form
     * @param from the index of the first length byte
     * @param root the index of the root label
     */
    @Nullable
    ResponseObserver find(byte[] bytes, int from, int root) {
        for (int at = from; at <= root; at += 1 + bytes[at]) {
            ResponseObserver found = lengths[root - at] ? get(bytes, at, root) : null;
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private @Nullable ResponseObserver get(byte[] bytes, int from, int root) {
        for (Entry entry : buckets[bucket(DnsLabels.hash(bytes, from, root))]) {
            if (entry.zone.matches(bytes, from, root)) {
                return entry.observer;
            }
        }
        return null;
    }
}
