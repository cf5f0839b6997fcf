package io.k8sdns.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * One run of the command in this process, and what came of it.
 *
 * @param code the exit code
 * @param out what went to stdout
 * @param err what went to stderr
 */
record Run(int code, String out, String err) {
    /** The checkout; the build says where it is. */
    static final Path ROOT = Path.of(System.getProperty("k8sdns.root", "../.."));

    /** The example of the README. */
    static final String BOOKSTORE = ROOT.resolve("examples/bookstore").toString();

    static Run of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.commandLine(arguments)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
        return new Run(code, out.toString(), err.toString());
    }

    /** Runs with arguments that come in parts. */
    static Run of(List<String> first, String... rest) {
        return of(Stream.concat(first.stream(), Arrays.stream(rest)).toArray(String[]::new));
    }

    List<String> lines() {
        return out.lines().toList();
    }
}
