package io.k8sdns.zone;

import io.k8sdns.model.Endpoint;
import io.k8sdns.model.IpAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints that differ between two versions of a slice: one range of each. All endpoints outside the ranges are equal, and so are
 * their facts.
 *
 * <pre>
 *   | head | equal endpoints | difference | equal endpoints |
 * </pre>
 *
 * @param before the endpoints of the earlier version
 * @param after the endpoints of the later version
 */
record SliceDifference(List<Endpoint> before, List<Endpoint> after) {
    /**
     * Compares two versions of a slice.
     *
     * @return null if the facts of other endpoints may have changed, too: if the heads differ, or if an address in the difference is also
     *     that of another endpoint
     */
    static @Nullable SliceDifference between(SliceEndpoints earlier, SliceEndpoints later) {
        if (!later.hasSameHead(earlier)) {
            return null;
        }
        int from = firstDifference(earlier, later);
        int earlierFrom = from - later.start() + earlier.start();
        int equalEnd = equalEnd(earlier, earlierFrom, later, from);
        int to = later.end() - equalEnd;
        SliceDifference difference =
                new SliceDifference(earlier.between(earlierFrom, earlier.end() - equalEnd), later.between(from, to));
        // The endpoints outside the difference are the same in both versions.
        return haveAddressOutside(difference.before, later, from, to)
                        || haveAddressOutside(difference.after, later, from, to)
                ? null
                : difference;
    }

    /** Returns the offset, in the later version, of the first endpoint that differs; the length if none differs. */
    private static int firstDifference(SliceEndpoints earlier, SliceEndpoints later) {
        int mismatch = later.mismatch(earlier);
        int from = later.start();
        SliceEndpoints.Cursor cursor = later.cursor();
        while (cursor.next() && cursor.to() <= mismatch) {
            from = cursor.to();
        }
        return from;
    }

    /** Returns the length in bytes of the equal endpoints at the end; compares only from the two given offsets on. */
    private static int equalEnd(SliceEndpoints earlier, int earlierFrom, SliceEndpoints later, int from) {
        SliceEndpoints.Cursor before = earlier.cursorAt(earlierFrom);
        SliceEndpoints.Cursor after = later.cursorAt(from);
        int common = later.commonEnd(earlier, Math.min(before.left(), after.left()));
        // The common bytes may begin within an endpoint.
        while (before.left() != after.left() || before.left() > common) {
            (before.left() < after.left() ? after : before).next();
        }
        return before.left();
    }

    /** Returns whether one of the endpoints has an address of an endpoint that is not between two offsets. */
    private static boolean haveAddressOutside(List<Endpoint> endpoints, SliceEndpoints slice, int from, int to) {
        for (Endpoint endpoint : endpoints) {
            for (IpAddress address : endpoint.addresses()) {
                byte[] bytes = address.bytes();
                SliceEndpoints.Cursor cursor = slice.cursor();
                while (cursor.next()) {
                    if ((cursor.from() < from || cursor.from() >= to) && cursor.hasAddress(bytes)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
