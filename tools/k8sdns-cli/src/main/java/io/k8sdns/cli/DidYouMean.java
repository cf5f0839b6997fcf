package io.k8sdns.cli;

import io.k8sdns.arguments.EditDistance;
import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;

/** The question for a misspelt word, at the end of a message. */
final class DidYouMean {
    private DidYouMean() {}

    /** Returns the question with the known word that is most similar to a word, of several the first by name; the empty text without one. */
    static String question(String word, Collection<String> known) {
        return question(EditDistance.nearest(word, new TreeSet<>(known)));
    }

    /** Returns the question with the word that is probably meant; the empty text without one. */
    static String question(Optional<String> meant) {
        return meant.map(word -> ", did you mean " + word + "?").orElse("");
    }
}
