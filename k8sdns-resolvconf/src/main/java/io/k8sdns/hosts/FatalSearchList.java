package io.k8sdns.hosts;

import io.k8sdns.model.Internal;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Recognizes the search lists with which glibc ends every program that looks up a name:
 * {@code Assertion 'resolv_conf_matches (resp, conf)' failed}.
 *
 * <p>glibc 2.26 and later copies the first six domains into a buffer of 256 bytes. If a domain does not fit, it
 * compares the length of the domains before it with the size of an array of seven pointers, 56 bytes; if they are
 * shorter, the assertion fails. The kubelet accepts such lists, for example the three domains of a short namespace and
 * one of 202 characters. Observed with 2.36 on a 64-bit machine.
 */
@Internal
public final class FatalSearchList {
    private static final int MAX_DOMAINS = 6;
    private static final int BUFFER_BYTES = 256;
    private static final int POINTERS_BYTES = 7 * 8;

    private FatalSearchList() {}

    /**
     * Returns whether a search list makes the assertion fail.
     *
     * @param lengths the length of each domain in bytes, in order
     */
    public static boolean is(IntStream lengths) {
        Objects.requireNonNull(lengths, "lengths");
        int copied = 0;
        for (int length : lengths.limit(MAX_DOMAINS).toArray()) {
            // A NUL byte ends each domain.
            if (length >= BUFFER_BYTES - copied) {
                return copied <= POINTERS_BYTES;
            }
            copied += length + 1;
        }
        return false;
    }
}
