package io.k8sdns.search;

import io.k8sdns.hosts.NameText;
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

/** Settings while a file is read. */
final class SettingsDraft {
    final List<String> nameservers = new ArrayList<>();
    final List<String> searches = new ArrayList<>();
    final Set<Option> options = EnumSet.noneOf(Option.class);
    int ndots = 1;
    long timeoutMillis = 5000;
    int attempts = 2;

    /** Where the search list has more domains than are kept. */
    private Optional<String> overlong = Optional.empty();

    /** The lines that count for nothing so far, by their numbers. */
    private final NavigableMap<Integer, String> unread = new TreeMap<>();

    /** The lines of which the search list is made. */
    private final List<Lines.Line> searchLines = new ArrayList<>();

    /** The line that is read now; none before the first, and after the last one. */
    private Optional<Lines.Line> line = Optional.empty();

    private boolean counts;

    /** Returns the lines of the file; one that is passed without a call of {@link #counts} is told as unread. */
    Iterable<Lines.Line> lines(String file) {
        Iterator<Lines.Line> lines = new Lines(file).iterator();
        return () -> new Iterator<>() {
            @Override
            public boolean hasNext() {
                line.filter(one -> !counts && !one.isBlankOrComment()).ifPresent(SettingsDraft.this::unread);
                line = Optional.empty();
                return lines.hasNext();
            }

            @Override
            public Lines.Line next() {
                Lines.Line next = lines.next();
                line = Optional.of(next);
                counts = false;
                return next;
            }
        };
    }

    private void unread(Lines.Line one) {
        unread.put(one.number(), one.text());
        if (unread.size() > ResolverSettings.MAX_UNREAD) {
            unread.pollLastEntry();
        }
    }

    /** The line that is read now is one that the resolver goes by. */
    void counts() {
        counts = true;
    }

    /** Adds a server, for a resolver that knows no limit. */
    void nameserver(String address) {
        nameserver(address, ResolverSettings.MAX_NAMESERVERS);
    }

    /** Adds a server, unless there are so many already. */
    void nameserver(String address, int most) {
        if (nameservers.size() < most) {
            nameservers.add(address);
            counts();
        }
    }

    /**
     * Replaces the search list.
     *
     * @param place where the domains stand, for the error
     * @param domains the domains, read as far as they are kept
     */
    void search(String place, Stream<String> domains) {
        searches.clear();
        searchLines.forEach(this::unread);
        searchLines.clear();
        overlong = Optional.empty();
        alsoSearch(place, domains);
    }

    /** Adds to the search list. */
    void alsoSearch(String place, Stream<String> domains) {
        counts();
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
     * Returns the settings; without a server in the file these are asked.
     *
     * @throws IllegalArgumentException if the search list is longer than is followed; the message names the line
     */
    ResolverSettings settings(Dialect dialect, String... defaultServers) {
        if (overlong.isPresent()) {
            throw new IllegalArgumentException(overlong.get() + ": a search list of more than "
                    + ResolverSettings.MAX_SEARCHES + " domains; " + dialect.word()
                    + " takes them all, but so many are not followed here");
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
                unread.entrySet().stream()
                        .map(entry -> new ResolverSettings.UnreadLine(entry.getKey(), NameText.text(entry.getValue())))
                        .toList());
    }
}
