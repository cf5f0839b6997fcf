package io.k8sdns.search;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/** The lines of a file, one after the other, so that a file of many lines is not held twice. */
final class Lines implements Iterable<Lines.Line> {
    /** What C calls white space. */
    static final String SPACE = " \t\n\013\f\r";

    /** White space within a line, to those who know no other. */
    static final String BLANK = " \t";

    /**
     * A line.
     *
     * @param number from 1 on
     * @param text without the newline at its end
     * @param ended whether there is a newline at its end
     */
    record Line(int number, String text, boolean ended) {
        /** Returns the words, split at any of these characters. */
        List<String> words(String separators) {
            return Lines.words("line " + number, text, separators);
        }

        /** Returns the first word. */
        Optional<String> firstWord(String separators) {
            return Lines.firstWord(text, separators);
        }

        /** Returns what follows the first word. */
        Line afterFirstWord(String separators) {
            String first = firstWord(separators).orElse("");
            return new Line(number, text.substring(text.indexOf(first) + first.length()), ended);
        }

        /**
         * Returns whether the line begins with this word and something follows that separates, be it its newline.
         *
         * @param keyword the word
         * @param separators the characters that separate
         */
        boolean begins(String keyword, String separators) {
            if (!text.startsWith(keyword)) {
                return false;
            }
            return text.length() > keyword.length()
                    ? separators.indexOf(text.charAt(keyword.length())) >= 0
                    : ended && separators.indexOf('\n') >= 0;
        }

        /** Returns what follows the keyword. */
        Line after(String keyword) {
            return new Line(number, text.substring(keyword.length()), ended);
        }
    }

    private final String file;

    Lines(String file) {
        this.file = file;
    }

    @Override
    public Iterator<Line> iterator() {
        return new Iterator<>() {
            private int next;
            private int number;

            @Override
            public boolean hasNext() {
                return next < file.length();
            }

            @Override
            public Line next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("no line after line " + number);
                }
                int newline = file.indexOf('\n', next);
                int end = newline < 0 ? file.length() : newline;
                Line line = new Line(++number, file.substring(next, end), newline >= 0);
                next = end + 1;
                return line;
            }
        };
    }

    /**
     * Returns the words of a text.
     *
     * @param place what the text is, for the error
     * @throws IllegalArgumentException if there are more than {@link ResolverSettings#MAX_SEARCHES}
     */
    static List<String> words(String place, String text, String separators) {
        List<String> words = new ArrayList<>();
        int start = -1;
        for (int i = 0; i <= text.length(); i++) {
            boolean separates = i == text.length() || separators.indexOf(text.charAt(i)) >= 0;
            if (separates && start >= 0) {
                words.add(text.substring(start, i));
                start = -1;
                if (words.size() > ResolverSettings.MAX_SEARCHES) {
                    throw new IllegalArgumentException(place + ": more than " + ResolverSettings.MAX_SEARCHES
                            + " words; no more are read of a list");
                }
            } else if (!separates && start < 0) {
                start = i;
            }
        }
        return words;
    }

    /** Returns the first word of a text. */
    static Optional<String> firstWord(String text, String separators) {
        int start = 0;
        while (start < text.length() && separators.indexOf(text.charAt(start)) >= 0) {
            start++;
        }
        int end = start;
        while (end < text.length() && separators.indexOf(text.charAt(end)) < 0) {
            end++;
        }
        return end > start ? Optional.of(text.substring(start, end)) : Optional.empty();
    }
}
