package io.k8sdns.search;

import io.k8sdns.search.ResolverSettings.Option;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Settings while a file is read. */
final class SettingsDraft {
    final List<String> nameservers = new ArrayList<>();
    final List<String> searches = new ArrayList<>();
    final Set<Option> options = EnumSet.noneOf(Option.class);
    int ndots = 1;
    long timeoutMillis = 5000;
    int attempts = 2;

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

    /** Replaces the search list. */
    void search(List<String> domains) {
        searches.clear();
        searches.addAll(domains);
    }

    /** Returns the settings; without a server in the file these are asked. */
    ResolverSettings settings(Dialect dialect, String... defaultServers) {
        if (searches.size() > ResolverSettings.MAX_SEARCHES) {
            throw new IllegalArgumentException("the search list has " + searches.size() + " domains, at most "
                    + ResolverSettings.MAX_SEARCHES + " are read");
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
