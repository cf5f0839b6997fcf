package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.manifest.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests which notes, warnings and errors are printed to stderr with {@code --quiet}, {@code --log-level} and {@code --log-format}. */
@Timeout(300)
class MessagesTest {
    private static final String BROKEN = Run.ROOT
            .resolve("tools/k8sdns-cli/src/test/resources/options/broken.yaml")
            .toString();

    @TempDir
    private Path folder;

    private String missing;

    @BeforeEach
    void nameAMissingFile() {
        missing = folder.resolve("missing.yaml").toString();
    }

    @Test
    void quietPrintsOnlyErrors() {
        Run quiet = Run.of("records", "-q", BROKEN);
        assertThat(quiet.code()).isZero();
        assertThat(quiet.err()).isEmpty();
        assertThat(quiet.out()).isEqualTo(Run.of("records", BROKEN).out()).isNotEmpty();
        assertThat(Run.of("records", "--quiet", missing).err())
                .isEqualToIgnoringNewLines("k8sdns records: no such file or directory: " + missing);
        assertThat(Run.of("query", "-q", "-f", BROKEN, "sound.shop").err()).isEmpty();
        assertThat(Run.of("resolvconf", "-q", "--pod", BROKEN).err()).startsWith("error: ");
    }

    @Test
    void quietPrintsTheReasonsOfAnError() {
        assertThat(Run.of("records", "-q", "--strict", BROKEN).err())
                .contains("broken.yaml:7")
                .contains("--strict: 1 problem");
    }

    @Test
    void levelsAreThoseOfTheLog() {
        assertThat(Run.of("records", BROKEN).err().lines())
                .anyMatch(line -> line.startsWith("read 1 file"))
                .anyMatch(line -> line.startsWith("warning: "));
        for (String level : List.of("debug", "trace", "info")) {
            assertThat(Run.of("records", "--log-level", level, BROKEN).err())
                    .as(level)
                    .isEqualTo(Run.of("records", BROKEN).err());
        }
        assertThat(Run.of("records", "--log-level", "warn", BROKEN).err().lines())
                .singleElement()
                .asString()
                .startsWith("warning: ");
        for (String level : List.of("error", "off")) {
            assertThat(Run.of("records", "--log-level", level, BROKEN).err())
                    .as(level)
                    .isEmpty();
            assertThat(Run.of("records", "--log-level", level, missing).err())
                    .as(level)
                    .contains("no such file");
        }
    }

    @Test
    void jsonIsOneObjectForEachMessage() {
        List<JsonObject> messages = Run.of("records", "--log-format", "json", BROKEN)
                .err()
                .lines()
                .map(JsonObject::parse)
                .toList();
        assertThat(messages)
                .anySatisfy(message -> {
                    assertThat(message.text("level")).contains("info");
                    assertThat(message.text("message").orElseThrow()).startsWith("read 1 file");
                })
                .anySatisfy(message -> {
                    assertThat(message.text("level")).contains("warn");
                    assertThat(message.text("message").orElseThrow()).contains("broken.yaml:7");
                });
        assertThat(Run.of("records", "--log-format", "json", missing).err().lines())
                .singleElement()
                .satisfies(line -> {
                    JsonObject error = JsonObject.parse(line);
                    assertThat(error.text("level")).contains("error");
                    assertThat(error.text("message")).contains("k8sdns records: no such file or directory: " + missing);
                });
    }

    @Test
    void quietAndALevelExcludeEachOther() {
        Run run = Run.of("records", "-q", "--log-level", "debug", BROKEN);
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("--quiet and --log-level exclude each other");
    }

    @Test
    void aFileOfOptionsSetsTheLevelUnlessTheCommandLineDoes() throws Exception {
        String config = Files.writeString(folder.resolve("k8sdns.yaml"), "log-level: warn\nlisten: 127.0.0.1:0\n")
                .toString();
        try (RunningServer server = RunningServer.with("--config", config, BROKEN)) {
            assertThat(server.err().lines()).singleElement().asString().startsWith("warning: ");
        }
        try (RunningServer server = RunningServer.with("--config", config, "-q", BROKEN)) {
            assertThat(server.err()).isEmpty();
        }
    }

    @Test
    void theUdpModeIsNotLoggedByDefault() throws Exception {
        try (RunningServer server = RunningServer.atFreePort(List.of(), Run.BOOKSTORE)) {
            assertThat(server.err()).contains("read 6 files").doesNotContain("udp:");
        }
    }

    @Test
    void everyCommandCanBeQuiet() {
        for (String command : Main.commandLine().getSubcommands().keySet()) {
            assertThat(Run.of(command, "--help").out()).as(command).contains("-q, --quiet");
        }
    }
}
