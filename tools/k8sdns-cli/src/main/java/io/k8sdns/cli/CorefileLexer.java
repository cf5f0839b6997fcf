package io.k8sdns.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Splits a Corefile into words, at white space outside of quotes. A word that begins with {@code #} starts a comment. */
final class CorefileLexer {
    private static final Pattern VARIABLE =
            Pattern.compile("\\{\\$([A-Za-z_][A-Za-z0-9_]*)}|\\{%([A-Za-z_][A-Za-z0-9_]*)%}");

    private final String text;
    private final Function<String, Optional<String>> environment;
    private final List<Word> words = new ArrayList<>();
    private int position;
    private int line = 1;
    private boolean atLineStart = true;

    /**
     * A word of a Corefile.
     *
     * @param line the line in which it begins, from 1
     * @param startsLine whether it is the first word of its line
     * @param quoted whether it was in quotes, so that braces have no special meaning
     */
    record Word(String text, int line, boolean startsLine, boolean quoted) {
        boolean opens() {
            return !quoted && text.equals("{");
        }

        boolean closes() {
            return !quoted && text.equals("}");
        }
    }

    /**
     * Creates a lexer of a text.
     *
     * @param environment returns the value of an environment variable; empty if it is not set
     */
    CorefileLexer(String text, Function<String, Optional<String>> environment) {
        this.text = text.startsWith("\uFEFF") ? text.substring(1) : text;
        this.environment = environment;
    }

    /**
     * Returns the words of the text. Called once.
     *
     * @throws InvalidCorefileException if a quote is not closed, or an environment variable is not set
     */
    List<Word> words() {
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == '\n') {
                newLine();
            } else if (Character.isWhitespace(c)) {
                position++;
            } else if (c == '#') {
                skipComment();
            } else if (c == '"') {
                quotedWord();
            } else {
                plainWord();
            }
        }
        return words;
    }

    private void newLine() {
        position++;
        line++;
        atLineStart = true;
    }

    private void skipComment() {
        while (position < text.length() && text.charAt(position) != '\n') {
            position++;
        }
    }

    private void plainWord() {
        int from = position;
        while (position < text.length() && !Character.isWhitespace(text.charAt(position))) {
            position++;
        }
        add(text.substring(from, position), line, false);
    }

    /** Reads a word in quotes. {@code \"} is a quote; any other backslash is literal. */
    private void quotedWord() {
        int first = line;
        StringBuilder word = new StringBuilder();
        for (position++; position < text.length(); position++) {
            char c = text.charAt(position);
            if (c == '"') {
                position++;
                add(word.toString(), first, true);
                return;
            }
            if (c == '\\' && position + 1 < text.length() && text.charAt(position + 1) == '"') {
                position++;
                c = '"';
            }
            line += c == '\n' ? 1 : 0;
            word.append(c);
        }
        throw new InvalidCorefileException(first, "a quote that is not closed; add a \" after the text");
    }

    private void add(String word, int at, boolean quoted) {
        words.add(new Word(withVariables(word, at), at, atLineStart, quoted));
        atLineStart = false;
    }

    private String withVariables(String word, int at) {
        return VARIABLE.matcher(word)
                .replaceAll(found ->
                        Matcher.quoteReplacement(value(found.group(1) == null ? found.group(2) : found.group(1), at)));
    }

    private String value(String variable, int at) {
        return environment
                .apply(variable)
                .orElseThrow(() -> new InvalidCorefileException(
                        at, "the environment variable " + variable + " is not set; set it, or write its value"));
    }
}
