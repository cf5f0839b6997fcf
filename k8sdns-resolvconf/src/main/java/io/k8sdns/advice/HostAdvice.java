package io.k8sdns.advice;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.search.Dialect;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The query cost of a host string, the host name as the application writes it, and cheaper spellings.
 *
 * @param host the host string as it was given
 * @param assumed the name that was assumed to exist because no answers were given, absolute and in presentation form;
 *     empty if answers were given
 * @param traces the simulated lookups by dialect, in the order of the advisor's dialects; the number of queries is the
 *     cost
 * @param suggestions cheaper alternatives, the best first. Each costs less in at least one dialect and is found in
 *     every dialect that finds the host string. Empty if there is no better alternative
 * @param caveats other remarks, one sentence each; for example that the dialects have different results
 */
public record HostAdvice(
        String host,
        Optional<String> assumed,
        Map<Dialect, QueryTrace> traces,
        List<Suggestion> suggestions,
        List<String> caveats) {
    /** Copies the lists and the map. */
    @Internal
    public HostAdvice {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(assumed, "assumed");
        traces = Copies.map("traces", traces);
        suggestions = Copies.list("suggestions", suggestions);
        caveats = Copies.list("caveats", caveats);
    }

    /**
     * A cheaper alternative to the host string.
     *
     * @param kind the kind of change
     * @param text the new text: the host string, or the option of resolv.conf such as {@code ndots:1}
     * @param traces the simulated lookups with this change, by dialect
     * @param caveats the risks of the change, one sentence each
     */
    public record Suggestion(Kind kind, String text, Map<Dialect, QueryTrace> traces, List<String> caveats) {
        /** Copies the list and the map. */
        @Internal
        public Suggestion {
            Objects.requireNonNull(kind, "kind");
            Objects.requireNonNull(text, "text");
            traces = Copies.map("traces", traces);
            caveats = Copies.list("caveats", caveats);
        }
    }

    /** The kind of change that a suggestion makes. */
    public enum Kind {
        /** The name is written in full, with the cluster domain. */
        FULL_NAME,
        /** A dot ends the name. */
        TRAILING_DOT,
        /** The Pod has another {@code ndots}. */
        NDOTS
    }
}
