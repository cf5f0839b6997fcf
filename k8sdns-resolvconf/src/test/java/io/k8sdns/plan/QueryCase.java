package io.k8sdns.plan;

import io.k8sdns.search.AddressFamily;
import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.LookupRequest;
import io.k8sdns.search.QueryOrder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A case of one lookup: the file, the request, the answers of the servers and the expected queries.
 *
 * @param title the title
 * @param resolvConf the text of the file
 * @param environment the environment of the program
 * @param request the request
 * @param answers the answers of the servers
 */
record QueryCase(
        String title, String resolvConf, Map<String, String> environment, LookupRequest request, List<Answer> answers) {
    /** The folder of all cases. */
    static final Path ALL = Path.of(System.getProperty("k8sdns.root", "..")).resolve("conformance/queries");

    /** A line of the script. */
    record Answer(String key, String server, String word) {}

    /**
     * The expectation for some dialects.
     *
     * @param dialects the dialects
     * @param order how far the order is fixed
     * @param queries the queries
     * @param outcome the result
     */
    record Expectation(List<Dialect> dialects, QueryOrder order, List<SentQuery> queries, LookupOutcome outcome) {}

    /** Reads the folder of a case; the README of the cases describes the files. */
    static QueryCase read(Path folder) {
        String name = "";
        AddressFamily family = AddressFamily.UNSPEC;
        Map<String, String> environment = new LinkedHashMap<>();
        List<Answer> answers = new ArrayList<>();
        for (String line : lines(folder.resolve("lookup.txt"))) {
            String[] words = line.split(" ", 2);
            String rest = words.length == 2 ? words[1] : "";
            switch (words[0]) {
                case "name" -> name = rest;
                case "family" -> family = AddressFamily.tryParse(rest).orElseThrow();
                case "env" -> environment.put(rest.split("=", 2)[0], rest.split("=", 2)[1]);
                case "answer" -> {
                    String[] answer = rest.split(" ", -1);
                    answers.add(new Answer(answer[0], answer.length == 3 ? answer[2] : "*", answer[1]));
                }
                default -> throw new IllegalArgumentException(folder + ": " + line);
            }
        }
        return new QueryCase(
                ALL.relativize(folder).toString(),
                text(folder.resolve("resolv.conf")),
                environment,
                new LookupRequest(name, family),
                answers);
    }

    /** Returns the expectations for the dialects of the folder. */
    static List<Expectation> expectations(Path folder) {
        List<String> servers = lines(folder.resolve("resolv.conf")).stream()
                .filter(line -> line.startsWith("nameserver "))
                .map(line -> line.substring("nameserver ".length()))
                .toList();
        List<Expectation> expectations = new ArrayList<>();
        List<Dialect> dialects = List.of();
        QueryOrder order = QueryOrder.EXACT;
        List<SentQuery> queries = new ArrayList<>();
        for (String line : lines(folder.resolve("queries.txt"))) {
            if (line.startsWith("[")) {
                List<String> words =
                        List.of(line.substring(1, line.length() - 1).split(" ", -1));
                dialects = words.subList(0, words.size() - 1).stream()
                        .map(word -> Dialect.tryParse(word).orElseThrow(() -> new IllegalArgumentException(word)))
                        .toList();
                order = QueryOrder.valueOf(words.get(words.size() - 1).toUpperCase(java.util.Locale.ROOT));
            } else if (line.startsWith("=> ")) {
                expectations.add(new Expectation(dialects, order, List.copyOf(queries), outcome(line.substring(3))));
                queries.clear();
            } else {
                queries.addAll(SentQuery.parse(line, servers.isEmpty() ? "127.0.0.1" : servers.get(0)));
            }
        }
        return expectations;
    }

    private static LookupOutcome outcome(String word) {
        return Stream.of(LookupOutcome.values())
                .filter(outcome -> outcome.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(word));
    }

    /** Returns the folders of all cases, in a stable order. */
    static List<Path> folders() {
        try (Stream<Path> files = Files.walk(ALL)) {
            return files.filter(folder -> Files.exists(folder.resolve("lookup.txt")))
                    .sorted()
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Returns the lines of a file that are neither empty nor comments. */
    private static List<String> lines(Path file) {
        return text(file)
                .lines()
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    AnswerScript script() {
        AnswerScript.Builder script = AnswerScript.builder();
        answers.forEach(answer -> script.add(answer.key(), answer.server(), answer.word()));
        return script.build();
    }

    QueryTrace run(Dialect dialect) {
        return QueryPlan.of(SettingsReader.read(dialect, resolvConf, environment), request)
                .run(script());
    }

    Optional<String> environmentText() {
        return environment.isEmpty()
                ? Optional.empty()
                : Optional.of(environment.entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining("\n")));
    }

    /** Returns the case in the form of its files. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(title).append("\n  ");
        text.append(resolvConf.strip().replace("\n", "\n  ").replace("\r", "\\r"));
        text.append("\n  -- name ")
                .append(request.name())
                .append(" family ")
                .append(request.family().word());
        environmentText().ifPresent(env -> text.append(" env ").append(env.replace("\n", " ")));
        answers.forEach(answer -> text.append("\n  -- answer ")
                .append(answer.key())
                .append(' ')
                .append(answer.word())
                .append(' ')
                .append(answer.server()));
        return text.toString();
    }
}
