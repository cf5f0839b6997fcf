package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.exitCodes;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code k8sdns version}: prints the version, as {@code --version} does, or as an object. */
@SuppressWarnings("NullAway.Init") // The field is set by spec().
final class VersionCommand implements Callable<Integer> {
    private final OutputOptions output = new OutputOptions();
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("version", this);
        command.usageMessage()
                .description("Prints the version, as --version does.", "")
                .footer("  k8sdns version", "  k8sdns version -o json")
                .exitCodeList(exitCodes("0:done", "2:usage"));
        output.declare(
                command, HelpSections.OWN, "one object: {\"version\", \"java\"}, the latter of the Java runtime.");
        return command;
    }

    @Override
    public Integer call() {
        PrintWriter out = command.commandLine().getOut();
        if (output.isObjects()) {
            output.print(
                    new OutputObject()
                            .put("version", Main.Version.text())
                            .put("java", Runtime.version().toString()),
                    out);
        } else {
            command.commandLine().printVersionHelp(out);
        }
        return Main.DONE;
    }
}
