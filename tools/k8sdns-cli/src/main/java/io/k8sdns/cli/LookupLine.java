package io.k8sdns.cli;

import io.k8sdns.manifest.JsonObject;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.SettingsReader;
import io.k8sdns.search.AddressFamily;
import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupRequest;
import io.k8sdns.search.ResolverSettings;
import java.util.LinkedHashMap;
import java.util.Map;

/** Answers a line of {@code queries --batch}: a lookup with scripted answers. */
final class LookupLine {
    private LookupLine() {}

    /**
     * Returns the queries and the result of the lookup.
     *
     * @throws IllegalArgumentException if a member is missing or invalid; the message contains its name
     */
    static OutputObject answer(JsonObject line) {
        String name = required(line, "name");
        ResolverSettings settings =
                SettingsReader.read(dialect(line), required(line, "resolv_conf"), environment(line));
        AnswerScript answers = line.object("answers").map(LookupLine::script).orElse(AnswerScript.nothing());
        return PlanJson.members(
                QueryPlan.of(settings, new LookupRequest(name, family(line))).run(answers));
    }

    private static String required(JsonObject line, String member) {
        return line.text(member).orElseThrow(() -> new IllegalArgumentException(member + ": a text is missing"));
    }

    private static Dialect dialect(JsonObject line) {
        return line.text("dialect")
                .map(word -> Dialect.tryParse(word)
                        .orElseThrow(() -> new IllegalArgumentException("dialect: unknown value '" + word
                                + "'; use one of " + String.join(", ", new QueriesCommand.Dialects()))))
                .orElse(Dialect.GLIBC);
    }

    private static AddressFamily family(JsonObject line) {
        return line.text("family")
                .map(word -> AddressFamily.tryParse(word)
                        .orElseThrow(() -> new IllegalArgumentException(
                                "family: unknown value '" + word + "'; use one of unspec, 4, 6")))
                .orElse(AddressFamily.UNSPEC);
    }

    private static Map<String, String> environment(JsonObject line) {
        Map<String, String> environment = new LinkedHashMap<>();
        line.object("env")
                .ifPresent(variables -> variables
                        .members()
                        .forEach(key -> variables.text(key).ifPresent(value -> environment.put(key, value))));
        return environment;
    }

    /** Parses the scripted answers: each key has a word, or an object with a word for each server. */
    private static AnswerScript script(JsonObject answers) {
        AnswerScript.Builder script = AnswerScript.builder();
        for (String key : answers.members()) {
            if (answers.isObject(key)) {
                JsonObject byServer = answers.object(key).orElseThrow();
                byServer.members()
                        .forEach(server -> byServer.text(server).ifPresent(word -> script.add(key, server, word)));
            } else {
                answers.text(key).ifPresent(word -> script.add(key, word));
            }
        }
        return script.build();
    }
}
