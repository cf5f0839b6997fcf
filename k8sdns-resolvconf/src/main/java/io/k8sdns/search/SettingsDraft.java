package io.k8sdns.search;

import io.k8sdns.search.ResolverSettings.Option;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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

    /** Adds a server, for a resolver that knows no limit. */
    void nameserver(String address) {
        nameserver(address, ResolverSettings.MAX_NAMESERVERS);
    }

    /** Adds a server, unless there are so many already. */
    void nameserver(String address, int most) {
        if (nameservers.size() < most) {
            nameservers.add(address);
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
        overlong = Optional.empty();
        alsoSearch(place, domains);
    }

    /** Adds to the search list. */
    void alsoSearch(String place, Stream<String> domains) {
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
                options);
    }
}
