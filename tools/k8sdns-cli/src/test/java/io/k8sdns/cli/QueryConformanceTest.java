package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.k8sdns.manifest.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares one batch of {@code queries} with all cases of {@code conformance/queries/}, for each resolver: always the result, and
 * the sequence of queries if the case defines it.
 */
class QueryConformanceTest {
    private static final Path ALL = ConformanceCase.ALL.resolve("queries");
    private static final Pattern QUERY =
            Pattern.compile("\\{\"name\": \"(.*?)\", \"type\": \"(.*?)\", \"server\": \"(.*?)\", "
                    + "\"proto\": \"(.*?)\", \"at_ms\": (\\d+)}");

    @TempDir
    private static Path folder;

    private static final List<Block> BLOCKS = new ArrayList<>();
    private static final List<String> ANSWERS = new ArrayList<>();

    /**
     * The expectation for one resolver.
     *
     * @param title the case and the resolver
     * @param line the line of the batch
     * @param exact whether the case defines the order of the queries
     * @param queries {@code at_ms name type server proto} of each query
     * @param result the result
     */
    private record Block(String title, String line, boolean exact, List<String> queries, String result) {}

    @BeforeAll
    static void answerAllAtOnce() throws IOException {
        try (Stream<Path> files = Files.walk(ALL)) {
            for (Path one : files.filter(file -> Files.exists(file.resolve("lookup.txt")))
                    .sorted()
                    .toList()) {
                BLOCKS.addAll(blocks(one));
            }
        }
        Path file = Files.write(
                folder.resolve("batch.jsonl"), BLOCKS.stream().map(Block::line).toList());
        ANSWERS.addAll(Run.of("queries", "--batch", file.toString()).lines());
    }

    @TestFactory
    Stream<DynamicTest> everyCaseHolds() {
        assertThat(ANSWERS).hasSameSizeAs(BLOCKS).hasSizeGreaterThan(100);
        return IntStream.range(0, BLOCKS.size())
                .mapToObj(i -> dynamicTest(BLOCKS.get(i).title(), () -> check(BLOCKS.get(i), ANSWERS.get(i))));
    }

    private static void check(Block block, String answer) {
        assertThat(JsonObject.parse(answer).text("result")).as(answer).contains(block.result());
        List<String> queries = new ArrayList<>();
        Matcher matcher = QUERY.matcher(answer);
        while (matcher.find()) {
            // JSON escapes the name a second time.
            queries.add(String.join(
                    " ",
                    matcher.group(5),
                    matcher.group(1).replace("\\\\", "\\"),
                    matcher.group(2),
                    matcher.group(3),
                    matcher.group(4)));
        }
        if (block.exact()) {
            assertThat(queries).isEqualTo(block.queries());
        } else {
            assertThat(queries.isEmpty()).isEqualTo(block.queries().isEmpty());
        }
    }

    private static List<Block> blocks(Path one) throws IOException {
        Map<String, List<String>> lookup = new LinkedHashMap<>();
        for (String line : lines(one.resolve("lookup.txt"))) {
            String[] words = line.split(" ", 2);
            lookup.computeIfAbsent(words[0], any -> new ArrayList<>()).add(words.length > 1 ? words[1] : "");
        }
        String file = Files.readString(one.resolve("resolv.conf"));
        String name = String.join("", lookup.getOrDefault("name", List.of()));
        String family = String.join("", lookup.getOrDefault("family", List.of("unspec")));
        String common = "\"resolv_conf\": " + JsonText.of(file)
                + ", \"name\": " + JsonText.of(name)
                + ", \"family\": " + JsonText.of(family)
                + ", \"env\": " + environment(lookup.getOrDefault("env", List.of()))
                + ", \"answers\": " + answers(lookup.getOrDefault("answer", List.of()));
        String firstServer = file.lines()
                .filter(line -> line.startsWith("nameserver "))
                .map(line -> line.substring("nameserver ".length()))
                .findFirst()
                .orElse("127.0.0.1");
        List<Block> blocks = new ArrayList<>();
        List<String> words = List.of();
        List<String> queries = new ArrayList<>();
        for (String line : lines(one.resolve("queries.txt"))) {
            if (line.startsWith("[")) {
                words = List.of(line.substring(1, line.length() - 1).split(" ", -1));
            } else if (line.startsWith("=> ")) {
                for (String dialect : words.subList(0, words.size() - 1)) {
                    blocks.add(new Block(
                            ALL.relativize(one) + ", " + dialect,
                            "{" + common + ", \"dialect\": \"" + dialect + "\"}",
                            words.get(words.size() - 1).equals("exact"),
                            List.copyOf(queries),
                            line.substring(3)));
                }
                queries.clear();
            } else {
                queries.addAll(queries(line, firstServer));
            }
        }
        return blocks;
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
    }

    private static String environment(List<String> variables) {
        List<String> members = variables.stream()
                .map(variable -> variable.split("=", 2))
                .map(parts -> JsonText.of(parts[0]) + ": " + JsonText.of(parts[1]))
                .toList();
        return "{" + String.join(", ", members) + "}";
    }

    private static String answers(List<String> answers) {
        Map<String, List<String>> byKey = new LinkedHashMap<>();
        for (String answer : answers) {
            String[] words = answer.split(" ", -1);
            byKey.computeIfAbsent(words[0], any -> new ArrayList<>())
                    .add(JsonText.of(words.length == 3 ? words[2] : "*") + ": " + JsonText.of(words[1]));
        }
        List<String> members = new ArrayList<>();
        byKey.forEach((key, words) -> members.add(JsonText.of(key) + ": {" + String.join(", ", words) + "}"));
        return "{" + String.join(", ", members) + "}";
    }

    /** Returns the queries of a line of queries.txt, which can have both types of a name and omits defaults. */
    private static List<String> queries(String line, String firstServer) {
        String[] words = line.split(" ", -1);
        String server = firstServer;
        String transport = "udp";
        for (int i = 3; i < words.length; i++) {
            if (words[i].equals("tcp") || words[i].equals("udp")) {
                transport = words[i];
            } else {
                server = words[i];
            }
        }
        String rest = " " + server + " " + transport;
        return Stream.of(words[2].split("\\+", -1))
                .map(type -> words[0] + " " + words[1] + " " + type + rest)
                .toList();
    }
}
