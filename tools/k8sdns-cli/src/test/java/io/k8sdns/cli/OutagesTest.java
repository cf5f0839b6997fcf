package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The manifests of examples/outages: each is explained as its first lines say. */
class OutagesTest {
    private static final Path FOLDER = Run.ROOT.resolve("examples/outages");
    private static final String COMMAND = "# $ k8sdns explain ";
    private static final String LINE = "# > ";

    static Stream<Path> outages() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("outages")
    void eachOutageIsExplained(Path file) {
        List<String> lines = lines(file);
        List<String> commands =
                lines.stream().filter(line -> line.startsWith(COMMAND)).toList();
        List<String> expected = lines.stream()
                .filter(line -> line.startsWith(LINE))
                .map(line -> line.substring(LINE.length()))
                .toList();
        assertThat(lines.get(1)).startsWith("# https://github.com/");
        assertThat(commands).hasSize(1);
        assertThat(expected).isNotEmpty();
        List<String> arguments = new ArrayList<>(List.of("explain", "-f", file.toString()));
        arguments.addAll(
                Arrays.asList(commands.get(0).substring(COMMAND.length()).split(" ", -1)));

        Run run = Run.of(arguments);

        // The position of an object ends with the name of the file.
        assertThat(run.lines().stream().map(line -> line.replaceAll(" \\([^()]*\\.yaml:\\d+\\)", "")))
                .containsExactlyElementsOf(expected);
        assertThat(run.code()).isEqualTo(Main.FAILED);
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
