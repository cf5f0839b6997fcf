package io.k8sdns.emulators;

import io.k8sdns.hosts.NameText;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.ResolverSettings;
import io.k8sdns.search.ResolverSettings.Option;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The mutable settings of a file that is being read. */
final class SettingsDraft {
    final List<String> nameservers = new ArrayList<>();
    final List<String> searches = new ArrayList<>();
    final Set<Option> options = EnumSet.noneOf(Option.class);
    int ndots = 1;
    long timeoutMillis = 5000;
    int attempts = 2;

    /** The place at which the search list has more domains than are kept. */
    private Optional<String> overlong = Optional.empty();

    /** The lines that have been ignored so far, by their numbers. */
    private final NavigableMap<Integer, String> ignored = new TreeMap<>();

    /** The lines that make the search list. */
    private final List<Lines.Line> searchLines = new ArrayList<>();

    /** The current line; empty before the first and after the last one. */
    private Optional<Lines.Line> line = Optional.empty();

    private boolean used;

    /**
     * Returns the lines of the file. A line without a call of {@link #markUsed} before the next one is reported as
     * ignored.
     */
    Iterable<Lines.Line> lines(String file) {
        Iterator<Lines.Line> lines = new Lines(file).iterator();
        return () -> new Iterator<>() {
            @Override
            public boolean hasNext() {
                line.filter(one -> !used && !one.isBlankOrComment()).ifPresent(SettingsDraft.this::ignored);
                line = Optional.empty();
                return lines.hasNext();
            }

            @Override
            public Lines.Line next() {
                Lines.Line next = lines.next();
                line = Optional.of(next);
                used = false;
                return next;
            }
        };
    }

    private void ignored(Lines.Line one) {
        ignored.put(one.number(), one.text());
        if (ignored.size() > ResolverSettings.MAX_IGNORED) {
            ignored.pollLastEntry();
        }
    }

    /** Marks the current line as used by the resolver. */
    void markUsed() {
        used = true;
    }

    /** Adds a server, for a resolver without a limit. */
    void nameserver(String address) {
        nameserver(address, ResolverSettings.MAX_NAMESERVERS);
    }

    /** Adds a server unless the limit is reached. */
    void nameserver(String address, int max) {
        if (nameservers.size() < max) {
            nameservers.add(address);
            markUsed();
        }
    }

    /**
     * Replaces the search list.
     *
     * @param place the place of the domains, for the error message
     * @param domains the domains; read only up to the limit
     */
    void search(String place, Stream<String> domains) {
        searches.clear();
        searchLines.forEach(this::ignored);
        searchLines.clear();
        overlong = Optional.empty();
        alsoSearch(place, domains);
    }

    /** Adds domains to the search list. */
    void alsoSearch(String place, Stream<String> domains) {
        markUsed();
        line.ifPresent(searchLines::add);
        Iterator<String> each = domains.iterator();
        while (overlong.isEmpty() && each.hasNext()) {
            String domain = each.next();
            if (searches.size() == ResolverSettings.MAX_SEARCHES) {
                overlong = Optional.of(place);
            } else {
                searches.add(domain);
            }
        }
    }

    /**
     * Returns the settings, with these servers if the file has none.
     *
     * @throws IllegalArgumentException if the search list is longer than the simulated maximum; the message names the
     *     line
     */
    ResolverSettings settings(Dialect dialect, String... defaultServers) {
        if (overlong.isPresent()) {
            throw new IllegalArgumentException(overlong.get() + ": a search list of more than "
                    + ResolverSettings.MAX_SEARCHES + " domains; " + dialect.word()
                    + " tries all of them, but this simulation does not");
        }
        if (nameservers.isEmpty()) {
            nameservers.addAll(List.of(defaultServers));
        }
        return new ResolverSettings(
                dialect,
                nameservers,
                searches,
                ndots,
                Duration.ofMillis(Math.max(timeoutMillis, 0)),
                attempts,
                options,
                ignored.entrySet().stream()
                        .map(entry -> new ResolverSettings.IgnoredLine(entry.getKey(), NameText.text(entry.getValue())))
                        .toList());
    }
}
