package io.k8sdns.verify;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.xbill.DNS.Rcode;

/**
 * The difference between an answer and its expectation.
 *
 * @param expectation the question and its expected outcome
 * @param rcode the RCODE of the answer; empty if there is none, or none that can be read
 * @param data the compared part of the records of the question's name and type, in the form of {@link Expectation}
 * @param others the other records of the answer section, each with its type, for example {@code CNAME b.example.}
 * @param faults what else is wrong, for example {@code truncated (TC is set)}
 */
public record AnswerDifference(
        Expectation expectation, OptionalInt rcode, Set<String> data, List<String> others, List<String> faults) {
    /** The number of records, or of objects, that a message lists; it counts the others. */
    private static final int MAX_LISTED = 5;

    /** Copies the collections and sorts the data. */
    @Internal
    public AnswerDifference {
        Objects.requireNonNull(expectation, "expectation");
        Objects.requireNonNull(rcode, "rcode");
        data = Collections.unmodifiableSet(new TreeSet<>(Copies.set("data", data)));
        others = Copies.list("others", others);
        faults = Copies.list("faults", faults);
    }

    /**
     * Returns the difference of a question without an answer.
     *
     * @param problem the problem, for example {@code no answer: timed out}
     */
    public static AnswerDifference ofNoAnswer(Expectation expectation, String problem) {
        return new AnswerDifference(
                expectation,
                OptionalInt.empty(),
                Set.of(),
                List.of(),
                List.of(Objects.requireNonNull(problem, "problem")));
    }

    /** Returns the expected data that the answer does not have, sorted. */
    public Set<String> missing() {
        Set<String> missing = new TreeSet<>(expected());
        missing.removeAll(data);
        return missing;
    }

    /** Returns the data of the answer that is not expected, sorted. */
    @Internal
    public Set<String> unexpected() {
        Set<String> unexpected = new TreeSet<>(data);
        unexpected.removeAll(expected());
        return unexpected;
    }

    private Set<String> expected() {
        return expectation.outcome() instanceof ExpectedOutcome.Records records ? records.data() : Set.of();
    }

    /** Returns whether the answer has this RCODE and no other difference than that. */
    @Internal
    public boolean isOnly(int code) {
        return has(code) && data.isEmpty() && others.isEmpty() && faults.isEmpty();
    }

    /** Returns whether the answer has this RCODE. */
    @Internal
    public boolean has(int code) {
        return rcode.isPresent() && rcode.getAsInt() == code;
    }

    /** Returns whether the RCODE and the records are as expected. */
    boolean matches() {
        if (expectation.outcome() instanceof ExpectedOutcome.Records records) {
            return has(Rcode.NOERROR) && data.equals(records.data());
        }
        if (expectation.outcome() instanceof ExpectedOutcome.NoData) {
            return has(Rcode.NOERROR) && data.isEmpty() && others.isEmpty();
        }
        if (expectation.outcome() instanceof ExpectedOutcome.NoSuchName) {
            return has(Rcode.NXDOMAIN);
        }
        throw new AssertionError(expectation.outcome());
    }

    /**
     * Returns the difference in words, for example {@code missing 10.96.0.11; not expected 10.96.0.10}.
     *
     * @param expected changes the expected parts: the data of each record, or {@code NXDOMAIN} or {@code no record (NODATA)}
     */
    @Internal
    public String text(UnaryOperator<String> expected) {
        Stream<String> answer = rcode.isEmpty() || matches() ? Stream.empty() : Stream.of(answer(expected));
        return Stream.concat(answer, faults.stream()).collect(Collectors.joining("; "));
    }

    private String answer(UnaryOperator<String> expected) {
        if (expectation.outcome() instanceof ExpectedOutcome.Records && has(Rcode.NOERROR) && !data.isEmpty()) {
            Set<String> missing = missing();
            Set<String> unexpected = unexpected();
            return (missing.isEmpty() ? "" : "missing " + list(missing, expected))
                    + (missing.isEmpty() || unexpected.isEmpty() ? "" : "; ")
                    + (unexpected.isEmpty() ? "" : "not expected " + list(unexpected, UnaryOperator.identity()));
        }
        List<String> all = new ArrayList<>(data);
        all.addAll(others);
        String got = list(all, UnaryOperator.identity());
        String status = has(Rcode.NOERROR)
                ? all.isEmpty() ? "no record" : got
                : Rcode.string(rcode.getAsInt()) + (all.isEmpty() ? "" : " with " + got);
        return "expected " + outcome(expected) + ", got " + status;
    }

    private String outcome(UnaryOperator<String> expected) {
        if (expectation.outcome() instanceof ExpectedOutcome.Records records) {
            return list(records.data(), expected);
        }
        return expected.apply(
                expectation.outcome() instanceof ExpectedOutcome.NoData ? "no record (NODATA)" : "NXDOMAIN");
    }

    /** Returns the first texts of a list, each changed, and the number of the others. */
    static String list(Collection<String> data, UnaryOperator<String> each) {
        boolean areAllListed = data.size() <= MAX_LISTED + 1;
        return data.stream()
                        .limit(areAllListed ? data.size() : MAX_LISTED)
                        .map(each)
                        .collect(Collectors.joining(", "))
                + (areAllListed ? "" : " and " + (data.size() - MAX_LISTED) + " more");
    }

    /** Returns the difference in words, for example {@code missing 10.96.0.11; not expected 10.96.0.10}. */
    @Override
    public String toString() {
        return text(UnaryOperator.identity());
    }
}
