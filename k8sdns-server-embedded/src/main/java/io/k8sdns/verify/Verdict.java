package io.k8sdns.verify;

import io.k8sdns.arguments.Copies;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/** What a question should come to. */
public sealed interface Verdict {
    /**
     * NOERROR with these records of the type asked for at the name asked for.
     *
     * @param data what of each record is compared, in the form of {@link Expectation}; at least one
     */
    record Records(Set<String> data) implements Verdict {
        /** Copies the set, in order. */
        public Records {
            data = Collections.unmodifiableSet(new TreeSet<>(Copies.set("data", data)));
            if (data.isEmpty()) {
                throw new IllegalArgumentException("no record is NoData or NoSuchName");
            }
        }
    }

    /** NOERROR without any record in the answer: the name exists, the type does not. */
    record NoData() implements Verdict {}

    /** NXDOMAIN. */
    record NoSuchName() implements Verdict {}
}
