package io.k8sdns.rules;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;

/** The addresses of one family of a name as they are stored: one behind the other, in order. */
final class PackedAddresses {
    private PackedAddresses() {}

    /**
     * Returns the addresses after edits.
     *
     * @param packed holds the addresses
     * @param from where they begin
     * @param count how many there are
     * @param family their family
     * @param edits addresses of any family, each with whether it is wanted afterwards
     */
    static byte[] edited(byte[] packed, int from, int count, IpFamily family, NavigableMap<IpAddress, Boolean> edits) {
        int width = family.byteCount();
        int end = from + count * width;
        byte[] result = new byte[(count + edits.size()) * width];
        int length = 0;
        int at = from;
        for (Map.Entry<IpAddress, Boolean> edit : edits.entrySet()) {
            if (edit.getKey().family() == family) {
                byte[] address = edit.getKey().bytes();
                int next = find(packed, at, end, address);
                System.arraycopy(packed, at, result, length, next - at);
                length += next - at;
                at = next < end && compare(packed, next, address) == 0 ? next + width : next;
                if (edit.getValue()) {
                    System.arraycopy(address, 0, result, length, width);
                    length += width;
                }
            }
        }
        System.arraycopy(packed, at, result, length, end - at);
        return Arrays.copyOf(result, length + end - at);
    }

    /** Returns where the first address is that is not less than another one. */
    private static int find(byte[] packed, int from, int end, byte[] address) {
        int low = 0;
        int high = (end - from) / address.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (compare(packed, from + middle * address.length, address) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return from + low * address.length;
    }

    private static int compare(byte[] packed, int at, byte[] address) {
        return Arrays.compareUnsigned(packed, at, at + address.length, address, 0, address.length);
    }
}
