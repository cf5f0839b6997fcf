package io.k8sdns.search;

import io.k8sdns.arguments.Copies;
import io.k8sdns.hosts.NameText;
import io.k8sdns.model.Internal;
import io.k8sdns.resolvconf.ResolvConf;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What a resolver makes of a resolv.conf, and of the environment of its program. Each reads the file in its own way:
 * which lines count, which of two, which words are options, where numbers are capped.
 *
 * @param dialect whose reading it is
 * @param nameservers the servers that it asks, in order, as it understood them; without one in the file its default
 * @param searches the domains that it appends, in order, as the file has them; an octet beyond ASCII is a character of its own
 * @param ndots a name with so many dots is asked for as it is first
 * @param timeout how long it waits for an answer
 * @param attempts how often it goes through its servers
 * @param options the other options that it knows and the file sets
 * @param unreadLines the lines of the file, comments and empty ones apart, that this resolver does not go by: they mean
 *     nothing to it, or another line or the environment replaces them; in order, the first {@link #MAX_UNREAD} of them
 */
public record ResolverSettings(
        Dialect dialect,
        List<String> nameservers,
        List<String> searches,
        int ndots,
        Duration timeout,
        int attempts,
        Set<Option> options,
        List<UnreadLine> unreadLines) {
    /** The most domains of a search list that are followed; a resolver that goes along a longer one is not predicted. */
    public static final int MAX_SEARCHES = 100_000;

    /** The most servers that are read for a resolver that knows no limit; the others are left out. */
    public static final int MAX_NAMESERVERS = 1_000;

    /** So many unread lines are told. */
    public static final int MAX_UNREAD = 1_000;

    /**
     * A line of the file that the resolver does not go by.
     *
     * @param number which line, from 1 on
     * @param text the line, without its newline
     */
    public record UnreadLine(int number, String text) {
        /** Checks the text. */
        public UnreadLine {
            Objects.requireNonNull(text, "text");
        }
    }

    /** An option without a number. */
    public enum Option {
        /** Servers take turns. */
        ROTATE,
        /** A and AAAA are asked one after the other. */
        SINGLE_REQUEST,
        /** A and AAAA are asked one after the other, from two sockets. */
        SINGLE_REQUEST_REOPEN,
        /** AAAA is not asked for. */
        NO_AAAA,
        /** A name of one label is never asked for as it is. */
        NO_TLD_QUERY,
        /** TCP alone. */
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
        unreadLines = Copies.list("unreadLines", unreadLines);
    }

    /**
     * Reads a file as a resolver reads it. No text is an error to a resolver.
     *
     * @param dialect whose reading
     * @param resolvConf the text of the file
     * @param environment the environment of the program; LOCALDOMAIN and RES_OPTIONS count, where they do
     * @throws IllegalArgumentException if the resolver goes along more than {@link #MAX_SEARCHES} domains; the message names
     *     the line
     */
    public static ResolverSettings read(Dialect dialect, String resolvConf, Map<String, String> environment) {
        Objects.requireNonNull(dialect, "dialect");
        Objects.requireNonNull(resolvConf, "resolvConf");
        Objects.requireNonNull(environment, "environment");
        Map<String, String> octets = new HashMap<>();
        environment.forEach((name, value) -> octets.put(name, NameText.octets(value)));
        return dialect.rules().read(dialect, NameText.octets(resolvConf), octets);
    }

    /** Returns whether servers take turns, so that nothing tells which one is asked first. */
    boolean takesTurns() {
        return options.contains(Option.ROTATE) && nameservers.size() > 1;
    }

    /**
     * Returns these settings with another {@code ndots}.
     *
     * @param number 0 or more
     */
    public ResolverSettings withNdots(int number) {
        return new ResolverSettings(dialect, nameservers, searches, number, timeout, attempts, options, unreadLines);
    }

    /** Reads what a resolver makes of a file, without any environment. */
    public static ResolverSettings read(Dialect dialect, ResolvConf resolvConf) {
        return read(dialect, Objects.requireNonNull(resolvConf, "resolvConf").render(), Map.of());
    }
}
