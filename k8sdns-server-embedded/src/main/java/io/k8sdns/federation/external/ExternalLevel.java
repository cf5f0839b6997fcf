package io.k8sdns.federation.external;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** The part of a federation that a name covers. Ordered like the CNAMEs: from a zone to its region to the whole federation. */
public enum ExternalLevel {
    /** {@code SERVICE.NAMESPACE.FEDERATION.svc.ZONE.REGION.SUFFIX}: the shards in one topology zone. */
    ZONE,

    /** {@code SERVICE.NAMESPACE.FEDERATION.svc.REGION.SUFFIX}: the shards in one region. */
    REGION,

    /** {@code SERVICE.NAMESPACE.FEDERATION.svc.SUFFIX}: all shards. */
    GLOBAL;

    /**
     * Parses a list of levels, for example {@code global,region,zone}.
     *
     * @throws IllegalArgumentException if the list contains an unknown word; the message contains the word
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

    /** Returns the word in lower case, for example {@code region}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
