package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cli.LogLines.Format;
import io.k8sdns.cli.LogLines.Settings;
import io.k8sdns.manifest.JsonObject;
import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class LogLinesTest {
    private static LogRecord line(Throwable thrown) {
        LogRecord line = new LogRecord(Level.WARNING, "not synced: {0}");
        line.setParameters(new Object[] {"pods"});
        line.setLoggerName("io.k8sdns.sockets");
        line.setThrown(thrown);
        return line;
    }

    private static String format(LogRecord line, Format format, boolean traces) {
        return new LogLines(new Settings(LogLines.Level.INFO, format, traces)).format(line);
    }

    @Test
    void textHasNoStackTraceWithoutDebug() {
        IOException failure = new IOException("refused");
        assertThat(format(line(failure), Format.TEXT, false))
                .isEqualToNormalizingNewlines("warn: not synced: pods: java.io.IOException: refused\n");
        assertThat(format(line(failure), Format.TEXT, true))
                .contains("refused")
                .contains("\tat io.k8sdns.cli.LogLinesTest");
    }

    @Test
    void textHasTheWordsOfTheOption() {
        for (LogLines.Level level : LogLines.Level.values()) {
            if (level != LogLines.Level.OFF) {
                assertThat(format(new LogRecord(level.ofTheJdk(), "text"), Format.TEXT, false))
                        .isEqualToNormalizingNewlines(level.word() + ": text\n");
            }
        }
    }

    @Test
    void jsonIsOneObjectInALine() {
        String json = format(line(new IOException("refused")), Format.JSON, false);
        assertThat(json.lines()).hasSize(1);
        JsonObject object = JsonObject.parse(json);
        assertThat(object.members()).containsExactly("time", "level", "logger", "message");
        assertThat(object.text("level")).contains("warn");
        assertThat(object.text("logger")).contains("io.k8sdns.sockets");
        assertThat(object.text("message")).contains("not synced: pods: java.io.IOException: refused");
        assertThat(JsonObject.parse(format(line(new IOException("refused")), Format.JSON, true))
                        .text("trace"))
                .isPresent();
    }

    @Test
    void levelsOfLibrariesStayAtInfo() {
        assertThat(LogLines.Configuration.properties(LogLines.Level.DEBUG))
                .contains("\n.level=INFO\n", "\nio.k8sdns.level=FINE\n", "\norg.xbill.DNS.level=OFF\n");
        assertThat(LogLines.Configuration.properties(LogLines.Level.ERROR))
                .contains("\n.level=SEVERE\n", "\nio.k8sdns.level=SEVERE\n");
    }
}
