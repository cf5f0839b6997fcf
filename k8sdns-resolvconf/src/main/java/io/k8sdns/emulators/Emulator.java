package io.k8sdns.emulators;

import io.k8sdns.model.IpAddress;
import io.k8sdns.search.Candidate;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.LookupRequest;
import io.k8sdns.search.QueryOrder;
import io.k8sdns.search.ResolverSettings;
import java.util.List;
import java.util.Map;

/** Emulates one resolver: how it reads its file, which names it tries, and which queries it sends. */
public interface Emulator {
    /** Returns the emulator of a dialect. */
    static Emulator of(Dialect dialect) {
        return Emulators.of(dialect);
    }

    /**
     * Reads a file.
     *
     * @param dialect the dialect of the settings
     * @param file the text; each character is one byte
     * @param environment the environment; its values have the same form
     */
    ResolverSettings read(Dialect dialect, String file, Map<String, String> environment);

    /** Returns the names that are tried if every answer is NXDOMAIN, in order. */
    List<Candidate> candidates(ResolverSettings settings, LookupRequest request);

    /** Returns how far the order of the queries is fixed. */
    QueryOrder queryOrder(ResolverSettings settings);

    /** Simulates the lookup; it sends every query through the log. */
    Ending run(ResolverSettings settings, LookupRequest request, QueryLog log);

    /**
     * The end of a lookup.
     *
     * @param outcome the result
     * @param addresses the addresses, if they were found
     */
    record Ending(LookupOutcome outcome, List<IpAddress> addresses) {
        /** Returns the end of a lookup without addresses. */
        public static Ending without(LookupOutcome outcome) {
            return new Ending(outcome, List.of());
        }

        /** Returns the end of a lookup with these addresses, without repetition. */
        public static Ending with(List<IpAddress> addresses) {
            return new Ending(LookupOutcome.OK, addresses.stream().distinct().toList());
        }
    }
}
