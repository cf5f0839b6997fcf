package io.k8sdns.arguments;

import java.util.Collection;
import java.util.Optional;

/** Compares words, to suggest the right one for a misspelt one. */
public final class EditDistance {
    /** The maximum number of typing errors in a misspelt word. */
    private static final int MAX_EDITS = 2;

    private EditDistance() {}

    /** Returns whether a word is probably a misspelt form of another one. */
    public static boolean isSimilar(String word, String known) {
        int edits = of(word, known);
        // A word of four letters with two errors is no longer similar.
        return edits <= MAX_EDITS && edits * 3 <= known.length();
    }

    /** Returns the first of the known words that are most similar to a misspelt one, ignoring case; empty if none is similar. */
    public static Optional<String> nearest(String word, Collection<String> known) {
        Optional<String> nearest = Optional.empty();
        int least = Integer.MAX_VALUE;
        for (String one : known) {
            boolean differsInCase = one.equalsIgnoreCase(word);
            int edits = differsInCase ? 0 : of(word, one);
            if (edits < least && (differsInCase || isSimilar(word, one))) {
                least = edits;
                nearest = Optional.of(one);
            }
        }
        return nearest;
    }

    /**
     * Returns the number of letters to insert, remove, replace or swap with the next one to change one word into the
     * other (optimal string alignment).
     */
    public static int of(String one, String other) {
        if (Math.abs(one.length() - other.length()) > MAX_EDITS) {
            return Math.max(one.length(), other.length());
        }
        int[][] edits = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                edits[i][j] = i == 0 || j == 0 ? i + j : fewest(one, other, edits, i, j);
            }
        }
        return edits[one.length()][other.length()];
    }

    private static int fewest(String one, String other, int[][] edits, int i, int j) {
        char last = one.charAt(i - 1);
        char otherLast = other.charAt(j - 1);
        int fewest = Math.min(edits[i - 1][j], edits[i][j - 1]) + 1;
        fewest = Math.min(fewest, edits[i - 1][j - 1] + (last == otherLast ? 0 : 1));
        boolean swapped = i > 1 && j > 1 && last == other.charAt(j - 2) && one.charAt(i - 2) == otherLast;
        return swapped ? Math.min(fewest, edits[i - 2][j - 2] + 1) : fewest;
    }
}
