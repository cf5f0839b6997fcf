package io.k8sdns.cli;

import io.k8sdns.cli.LogLines.Format;
import io.k8sdns.cli.LogLines.Level;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A writer for the messages of a command on standard error, with the level and the format of the log. {@code warning: ...} has level
 * warn, {@code error: ...} and {@code failed: ...} have level error, and any other line, such as a note or a summary, has level info.
 *
 * <p>Escapes control characters, so that each message is one line. Messages quote texts of files, stores and servers, which can
 * contain any characters. Characters that end a line or control a terminal are printed as a backslash, {@code u} and their number,
 * as in JSON.
 */
final class PrintableWriter extends PrintWriter {
    private static final String WARNING = "warning: ";

    private volatile LogLines.Settings settings = new LogLines.Settings(Level.INFO, Format.TEXT, false);

    private PrintableWriter(PrintWriter to) {
        super(to, true);
    }

    /** Returns a writer that prints to another one; the same writer if it already is a printable writer. */
    static PrintableWriter to(PrintWriter writer) {
        return writer instanceof PrintableWriter printable ? printable : new PrintableWriter(writer);
    }

    /** Sets the lowest level that is printed, and the format. Before, the level is info and the format text. */
    void use(LogLines.Settings value) {
        settings = value;
    }

    /** Prints stack traces from now on, with the same level and format. */
    void useTraces() {
        settings = new LogLines.Settings(settings.level(), settings.format(), true);
    }

    /** Returns whether notes are printed, and as text. */
    boolean printsNotesAsText() {
        LogLines.Settings now = settings;
        return now.format() == Format.TEXT && Level.INFO.compareTo(now.level()) <= 0;
    }

    /** Prints a message with the level of its first word. */
    @Override
    public void println(String message) {
        if (message.startsWith(WARNING)) {
            message(Level.WARN, message);
        } else if (message.startsWith("error: ") || message.startsWith("failed: ")) {
            error(message);
        } else {
            message(Level.INFO, message);
        }
    }

    /** Prints an error, or a part of one, at every level, {@code off} included. */
    void error(String message) {
        line(Level.ERROR, message, Optional.empty());
    }

    /**
     * Prints an error like {@link #error(String)}, and its stack trace if stack traces are printed: as text in the lines below, in
     * JSON as a member of the same object.
     */
    void error(String message, Throwable cause) {
        line(Level.ERROR, message, settings.traces() ? Optional.of(LogLines.trace(cause)) : Optional.empty());
    }

    /** Prints a message of level debug. */
    void debug(String message) {
        message(Level.DEBUG, message);
    }

    private void message(Level level, String message) {
        if (level.compareTo(settings.level()) <= 0) {
            line(level, message, Optional.empty());
        }
    }

    private void line(Level level, String message, Optional<String> trace) {
        if (settings.format() == Format.JSON) {
            String text = message.replaceFirst("^(?:note|warning|error): ", "");
            super.println(LogLines.json(Instant.now(), level, "io.k8sdns.cli", text, trace));
        } else {
            super.println(message);
            trace.stream().flatMap(String::lines).forEach(line -> super.println(line.replace("\t", "    ")));
        }
    }

    /** Prints a text. All methods that print a line call this one. */
    @Override
    public void print(String text) {
        super.print(printable(String.valueOf(text)));
    }

    /** Returns a text whose characters that end a line, control a terminal or change the order of others are escaped. */
    static String printable(String text) {
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
