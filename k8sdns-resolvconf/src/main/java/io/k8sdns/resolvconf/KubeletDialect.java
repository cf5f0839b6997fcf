package io.k8sdns.resolvconf;

import io.k8sdns.model.Internal;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * What versions of Kubernetes do differently, each difference by its name.
 *
 * @param limits how much of a search list is taken
 * @param trailingDots what becomes of dots at the end of the host's search domains
 * @param optionsAccumulate whether several {@code options} lines of the host's file add up, or the last one counts
 *     (kubernetes#112414)
 * @param relaxedSearches whether {@code dnsConfig.searches} may hold underscores and a single dot (KEP-4427)
 * @param hostnameOverride whether {@code spec.hostnameOverride} is known (KEP-4762)
 */
public record KubeletDialect(
        SearchLimits limits,
        TrailingDots trailingDots,
        boolean optionsAccumulate,
        boolean relaxedSearches,
        boolean hostnameOverride) {
    /** What Kubernetes does today: 1.35 and later. */
    public static final KubeletDialect LATEST =
            new KubeletDialect(SearchLimits.EXPANDED, TrailingDots.ROOT_DROPPED, true, true, true);

    /** What becomes of dots at the end of the host's search domains. */
    public enum TrailingDots {
        /** Up to 1.16: the domains are taken as they are. */
        AS_WRITTEN,
        /** 1.17 to 1.24: one dot is taken off every domain, so that a single dot becomes an empty word (kubernetes#83069). */
        ROOT_EMPTIED,
        /** 1.25.0: a single dot stays, one dot is taken off the others (kubernetes#109441). */
        ROOT_KEPT,
        /** Since 1.25.1: a single dot is left out, one dot is taken off the others (kubernetes#112157). */
        ROOT_DROPPED
    }

    /**
     * How much of a search list Kubernetes takes, in a Pod and in the result.
     *
     * <p>Source: KEP-2595, feature gate {@code ExpandedDNSConfig}: on unless switched off since Kubernetes 1.26.
     */
    public enum SearchLimits {
        /** 6 domains and 256 characters, blanks included: what glibc before 2.26 could read. */
        LEGACY("legacy", 6, 256),
        /** 32 domains and 2048 characters, blanks included. */
        EXPANDED("expanded", 32, 2048);

        /** The longest search domain, in characters: glibc 2.28 aborts on longer ones. The same for both limits. */
        public static final int DOMAIN_LENGTH = 253;

        private final String word;
        private final int domains;
        private final int characters;

        SearchLimits(String word, int domains, int characters) {
            this.word = word;
            this.domains = domains;
            this.characters = characters;
        }

        /** Returns the name of the limits in commands and data files: {@code legacy} or {@code expanded}. */
        public String word() {
            return word;
        }

        /** Returns how many domains there may be. */
        public int domains() {
            return domains;
        }

        /** Returns how long the domains may be, joined by one blank each: octets of UTF-8. */
        public int characters() {
            return characters;
        }

        /** Returns the limits with this word; empty if there are none. */
        public static Optional<SearchLimits> tryParse(String word) {
            Objects.requireNonNull(word, "word");
            return Arrays.stream(values())
                    .filter(limits -> limits.word.equals(word))
                    .findFirst();
        }
    }

    /** Checks that nothing is null. */
    @Internal
    public KubeletDialect {
        Objects.requireNonNull(limits, "limits");
        Objects.requireNonNull(trailingDots, "trailingDots");
    }

    /**
     * Returns what this version of Kubernetes does, all feature gates as they come.
     *
     * @param version any version. Known are the differences since 1.22 and, of the dots, all; a version before 1.22 is
     *     otherwise taken for 1.22
     */
    public static KubeletDialect of(KubeletVersion version) {
        Objects.requireNonNull(version, "version");
        return new KubeletDialect(
                since(version, "1.26.0") ? SearchLimits.EXPANDED : SearchLimits.LEGACY,
                trailingDots(version),
                since(version, "1.26.0"),
                since(version, "1.33.0"),
                since(version, "1.35.0"));
    }

    /**
     * Returns the same dialect with other search limits, as if the gate {@code ExpandedDNSConfig} had been set.
     *
     * <p>{@link SearchLimits#LEGACY} also removes {@link #relaxedSearches}: the gate could be off up to Kubernetes 1.27, and
     * API servers that old refuse underscores and a single dot.
     */
    public KubeletDialect withLimits(SearchLimits value) {
        Objects.requireNonNull(value, "value");
        boolean relaxed = relaxedSearches && value != SearchLimits.LEGACY;
        return new KubeletDialect(value, trailingDots, optionsAccumulate, relaxed, hostnameOverride);
    }

    private static TrailingDots trailingDots(KubeletVersion version) {
        if (since(version, "1.25.1")) {
            return TrailingDots.ROOT_DROPPED;
        }
        if (since(version, "1.25.0")) {
            return TrailingDots.ROOT_KEPT;
        }
        return since(version, "1.17.0") ? TrailingDots.ROOT_EMPTIED : TrailingDots.AS_WRITTEN;
    }

    private static boolean since(KubeletVersion version, String first) {
        return version.compareTo(KubeletVersion.parse(first)) >= 0;
    }
}
