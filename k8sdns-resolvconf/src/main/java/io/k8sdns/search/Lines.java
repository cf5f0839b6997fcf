package io.k8sdns.search;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.StringTokenizer;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

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
        /** Returns which line it is, for an error. */
        String place() {
            return "line " + number;
        }

        /** Returns whether nothing is meant to be in it. */
        boolean isBlankOrComment() {
            String word = firstWord(SPACE).orElse("#");
            return word.startsWith("#") || word.startsWith(";");
        }

        /** Returns the words, split at any of these characters. */
        Stream<String> words(String separators) {
            return Lines.words(text, separators);
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
                // Of empty lines in a row one is told: no resolver makes anything of the others.
                while (line.text().isEmpty() && next < file.length() && file.charAt(next) == '\n') {
                    number++;
                    next++;
                }
                return line;
            }
        };
    }

    /** Returns the words of a text, one after the other: a line may have millions of them. */
    static Stream<String> words(String text, String separators) {
        return StreamSupport.stream(
                        Spliterators.spliteratorUnknownSize(
                                new StringTokenizer(text, separators).asIterator(), Spliterator.ORDERED),
                        false)
                .map(String.class::cast);
    }

    /** Hands on where each word of a text begins, for those who read on from there. */
    static void wordStarts(String text, String separators, IntConsumer reader) {
        boolean within = false;
        for (int i = 0; i < text.length(); i++) {
            boolean separator = separators.indexOf(text.charAt(i)) >= 0;
            if (!separator && !within) {
                reader.accept(i);
            }
            within = !separator;
        }
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
