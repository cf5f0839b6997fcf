package io.k8sdns.federation.external;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** How much of a federation a name covers. The order is that of the CNAMEs: from a zone to its region to everything. */
public enum ExternalLevel {
    /** {@code SERVICE.NAMESPACE.FEDERATION.svc.ZONE.REGION.SUFFIX}: the shards in one topology zone. */
    ZONE,

    /** {@code SERVICE.NAMESPACE.FEDERATION.svc.REGION.SUFFIX}: the shards in one region. */
    REGION,

    /** {@code SERVICE.NAMESPACE.FEDERATION.svc.SUFFIX}: all shards. */
    GLOBAL;

    /**
     * Reads a list of levels, for example {@code global,region,zone}.
     *
     * @throws IllegalArgumentException if it is empty or has another word; the message names it
     */
    public static Set<ExternalLevel> parse(String text) {
        Set<ExternalLevel> levels = EnumSet.noneOf(ExternalLevel.class);
        for (String word : Objects.requireNonNull(text, "text").split(",", -1)) {
            levels.add(Arrays.stream(values())
                    .filter(level -> level.toString().equals(word.strip()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("not a level: \"" + word.strip() + "\"; known are "
                            + Arrays.stream(values())
                                    .map(ExternalLevel::toString)
                                    .collect(Collectors.joining(", ")))));
        }
        return levels;
    }

    /** Returns the word for a person, for example {@code region}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
