package io.k8sdns.search;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The settings that a resolver reads from a resolv.conf and from the environment of its program. Each resolver reads
 * the file in its own way: it ignores other lines, knows other options and has other limits.
 *
 * @param dialect the dialect that read the file
 * @param nameservers the servers that it queries, in order, as it read them; the resolver's default if the file has
 *     none
 * @param searches the domains that it appends, in order, as written in the file; each byte beyond ASCII is one
 *     character
 * @param ndots the number of dots from which on the unchanged name is tried first
 * @param timeout the time that it waits for an answer
 * @param attempts the number of rounds through its servers
 * @param options the other options that the file sets and the resolver knows
 * @param ignoredLines the lines that this resolver ignores, comments and empty lines apart: it does not know them, or
 *     another line or the environment overrides them; in order, at most {@link #MAX_IGNORED}
 */
public record ResolverSettings(
        Dialect dialect,
        List<String> nameservers,
        List<String> searches,
        int ndots,
        Duration timeout,
        int attempts,
        Set<Option> options,
        List<IgnoredLine> ignoredLines) {
    /** The maximum number of domains of a simulated search list. */
    public static final int MAX_SEARCHES = 100_000;

    /** The maximum number of servers that are read for a resolver without a limit; others are omitted. */
    public static final int MAX_NAMESERVERS = 1_000;

    /** The maximum number of ignored lines that are reported. */
    public static final int MAX_IGNORED = 1_000;

    /**
     * A line of the file that the resolver ignores.
     *
     * @param number the number of the line, from 1 on
     * @param text the line, without its newline
     */
    public record IgnoredLine(int number, String text) {
        /** Checks the text. */
        public IgnoredLine {
            Objects.requireNonNull(text, "text");
        }
    }

    /** An option without a number. */
    public enum Option {
        /** The resolver begins each lookup with the next server. */
        ROTATE,
        /** The queries for A and AAAA are sent one after the other. */
        SINGLE_REQUEST,
        /** The queries for A and AAAA are sent one after the other, from two sockets. */
        SINGLE_REQUEST_REOPEN,
        /** No query for AAAA is sent. */
        NO_AAAA,
        /** An unchanged name of one label is never tried. */
        NO_TLD_QUERY,
        /** Queries are sent over TCP only. */
        USE_VC
    }

    /** Copies the lists. */
    @Internal
    public ResolverSettings {
        Objects.requireNonNull(dialect, "dialect");
        Objects.requireNonNull(timeout, "timeout");
        nameservers = Copies.list("nameservers", nameservers);
        searches = Copies.list("searches", searches);
        options = Copies.set("options", options);
        ignoredLines = Copies.list("ignoredLines", ignoredLines);
    }

    /**
     * Returns these settings with another {@code ndots}.
     *
     * @param number 0 or more
     */
    public ResolverSettings withNdots(int number) {
        return new ResolverSettings(dialect, nameservers, searches, number, timeout, attempts, options, ignoredLines);
    }
}
