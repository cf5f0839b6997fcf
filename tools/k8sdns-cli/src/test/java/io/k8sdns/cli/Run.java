package io.k8sdns.cli;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The result of one run of the command in this process.
 *
 * @param code the exit code
 * @param out the output on stdout
 * @param err the output on stderr
 */
record Run(int code, String out, String err) {
    /** The root of the checkout, a system property of the build. */
    static final Path ROOT = Path.of(System.getProperty("k8sdns.root", "../.."));

    /** The manifests of the README's example. */
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

    /** Runs the command with the concatenated arguments. */
    static Run of(List<String> first, String... rest) {
        return of(Stream.concat(first.stream(), Arrays.stream(rest)).toArray(String[]::new));
    }

    /** Runs the command with a text as standard input. */
    static Run withInput(String input, String... arguments) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
        try {
            return of(arguments);
        } finally {
            System.setIn(before);
        }
    }

    /** Returns lines of records without the comment that marks what is invented. */
    static String withoutMarks(String lines) {
        return lines.replaceAll("(?m) ; invented (address|name|address and name)$", "");
    }

    List<String> lines() {
        return out.lines().toList();
    }
}
