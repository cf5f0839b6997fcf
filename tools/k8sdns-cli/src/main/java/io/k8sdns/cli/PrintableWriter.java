package io.k8sdns.cli;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * A writer for standard error that escapes control characters, so that each message is one line. Messages quote texts of files,
 * stores and servers, which can contain any characters. Characters that end a line or control a terminal are printed as a
 * backslash, {@code u} and their number, as in JSON.
 */
final class PrintableWriter extends PrintWriter {
    private PrintableWriter(PrintWriter to) {
        super(to, true);
    }

    /** Returns a writer that prints to another one; the same writer if it already is a printable writer. */
    static PrintWriter to(PrintWriter writer) {
        return writer instanceof PrintableWriter ? writer : new PrintableWriter(writer);
    }

    /** Prints a text. All methods that print a line call this one. */
    @Override
    public void print(String text) {
        super.print(printable(String.valueOf(text)));
    }

    private static String printable(String text) {
        if (text.codePoints().allMatch(PrintableWriter::isPrintable)) {
            return text;
        }
        StringBuilder printable = new StringBuilder();
        text.codePoints()
                .forEach(c -> printable.append(
                        isPrintable(c) ? Character.toString(c) : String.format(Locale.ROOT, "\\u%04X", c)));
        return printable.toString();
    }

    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }
}
