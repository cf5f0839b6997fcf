package io.k8sdns.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code k8sdns}: DNS from Kubernetes manifests. */
@Command(
        name = "k8sdns",
        description = "Kubernetes DNS-based service discovery from manifests.",
        mixinStandardHelpOptions = true,
        version = "k8sdns 0.1.0-SNAPSHOT",
        subcommands = {Serve.class, Records.class},
        synopsisSubcommandLabel = "COMMAND")
public final class Main {
    private Main() {}

    /** Runs the command and exits with its code: 0 done, 1 failed at run time, 2 usage or invalid input. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Main()).execute(arguments));
    }
}
