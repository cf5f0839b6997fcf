package io.k8sdns.cli;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parsed configuration of CoreDNS: server blocks of directives. Imported snippets are inserted and environment variables are
 * replaced. Directives are not interpreted.
 *
 * <pre>
 * (snippet) {
 *     errors
 * }
 * .:53 cluster.local:1053 {
 *     import snippet
 *     forward . 192.0.2.53 {
 *         policy sequential
 *     }
 * }
 * </pre>
 *
 * @param blocks the server blocks, in order
 * @param imports the imports of files outside of server blocks; the files are not read
 */
record Corefile(List<ServerBlock> blocks, List<Directive> imports) {
    /** The name of the directive that inserts a snippet or a file. */
    static final String IMPORT = "import";

    Corefile {
        blocks = List.copyOf(blocks);
        imports = List.copyOf(imports);
    }

    /**
     * A server block: zones and their directives.
     *
     * @param keys the zones as written, with optional transport and port: {@code dns://cluster.local:53}
     */
    record ServerBlock(List<BlockZone> keys, List<Directive> directives, int line) {
        ServerBlock {
            keys = List.copyOf(keys);
            directives = List.copyOf(directives);
        }
    }

    /** One zone of a server block. */
    record BlockZone(String text, int line) {}

    /**
     * A directive: a line of a block, with its own block if it has one.
     *
     * @param name the first word
     * @param arguments the other words
     * @param block the lines between the braces; empty if there are none
     */
    record Directive(String name, List<String> arguments, List<Directive> block, int line) {
        Directive {
            arguments = List.copyOf(arguments);
            block = List.copyOf(block);
        }
    }

    /**
     * Parses a Corefile. Imports of files stay directives; the files are not read.
     *
     * @param environment returns the value of an environment variable; empty if it is not set
     * @throws InvalidCorefileException if the text is not a Corefile
     */
    static Corefile parse(String text, Function<String, Optional<String>> environment) {
        return new Parser(new Lexer(text, environment).words()).corefile();
    }

    /**
     * A word.
     *
     * @param line the line in which it begins, from 1
     * @param startsLine whether it is the first word of its line
     * @param quoted whether it was in quotes, so that braces have no special meaning
     */
    private record Word(String text, int line, boolean startsLine, boolean quoted) {
        boolean opens() {
            return !quoted && text.equals("{");
        }

        boolean closes() {
            return !quoted && text.equals("}");
        }
    }

    /** Splits a text into words, at white space outside of quotes. A word that begins with {@code #} starts a comment. */
    private static final class Lexer {
        private static final Pattern VARIABLE =
                Pattern.compile("\\{\\$([A-Za-z_][A-Za-z0-9_]*)}|\\{%([A-Za-z_][A-Za-z0-9_]*)%}");

        private final String text;
        private final Function<String, Optional<String>> environment;
        private final List<Word> words = new ArrayList<>();
        private int position;
        private int line = 1;
        private boolean atLineStart = true;

        Lexer(String text, Function<String, Optional<String>> environment) {
            this.text = text.startsWith("\uFEFF") ? text.substring(1) : text;
            this.environment = environment;
        }

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
                    .replaceAll(found -> Matcher.quoteReplacement(
                            value(found.group(1) == null ? found.group(2) : found.group(1), at)));
        }

