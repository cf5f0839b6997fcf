package io.k8sdns.plan;

import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.LookupOutcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A program that runs in separate network and mount namespaces, where {@code /etc/resolv.conf} is a file in its folder and
 * port 53 is free. It runs lookups with a resolver, and returns the resolver's queries.
 *
 * <p>A request is a line on stdin, the observation a line on stdout; fields are in Base64, separated by blanks.
 */
final class LookupLab {
    /** The addresses of the servers. */
    static final List<String> SERVERS = List.of("127.0.0.1", "127.0.0.2", "127.0.0.3");

    private static final long MAX_MILLIS = 100_000;

    private LookupLab() {}

    /** The exit code of a program that ends with SIGABRT. */
    private static final int ABORTED = 128 + 6;

    /**
     * The queries and the result of a resolver.
     *
     * @param result the result of the program: the word of an {@link LookupOutcome}
     * @param addresses the addresses that it was given
     * @param queries the queries that the servers received
     */
    record Observation(String result, List<String> addresses, List<SentQuery> queries) {}

    /** Serves requests until stdin ends. The first argument is the folder. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path resolvConf = Path.of(arguments[0]).resolve("resolv.conf");
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (ScriptedNameServers server = new ScriptedNameServers(SERVERS)) {
            for (String line = requests.readLine(); line != null; line = requests.readLine()) {
                String[] fields = line.split(" ", -1);
                Files.writeString(resolvConf, text(fields[0]));
                AnswerScript.Builder script = AnswerScript.builder();
                text(fields[1]).lines().forEach(answer -> {
                    String[] words = answer.split(" ", -1);
                    script.add(words[0], words[1], words[2]);
                });
                List<String> command = text(fields[2]).lines().toList();
                ProcessBuilder program = new ProcessBuilder(command).redirectErrorStream(true);
                text(fields[3])
                        .lines()
                        .forEach(entry -> program.environment().put(entry.split("=", 2)[0], entry.split("=", 2)[1]));
                out.println(base64(observe(server, script.build(), program)));
            }
        }
    }

    private static String observe(ScriptedNameServers server, AnswerSource answers, ProcessBuilder program)
            throws IOException, InterruptedException {
        server.begin(answers);
        Process process = program.start();
        long begin = System.nanoTime();
        while (process.isAlive()) {
            server.serve(20);
            if ((System.nanoTime() - begin) / 1_000_000 > MAX_MILLIS) {
                process.destroyForcibly().waitFor();
            }
        }
        // The last query of a program may not have arrived yet.
        while (server.serve(5)) {}
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String result = process.waitFor() == ABORTED ? LookupOutcome.ABORT.word() : output.strip();
        return result
                + "\n"
                + server.queries().stream().map(SentQuery::toString).collect(Collectors.joining("\n"));
    }

    /** Writes the request for a case. */
    static String request(QueryCase one, String program) {
        String answers = one.answers().stream()
                .map(answer -> answer.key() + " " + answer.server() + " " + answer.word())
                .collect(Collectors.joining("\n"));
        byte[] name = one.request().name().getBytes(StandardCharsets.UTF_8);
        String command = program + "\n" + one.request().family().word() + "\n" + "0x"
                + HexFormat.of().formatHex(name);
        return List.of(one.resolvConf(), answers, command, one.environmentText().orElse("")).stream()
                .map(LookupLab::base64)
                .collect(Collectors.joining(" "));
    }

    /** Reads an observation. */
    static Observation observation(String line) {
        List<String> lines = text(line).lines().toList();
        List<String> result =
                lines.isEmpty() ? List.of("") : List.of(lines.get(0).split("\t", -1));
        List<SentQuery> queries = new ArrayList<>();
        lines.stream()
                .skip(1)
                .filter(query -> !query.isEmpty())
                .forEach(query -> queries.addAll(SentQuery.parse(query, "")));
        return new Observation(result.get(0), result.subList(1, result.size()), queries);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }
}
