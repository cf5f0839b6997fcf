package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrintableWriterTest {
    private final StringWriter printed = new StringWriter();
    private final PrintWriter writer = PrintableWriter.to(new PrintWriter(printed));

    @Test
    void lineBreaksAndControlCharactersAreEscaped() {
        writer.println("a\nb\r\u001b[31m\u009b\t\u2028\u2029\u202e\ud800");
        assertThat(printed)
                .hasToString("a\\u000Ab\\u000D\\u001B[31m\\u009B\\u0009\\u2028\\u2029\\u202E\\uD800"
                        + System.lineSeparator());
    }

    @Test
    void otherCharactersAreNotChanged() {
        writer.println("\u00e9 \ud83d\ude00 \\ \"");
        writer.println((Object) "object");
        assertThat(printed.toString().lines()).containsExactly("\u00e9 \ud83d\ude00 \\ \"", "object");
        assertThat(PrintableWriter.to(writer)).isSameAs(writer);
    }

    /** All commands use this writer. */
    @Test
    void theNameOfAFileIsEscapedInMessages(@TempDir Path folder) throws Exception {
        Path manifests = Files.createDirectory(folder.resolve("a\u001b\nwarning: fake"));
        Files.writeString(manifests.resolve("x.yaml"), "kind: Service");
        Run run =
                Run.of("federation-controller", "--federation", "prod", "--once", "--clusters-dir", folder.toString());
        assertThat(run.err()).contains("a\\u001B").doesNotContain("\u001b");
        assertThat(run.err().lines()).noneMatch(line -> line.startsWith("warning: fake"));
    }
}
