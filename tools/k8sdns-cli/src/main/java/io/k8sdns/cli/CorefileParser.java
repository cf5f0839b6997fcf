package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.BlockZone;
import io.k8sdns.cli.Corefile.Directive;
import io.k8sdns.cli.Corefile.ServerBlock;
import io.k8sdns.cli.CorefileLexer.Word;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Parses the words of a Corefile into server blocks, and inserts snippets. */
final class CorefileParser {
    /** The largest number of imported words, because snippets can import each other without end. */
    private static final int MAX_IMPORTED = 100_000;

    private static final int MAX_DEPTH = 100;

    private final Deque<Word> words;
    private final Map<String, List<Word>> snippets = new HashMap<>();
    private final List<ServerBlock> blocks = new ArrayList<>();
    private final List<Directive> imports = new ArrayList<>();
    private int imported;

    CorefileParser(List<Word> words) {
        this.words = new ArrayDeque<>(words);
    }

    /**
     * Returns the parsed words. Called once.
     *
     * @throws InvalidCorefileException if the words are not a Corefile
     */
    Corefile corefile() {
        while (!words.isEmpty()) {
            Word first = words.getFirst();
            if (first.closes()) {
                throw new InvalidCorefileException(first.line(), "a closing brace without an opening one; remove it");
            }
            if (first.opens()) {
                throw new InvalidCorefileException(first.line(), "a block without a zone; write one before the brace");
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
        return word.text().equals(Corefile.IMPORT);
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
            throw new InvalidCorefileException(name.line(), "the snippet (" + text + ") is there twice; rename one");
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
            directives.add(new Directive(Corefile.IMPORT, arguments, List.of(), word.line()));
            return;
        }
        imported += body.size();
        if (imported > MAX_IMPORTED) {
            throw new InvalidCorefileException(word.line(), "imports expand to more than " + MAX_IMPORTED + " words");
        }
        for (int i = body.size() - 1; i >= 0; i--) {
            Word one = body.get(i);
            // The first word of a block starts a line, even if it follows the brace on the same line.
            words.addFirst(i > 0 ? one : new Word(one.text(), one.line(), true, one.quoted()));
        }
    }
}
