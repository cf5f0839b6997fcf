package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** Parses options and manifests to a zone, for tests that query it in this process. */
final class ParsedOptions {
    private final ClusterOptions options = new ClusterOptions();
    private long serial;
    private List<String> manifests = List.of();

    private ParsedOptions() {}

    private CommandSpec spec() {
        CommandSpec command = CommandSpecs.command("parsed", this);
        options.declare(command);
        command.addOption(CommandSpecs.option("--serial", long.class, value -> serial = value)
                .defaultValue("1")
                .build());
        command.addPositional(CommandSpecs.parameters(value -> manifests = value)
                .arity("0..*")
                .build());
        return command;
    }

    static ClusterZone zone(List<String> arguments, String... manifests) throws IOException {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of(manifests));
        ParsedOptions parsed = new ParsedOptions();
        Main.configured(parsed.spec())
                .setErr(new PrintWriter(Writer.nullWriter()))
                .parseArgs(all.toArray(String[]::new));
        RecordRules rules = new RecordRules(parsed.options.settings(List.of(ClusterOptions.LOOPBACK)));
        ClusterSnapshot snapshot = parsed.options
                .manifests(parsed.manifests, parsed.options.reading.asIs, rules)
                .snapshot();
        return ClusterZone.of(snapshot, rules, parsed.options.visibility(), parsed.serial);
    }
}
