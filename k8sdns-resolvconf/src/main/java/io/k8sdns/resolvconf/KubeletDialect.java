package io.k8sdns.resolvconf;

import io.k8sdns.model.Internal;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * The differences between versions of Kubernetes that affect resolv.conf.
 *
 * @param limits the limits of the search list
 * @param trailingDots how trailing dots of the host's search domains are treated
 * @param optionsAccumulate whether several {@code options} lines of the host's file add up; otherwise only the last one
 *     is used (kubernetes#112414)
 * @param relaxedSearches whether {@code dnsConfig.searches} may contain underscores and a single dot (KEP-4427)
 * @param hostnameOverride whether {@code spec.hostnameOverride} is supported (KEP-4762)
 */
public record KubeletDialect(
        SearchLimits limits,
        TrailingDots trailingDots,
        boolean optionsAccumulate,
        boolean relaxedSearches,
        boolean hostnameOverride) {
    /** The latest dialect: Kubernetes 1.35 and later. */
    public static final KubeletDialect LATEST =
            new KubeletDialect(SearchLimits.EXPANDED, TrailingDots.ROOT_DROPPED, true, true, true);

    /** The treatment of trailing dots in the host's search domains. */
    public enum TrailingDots {
        /** Up to 1.16: the domains are unchanged. */
        AS_WRITTEN,
        /**
         * 1.17 to 1.24: one trailing dot is removed from every domain, so that a single dot becomes an empty word
         * (kubernetes#83069).
         */
        ROOT_EMPTIED,
        /** 1.25.0: a single dot is kept, one trailing dot is removed from the others (kubernetes#109441). */
        ROOT_KEPT,
        /** Since 1.25.1: a single dot is omitted, one trailing dot is removed from the others (kubernetes#112157). */
        ROOT_DROPPED
    }

    /**
     * The limits of a search list, in a Pod and in the result.
     *
     * <p>Source: KEP-2595, feature gate {@code ExpandedDNSConfig}: enabled by default since Kubernetes 1.26.
     */
    public enum SearchLimits {
        /** 6 domains and 256 characters, blanks included: the limits of glibc before 2.26. */
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

        /** Returns the maximum number of domains. */
        public int domains() {
            return domains;
        }

        /** Returns the maximum length of the domains, joined by one blank each, in bytes of UTF-8. */
        public int characters() {
            return characters;
        }

        /** Returns the limits with this word, otherwise empty. */
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
     * Returns the dialect of a version of Kubernetes with its default feature gates.
     *
     * @param version any version. For a version before 1.22, only the treatment of trailing dots is that of the
     *     version; everything else is as in 1.22
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
     * <p>{@link SearchLimits#LEGACY} also removes {@link #relaxedSearches}: the gate could be disabled only up to
     * Kubernetes 1.27, whose API servers refuse underscores and a single dot.
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
