package io.k8sdns.hosts;

import io.k8sdns.model.Internal;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * The search lists that end every program on glibc which looks up a name: {@code Assertion 'resolv_conf_matches (resp,
 * conf)' failed}.
 *
 * <p>glibc 2.26 and later copy the first six domains into a buffer of 256 octets, and where one does not fit compare the
 * length of those before it with the size of an array of seven pointers, 56 octets: a shorter beginning, followed by a domain
 * that is too long, is taken for a list that was tampered with. What the kubelet lets through can be one, such as the three
 * domains of a short namespace and one of 202 characters. Seen with 2.36 on a machine of 64 bits.
 */
@Internal
public final class FatalSearchList {
    private static final int MOST_DOMAINS = 6;
    private static final int BUFFER_OCTETS = 256;
    private static final int POINTERS_OCTETS = 7 * 8;

    private FatalSearchList() {}

    /**
     * Returns whether a list is such a one.
     *
     * @param octets the length of each domain in octets, in order
     */
    public static boolean is(IntStream octets) {
        Objects.requireNonNull(octets, "octets");
        int copied = 0;
        for (int length : octets.limit(MOST_DOMAINS).toArray()) {
            // Each has an octet at its end that is 0.
            if (length >= BUFFER_OCTETS - copied) {
                return copied <= POINTERS_OCTETS;
            }
            copied += length + 1;
        }
        return false;
    }
}
