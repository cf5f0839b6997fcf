package io.k8sdns.resolvconf;

import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

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
