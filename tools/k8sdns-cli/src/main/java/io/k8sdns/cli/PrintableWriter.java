package io.k8sdns.cli;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * Standard error: every text that is printed is a part of one line. Messages quote names and texts of files, stores and servers, which
 * may have any characters. Those that could end the line, or change what a terminal shows, are printed as a backslash, {@code u}
 * and their number, as in JSON.
 */
final class PrintableWriter extends PrintWriter {
    private PrintableWriter(PrintWriter to) {
        super(to, true);
    }

    /** Returns a writer to another one; that one if it is such a writer. */
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
