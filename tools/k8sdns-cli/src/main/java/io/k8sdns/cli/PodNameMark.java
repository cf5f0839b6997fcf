package io.k8sdns.cli;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Marks the name of a Pod in texts if it is invented, because its manifest has none. */
final class PodNameMark {
    /** Marks nothing. */
    static final PodNameMark NONE = new PodNameMark(Optional.empty());

    private final Optional<Pattern> name;

    /**
     * Makes a mark.
     *
     * @param inventedName the name; empty if that of the Pod is in its manifest
     */
    PodNameMark(Optional<String> inventedName) {
        name = inventedName.map(text -> Pattern.compile("\\b" + Pattern.quote(text) + "[\\w.()-]*(?<![.-])\"?"));
    }

    /** Returns whether a text holds the invented name. */
    boolean isIn(String text) {
        return name.filter(pattern -> pattern.matcher(text).find()).isPresent();
    }

    /** Returns a text with {@code (invented name)} after each word that begins with the invented name. */
    String marked(String text) {
        return name.map(pattern -> pattern.matcher(text)
                        .replaceAll(word -> Matcher.quoteReplacement(word.group() + " (invented name)")))
                .orElse(text);
    }

    /** Returns the texts, each marked. */
    List<String> marked(List<String> texts) {
        return texts.stream().map(this::marked).toList();
    }
}
