package io.k8sdns.advice;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.QueryTrace;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a host string of an application costs, and what to write instead.
 *
 * @param host the host string as it was given
 * @param assumed the name at which the host string was taken to exist for want of answers, absolute and in presentation form;
 *     empty if there were answers
 * @param traces what the lookup does, by dialect, in the order of the dialects that were asked for; the number of its queries
 *     is the cost
 * @param suggestions what to write instead, the best first; each costs less in some dialect and is found wherever the host
 *     string is. None if nothing is better
 * @param caveats what to know about it besides, one sentence each; for example that the dialects come to different ends
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
     * Something to write instead.
     *
     * @param kind what is changed
     * @param text what to write: the host string, or the option of resolv.conf such as {@code ndots:1}
     * @param traces what the lookup does then, by dialect
     * @param caveats what may go wrong with it, one sentence each
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

    /** What a suggestion changes. */
    public enum Kind {
        /** The name is written out, up to the cluster domain. */
        FULL_NAME,
        /** A dot ends the name. */
        TRAILING_DOT,
        /** The Pod has another {@code ndots}. */
        NDOTS
    }
}
