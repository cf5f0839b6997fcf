package io.k8sdns.verify;

import io.k8sdns.arguments.Copies;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/** The expected outcome of a question. */
public sealed interface ExpectedOutcome {
    /**
     * NOERROR with these records of the question's name and type.
     *
     * @param data the compared part of each record, in the form of {@link Expectation}; at least one
     */
    record Records(Set<String> data) implements ExpectedOutcome {
        /** Copies and sorts the set. */
        public Records {
            data = Collections.unmodifiableSet(new TreeSet<>(Copies.set("data", data)));
            if (data.isEmpty()) {
                throw new IllegalArgumentException("data is empty; use NoData or NoSuchName");
            }
        }
    }

    /** NOERROR without a record in the answer section: the name exists without records of the type. */
    record NoData() implements ExpectedOutcome {}

    /** NXDOMAIN. */
    record NoSuchName() implements ExpectedOutcome {}
}
