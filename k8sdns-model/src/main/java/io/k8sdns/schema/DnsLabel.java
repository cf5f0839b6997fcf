package io.k8sdns.schema;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.model.Internal;
import io.k8sdns.name.InvalidNameException;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * A label that can be the name of a Kubernetes object: 1 to 63 letters, digits and inner dashes. Its case is kept, and
 * comparisons ignore it, as the specification requires (2.1).
 */
@Internal
public final class DnsLabel implements Comparable<DnsLabel> {
    private final String text;
    private final String folded;

    private DnsLabel(String text, String folded) {
        this.text = text;
        this.folded = folded;
    }

    /**
     * Returns a label.
     *
     * @throws InvalidNameException if the text is not 1 to 63 letters, digits and inner dashes
     */
    public static DnsLabel of(String text) {
        return tryParse(text)
                .orElseThrow(() -> new InvalidNameException(
                        "not a label of letters, digits and inner dashes, 1 to 63 characters: \"" + text + "\""));
    }

    /** Reads a label; empty for text that cannot be the name of a Kubernetes object. */
    public static Optional<DnsLabel> tryParse(String text) {
        Objects.requireNonNull(text, "text");
        String folded = text.toLowerCase(Locale.ROOT);
        return isAscii(text) && KubernetesNames.isDnsLabel(folded)
                ? Optional.of(new DnsLabel(text, folded))
                : Optional.empty();
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 128) {
                return false;
            }
        }
        return true;
    }

    /** Returns the label in lower case: the name of the Kubernetes object. */
    public String folded() {
        return folded;
    }

    /** Returns the number of characters, 1 to 63. */
    public int length() {
        return text.length();
    }

    @Override
    public int compareTo(DnsLabel other) {
        return folded.compareTo(other.folded);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DnsLabel label && folded.equals(label.folded);
    }

    @Override
    public int hashCode() {
        return folded.hashCode();
    }

    /** Returns the label in its original case. */
    @Override
    public String toString() {
        return text;
    }
}