        private String value(String variable, int at) {
            return environment
                    .apply(variable)
                    .orElseThrow(() -> new InvalidCorefileException(
                            at, "the environment variable " + variable + " is not set; set it, or write its value"));
        }
    }

    /** Parses words into server blocks. */
    private static final class Parser {
        /** The largest number of imported words, because snippets can import each other without end. */
        private static final int MAX_IMPORTED = 100_000;

        private static final int MAX_DEPTH = 100;

        private final Deque<Word> words;
        private final Map<String, List<Word>> snippets = new HashMap<>();
        private final List<ServerBlock> blocks = new ArrayList<>();
        private final List<Directive> imports = new ArrayList<>();
        private int imported;

        Parser(List<Word> words) {
            this.words = new ArrayDeque<>(words);
        }

        Corefile corefile() {
            while (!words.isEmpty()) {
                Word first = words.getFirst();
                if (first.closes()) {
                    throw new InvalidCorefileException(
                            first.line(), "a closing brace without an opening one; remove it");
                }
                if (first.opens()) {
                    throw new InvalidCorefileException(
                            first.line(), "a block without a zone; write one before the brace");
                }
                if (isImport(first)) {
                    importInto(imports);
                } else if (isSnippet(first)) {
                    snippet();
                } else {
                    serverBlock();
                }
            }
            return new Corefile(blocks, imports);
        }

        private static boolean isSnippet(Word word) {
            return !word.quoted() && word.text().startsWith("(") && word.text().endsWith(")");
        }

        private static boolean isImport(Word word) {
            return word.text().equals(IMPORT);
        }

        private void snippet() {
            Word name = words.removeFirst();
            String text = name.text().substring(1, name.text().length() - 1);
            Word brace = words.pollFirst();
            if (brace == null || !brace.opens()) {
                throw new InvalidCorefileException(name.line(), "a snippet without a block; write (" + text + ") {");
            }
            List<Word> body = new ArrayList<>();
            int open = 1;
            while (true) {
                Word word = words.pollFirst();
                if (word == null) {
                    throw notClosed(name.line(), "the snippet (" + text + ")");
                }
                open += word.opens() ? 1 : word.closes() ? -1 : 0;
                if (open == 0) {
                    break;
                }
                body.add(word);
            }
            if (snippets.put(text, body) != null) {
                throw new InvalidCorefileException(
                        name.line(), "the snippet (" + text + ") is there twice; rename one");
            }
        }

        private static InvalidCorefileException notClosed(int line, String what) {
            return new InvalidCorefileException(line, what + " has no closing brace; add a } on a line of its own");
        }

        private void serverBlock() {
            List<BlockZone> keys = new ArrayList<>();
            int line = words.getFirst().line();
            boolean more = true;
            while (!words.isEmpty()) {
                Word word = words.getFirst();
                if (word.opens() || word.closes() || word.startsLine() && !more && !keys.isEmpty()) {
                    break;
                }
                words.removeFirst();
                more = word.text().endsWith(",");
                addKeys(word, keys);
            }
            if (keys.isEmpty()) {
                throw new InvalidCorefileException(line, "a block without a zone; write one before the brace");
            }
            Word brace = words.peekFirst();
            boolean braces = brace != null && brace.opens();
            if (braces) {
                words.removeFirst();
            }
            blocks.add(new ServerBlock(keys, directives(braces, line, "the server block", 1), line));
        }

        private static void addKeys(Word word, List<BlockZone> keys) {
            if (!word.quoted() && word.text().endsWith("{")) {
                throw new InvalidCorefileException(word.line(), "a blank is missing before the brace: " + word.text());
            }
            for (String key : word.text().split(",", -1)) {
                if (!key.isEmpty()) {
                    keys.add(new BlockZone(key, word.line()));
                }
            }
        }

        /**
         * Reads the lines of a block.
         *
         * @param braces whether a closing brace ends the block; the only block of a file can omit its braces
         * @param line the line in which it begins
         */
        private List<Directive> directives(boolean braces, int line, String what, int depth) {
            if (depth > MAX_DEPTH) {
                throw new InvalidCorefileException(line, "blocks are nested deeper than " + MAX_DEPTH);
            }
            List<Directive> directives = new ArrayList<>();
            while (!words.isEmpty()) {
                Word word = words.getFirst();
                if (word.closes()) {
                    if (!braces) {
                        throw new InvalidCorefileException(
                                word.line(), "a closing brace without an opening one; remove it");
                    }
                    words.removeFirst();
                    return directives;
                }
                if (word.opens()) {
                    throw new InvalidCorefileException(
                            word.line(), "expected a directive, found a brace; write the brace after the directive");
                }
                if (isImport(word)) {
                    importInto(directives);
                } else {
                    directives.add(directive(depth));
                }
            }
            if (braces) {
                throw notClosed(line, what);
            }
            return directives;
        }

        private Directive directive(int depth) {
            Word name = words.removeFirst();
            List<String> arguments = arguments();
            Word next = words.peekFirst();
            List<Directive> block = List.of();
            if (next != null && next.opens() && !next.startsLine()) {
                words.removeFirst();
                block = directives(true, next.line(), name.text(), depth + 1);
            }
            return new Directive(name.text(), arguments, block, name.line());
        }

        /** Returns the words up to the end of the line or a brace. */
        private List<String> arguments() {
            List<String> arguments = new ArrayList<>();
            for (Word word = words.peekFirst();
                    word != null && !word.startsLine() && !word.opens() && !word.closes();
                    word = words.peekFirst()) {
                arguments.add(words.removeFirst().text());
            }
            return arguments;
        }

        private void importInto(List<Directive> directives) {
            Word word = words.removeFirst();
            List<String> arguments = arguments();
            if (arguments.size() != 1) {
                throw new InvalidCorefileException(word.line(), "import takes one snippet or file");
            }
            String name = arguments.get(0);
            List<Word> body = snippets.get(name);
            if (body == null) {
                if (!name.matches(".*[/.*?\\[].*")) {
                    throw new InvalidCorefileException(
                            word.line(), "no snippet (" + name + ") before this line; define it at the top");
                }
                directives.add(new Directive(IMPORT, arguments, List.of(), word.line()));
                return;
            }
            imported += body.size();
            if (imported > MAX_IMPORTED) {
                throw new InvalidCorefileException(
                        word.line(), "imports expand to more than " + MAX_IMPORTED + " words");
            }
            for (int i = body.size() - 1; i >= 0; i--) {
                Word one = body.get(i);
                // The first word of a block starts a line, even if it follows the brace on the same line.
                words.addFirst(i > 0 ? one : new Word(one.text(), one.line(), true, one.quoted()));
            }
        }
    }
}
