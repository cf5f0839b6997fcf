package io.k8sdns.emulators;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.StringTokenizer;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Iterates over the lines of a file without a second copy of the file. */
final class Lines implements Iterable<Lines.Line> {
    /** The white space of C. */
    static final String SPACE = " \t\n\013\f\r";

    /** Blank and tab, the only white space of some resolvers. */
    static final String BLANK = " \t";

    /**
     * A line.
     *
     * @param number the number, from 1 on
     * @param text the text without the final newline
     * @param ended whether a newline ends the line
     */
    record Line(int number, String text, boolean ended) {
        /** Returns the place of the line for an error message. */
        String place() {
            return "line " + number;
        }

        /** Returns whether the line is empty or a comment. */
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

        /** Returns the text after the first word. */
        Line afterFirstWord(String separators) {
            String first = firstWord(separators).orElse("");
            return new Line(number, text.substring(text.indexOf(first) + first.length()), ended);
        }

        /**
         * Returns whether the line begins with this word, followed by a separator or the newline.
         *
         * @param keyword the word
         * @param separators the characters that separate words
         */
        boolean begins(String keyword, String separators) {
            if (!text.startsWith(keyword)) {
                return false;
            }
            return text.length() > keyword.length()
                    ? separators.indexOf(text.charAt(keyword.length())) >= 0
                    : ended && separators.indexOf('\n') >= 0;
        }

        /** Returns the text after the keyword. */
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
                // Only one of consecutive empty lines is returned, because every resolver ignores the others.
                while (line.text().isEmpty() && next < file.length() && file.charAt(next) == '\n') {
                    number++;
                    next++;
                }
                return line;
            }
        };
    }

    /** Returns the words of a text as a lazy stream, because a line may have millions of them. */
    static Stream<String> words(String text, String separators) {
        return StreamSupport.stream(
                        Spliterators.spliteratorUnknownSize(
                                new StringTokenizer(text, separators).asIterator(), Spliterator.ORDERED),
                        false)
                .map(String.class::cast);
    }

    /** Passes the index of each word of a text to a consumer, which may read beyond the word. */
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
