package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.records.RecordRules;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The zone that options and manifests come to, for tests that ask it in this process. */
@Command(name = "parsed")
final class ParsedOptions {
    @Mixin
    private ClusterOptions options;

    @Option(names = "--serial", defaultValue = "1")
    private long serial;

    @Parameters
    private List<String> manifests;

    private ParsedOptions() {}

    static ClusterZone zone(List<String> arguments, String... manifests) throws IOException {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of(manifests));
        ParsedOptions parsed = new ParsedOptions();
        Main.configured(parsed).setErr(new PrintWriter(Writer.nullWriter())).parseArgs(all.toArray(String[]::new));
        RecordRules rules = new RecordRules(parsed.options.settings(List.of(ClusterOptions.LOOPBACK)));
        ClusterSnapshot snapshot = parsed.options.read(parsed.manifests, parsed.options.reading.asIs, rules);
        return ClusterZone.of(snapshot, rules, parsed.options.visibility(), parsed.serial);
    }
}
