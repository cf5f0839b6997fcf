package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The manifests of examples/outages: each is explained as its first lines say. */
class OutagesTest {
    private static final Path FOLDER = Run.ROOT.resolve("examples/outages");
    private static final String COMMAND = "# $ k8sdns explain ";
    private static final String LINE = "# > ";

    private static final String TEXT = "\"((?:[^\"\\\\]|\\\\.)*)\"";
    private static final Pattern CAUSE = Pattern.compile("\\{\"object\": " + TEXT + ", \"position\": " + TEXT
            + ", \"field\": " + TEXT + ", \"text\": " + TEXT + "\\}");
    private static final Pattern SUGGESTION = Pattern.compile("\\{\"text\": " + TEXT
            + ", \"name\": \"[^\"]*\", \"type\": \"[^\"]*\", \"object\": \"[^\"]*\", \"position\": " + TEXT
            + ", \"field\": \"[^\"]*\", \"changes\": \\[[^\\]]*\\](, \"invented\": true)?\\}");

    static Stream<Path> outages() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("outages")
    void eachOutageIsExplained(Path file) {
        List<String> lines = lines(file);
        List<String> expected = lines.stream()
                .filter(line -> line.startsWith(LINE))
                .map(line -> line.substring(LINE.length()))
                .toList();
        assertThat(lines.get(1)).startsWith("# https://github.com/");
        assertThat(expected).isNotEmpty();

        Run run = Run.of(explain(file));

        // The position of an object ends with the name of the file.
        assertThat(run.lines().stream().map(line -> line.replaceAll(" \\([^()]*\\.yaml:\\d+\\)", "")))
                .containsExactlyElementsOf(expected);
        boolean resolves = expected.stream().anyMatch(line -> line.endsWith(" resolves"));
        assertThat(run.code()).isEqualTo(resolves ? Main.DONE : Main.FAILED);
    }

    @ParameterizedTest
    @MethodSource("outages")
    void jsonHasTheCausesAndSuggestionsOfTheText(Path file) {
        List<String> arguments = new ArrayList<>(explain(file));
        List<String> text = Run.of(arguments).lines().stream()
                .filter(line -> line.startsWith("  because: ") || line.startsWith("  try: "))
                .toList();
        arguments.addAll(List.of("-o", "json"));
        String json = Run.of(arguments).out();
        Stream<String> causes = CAUSE.matcher(json)
                .results()
                .map(cause -> "  because: " + location(cause.group(1), cause.group(3), cause.group(2))
                        + (cause.group(1).isEmpty() ? "" : ": ") + unquoted(cause.group(4)));
        Stream<String> suggestions = SUGGESTION
                .matcher(json)
                .results()
                .map(suggestion -> "  try: " + unquoted(suggestion.group(1)) + location("", "", suggestion.group(2))
                        + (suggestion.group(3) == null ? "" : " ; invented address"));
        assertThat(Stream.concat(causes, suggestions)).containsExactlyElementsOf(text);
    }

    private static String location(String object, String field, String position) {
        return object + (field.isEmpty() ? "" : ", " + field) + (position.isEmpty() ? "" : " (" + position + ")");
    }

    private static String unquoted(String json) {
        return json.replace("\\\"", "\"");
    }

    /** Returns the command in the first lines of a file. */
    private static List<String> explain(Path file) {
        List<String> commands =
                lines(file).stream().filter(line -> line.startsWith(COMMAND)).toList();
        assertThat(commands).hasSize(1);
        List<String> arguments = new ArrayList<>(List.of("explain", "-f", file.toString()));
        arguments.addAll(
                Arrays.asList(commands.get(0).substring(COMMAND.length()).split(" ", -1)));
        return arguments;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
