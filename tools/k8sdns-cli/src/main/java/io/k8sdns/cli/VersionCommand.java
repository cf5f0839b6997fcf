package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.exitCodes;

import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code k8sdns version}: prints the version, as {@code --version} does. */
@SuppressWarnings("NullAway.Init") // The field is set by spec().
final class VersionCommand implements Callable<Integer> {
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("version", this);
        command.usageMessage()
                .description("Prints the version, as --version does.", "")
                .footer("  k8sdns version")
                .exitCodeList(exitCodes("0:done", "2:usage"));
        return command;
    }

    @Override
    public Integer call() {
        command.commandLine().printVersionHelp(command.commandLine().getOut());
        return Main.DONE;
    }
}
