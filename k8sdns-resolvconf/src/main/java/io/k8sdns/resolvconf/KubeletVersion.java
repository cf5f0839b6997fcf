package io.k8sdns.resolvconf;

import io.k8sdns.model.Internal;
import java.util.Comparator;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of Kubernetes. Without a patch number it is the last release of its minor version.
 *
 * @param major the major version, 1 so far
 * @param minor the minor version
 * @param patch the patch release, if given
 */
public record KubeletVersion(int major, int minor, OptionalInt patch) implements Comparable<KubeletVersion> {
    private static final Pattern SYNTAX = Pattern.compile("v?(\\d{1,4})\\.(\\d{1,4})(?:\\.(\\d{1,4})(?:[-+].*)?)?");
    private static final Comparator<KubeletVersion> ORDER = Comparator.comparingInt(KubeletVersion::major)
            .thenComparingInt(KubeletVersion::minor)
            .thenComparingInt(version -> version.patch.orElse(Integer.MAX_VALUE));

    /** Checks that nothing is null. */
    @Internal
    public KubeletVersion {
        Objects.requireNonNull(patch, "patch");
    }

    /**
     * Reads a version as {@code kubectl version} prints it; text after the patch number is ignored.
     *
     * @param text for example {@code 1.25}, {@code v1.25.0} or {@code v1.29.4-gke.1043002}
     * @throws IllegalArgumentException if the text is not a version
     */
    public static KubeletVersion parse(String text) {
        Objects.requireNonNull(text, "text");
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "not a version of Kubernetes such as 1.25 or v1.25.0: " + Quoted.of(text));
        }
        String patch = matcher.group(3);
        return new KubeletVersion(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                patch == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(patch)));
    }

    @Override
    public int compareTo(KubeletVersion other) {
        return ORDER.compare(this, other);
    }

    /** Returns, for example, {@code 1.25} or {@code 1.25.0}. */
    @Override
    public String toString() {
        return major + "." + minor + (patch.isPresent() ? "." + patch.getAsInt() : "");
    }
}
