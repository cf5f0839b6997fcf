package io.k8sdns.resolver;

import io.k8sdns.model.Copies;
import io.k8sdns.records.RecordSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.xbill.DNS.Rcode;

/**
 * What a resolver says to a question: a message without bytes.
 *
 * @param rcode the RCODE number, 0 to 4095; one above 15 needs a query with EDNS and is SERVFAIL without
 * @param authoritative whether AA is set
 * @param recursionAvailable whether RA is set
 * @param answer the answer section
 * @param authority the authority section
 * @param additional the additional section, without OPT; may be cut without notice
 * @param error an extended error
 */
public record Answer(
        int rcode,
        boolean authoritative,
        boolean recursionAvailable,
        List<RecordSet> answer,
        List<RecordSet> authority,
        List<RecordSet> additional,
        Optional<ExtendedError> error) {
    /** What a resolver has said that failed instead of answering: SERVFAIL. */
    public static final Answer FAILED =
            failure(Rcode.SERVFAIL, Optional.of(new ExtendedError(ExtendedError.OTHER, "the resolver failed")));

    /** The highest RCODE that OPT carries: 12 bits (RFC 6891, 6.1.3). */
    private static final int MAX_RCODE = 0xFFF;

    /**
     * Checks the RCODE and copies the lists.
     *
     * @throws IllegalArgumentException if the RCODE is below 0 or above 4095
     */
    public Answer {
        if (rcode < 0 || rcode > MAX_RCODE) {
            throw new IllegalArgumentException("not an RCODE (0 to 4095): " + rcode);
        }
        answer = Copies.list("answer", answer);
        authority = Copies.list("authority", authority);
        additional = Copies.list("additional", additional);
        Objects.requireNonNull(error, "error");
    }

    /** Returns an authoritative answer with these sections. */
    public static Answer authoritative(
            int rcode, List<RecordSet> answer, List<RecordSet> authority, List<RecordSet> additional) {
        return new Answer(rcode, true, false, answer, authority, additional, Optional.empty());
    }

    /** Returns an answer without records. */
    public static Answer failure(int rcode, Optional<ExtendedError> error) {
        return new Answer(rcode, false, false, List.of(), List.of(), List.of(), error);
    }

    /** Returns the same answer with RA set or cleared. */
    public Answer withRecursionAvailable(boolean available) {
        return available == recursionAvailable
                ? this
                : new Answer(rcode, authoritative, available, answer, authority, additional, error);
    }
}
