package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the exit code for manifests that cannot be parsed: invalid input if they are on the command line, success if a directory contains them. */
@Timeout(300)
class UnparsedInputTest {
    private static final String NAME = "cart.shop.svc.cluster.local";
    private static final String RECORD = NAME + ". 5 IN A 10.96.0.20";
    private static final String REASON = "broken.yaml:1: the document is skipped: mapping values are not allowed here";

    @TempDir
    private Path folder;

    private String broken;

    @BeforeEach
    void writeBrokenFile() throws IOException {
        broken = Files.writeString(folder.resolve("broken.yaml"), "a: b: c\n").toString();
    }

    private static void assertInvalid(Run run, String command) {
        assertThat(run.code()).as(run.err()).isEqualTo(Main.INVALID);
        assertThat(run.err().lines())
                .last()
                .asString()
                .startsWith("k8sdns " + command + ": cannot be parsed: ")
                .contains(REASON);
    }

    @Test
    void theOutputOfTheOtherFilesIsPrintedBeforeTheError() {
        Run records = Run.of("records", "-f", broken, Run.BOOKSTORE);
        assertInvalid(records, "records");
        assertThat(records.lines()).contains(RECORD);
        Run query = Run.of("query", "-f", broken, "-f", Run.BOOKSTORE, "--short", NAME);
        assertInvalid(query, "query");
        assertThat(query.lines()).containsExactly("10.96.0.20");
    }

    @Test
    void theErrorIsPrintedInQuietCommands() {
        Run quiet = Run.of("records", "-q", broken);
        assertInvalid(quiet, "records");
        assertThat(quiet.err().lines()).hasSize(1);
    }

    @Test
    void queriesAndVerifyEndWithTheErrorToo() throws Exception {
        String conf = Files.writeString(folder.resolve("pod.conf"), "nameserver 10.96.0.10\n")
                .toString();
        Run queries = Run.of("queries", "--resolv-conf", conf, "-f", broken, "-f", Run.BOOKSTORE, NAME);
        assertInvalid(queries, "queries");
        assertThat(queries.out()).contains("10.96.0.20");
        try (RunningServer server = RunningServer.atFreePort(List.of(), Run.BOOKSTORE)) {
            Run verify = Run.of("verify", "--as-applied", "--server", server.address(), broken, Run.BOOKSTORE);
            assertInvalid(verify, "verify");
            assertThat(verify.out()).contains(" names, 0 differences");
        }
    }

    @Test
    void aServerDoesNotStartWithoutTheObjectsOfANamedFile() {
        for (String watch : List.of("--no-bare-srv", "--watch")) {
            Run serve = Run.of("serve", watch, "--listen", "127.0.0.1:0", broken, Run.BOOKSTORE);
            assertInvalid(serve, "serve");
            assertThat(serve.out()).isEmpty();
        }
    }

    @Test
    void aTemplateIsNotParsedEither() throws IOException {
        String template = Files.writeString(
                        folder.resolve("template.yaml"), "{{- if .Values.enabled }}\nkind: Service\n{{- end }}\n")
                .toString();
        Run run = Run.of("records", template, broken);
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("cannot be parsed: " + template + ":1: ", " (and 1 more file)");
    }

    @Test
    void aFileInADirectoryIsOnlyReported() {
        Run run = Run.of("records", folder.toString());
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err()).contains("warning: ").contains(REASON);
    }

    @Test
    void standardInputIsReported() {
        InputStream before = System.in;
        try {
            System.setIn(new ByteArrayInputStream("a: b: c\n".getBytes(StandardCharsets.UTF_8)));
            Run run = Run.of("records", "-f", "-");
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err())
                    .contains("k8sdns records: cannot be parsed: -:1: ")
                    .containsOnlyOnce("-:1: ");
        } finally {
            System.setIn(before);
        }
    }
}
