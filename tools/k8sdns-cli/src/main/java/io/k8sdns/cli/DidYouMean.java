package io.k8sdns.cli;

import io.k8sdns.arguments.EditDistance;
import java.util.Collection;
import java.util.Optional;

/** The question for a misspelt word, at the end of a message. */
final class DidYouMean {
    private DidYouMean() {}

    /** Returns the question with the first of the known words that are most similar to a word; the empty text if none is similar. */
    static String question(String word, Collection<String> known) {
        return question(EditDistance.nearest(word, known));
    }

    /** Returns the question with the word that is probably meant; the empty text without one. */
    static String question(Optional<String> meant) {
        return meant.map(word -> ", did you mean " + word + "?").orElse("");
    }
}
