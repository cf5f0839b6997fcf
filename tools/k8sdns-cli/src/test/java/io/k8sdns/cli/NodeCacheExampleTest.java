package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** {@code examples/kubernetes/node-cache} and {@code docs/node-cache.md}, as far as they are about this command. */
class NodeCacheExampleTest {
    private static final Path FOLDER = Run.ROOT.resolve(Path.of("examples", "kubernetes", "node-cache"));

    @Test
    void argumentsAreTheCommands() throws IOException {
        String[] deployed = Files.readString(FOLDER.resolve("daemonset.yaml"))
                .lines()
                .dropWhile(line -> !line.strip().equals("args:"))
                .skip(1)
                .map(String::strip)
                .takeWhile(line -> line.startsWith("- "))
                .map(line -> line.substring(2))
                .toArray(String[]::new);

        assertThat(deployed).startsWith("node-cache").hasSizeGreaterThan(6);
        assertThatCode(() -> Main.commandLine(deployed).parseArgs(deployed)).doesNotThrowAnyException();
    }
}
