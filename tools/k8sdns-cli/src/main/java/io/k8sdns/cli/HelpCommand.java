package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.parameter;

import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The command {@code k8sdns help}: prints the help of the program or of a command. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class HelpCommand implements Callable<Integer> {
    private @Nullable String topic;
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("help", this);
        command.usageMessage()
                .description("Prints the help of a command, as COMMAND --help does.", "")
                .footer("  k8sdns help", "  k8sdns help query")
                .exitCodeList(exitCodes("0:done", "2:no such command"));
        command.addPositional(parameter("0", value -> topic = value)
                .required(false)
                .arity("0..1")
                .paramLabel("COMMAND")
                .completionCandidates(Main.subcommands())
                .description("The command (default: the program).")
                .build());
        return command;
    }

    @Override
    public Integer call() {
        CommandLine own = command.commandLine();
        CommandLine program = own.getParent();
        Map<String, CommandLine> commands = program.getSubcommands();
        CommandLine asked = topic == null ? program : commands.get(topic);
        if (asked == null) {
            throw new ParameterException(
                    own, "no command '" + topic + "'; the commands are " + String.join(", ", commands.keySet()));
        }
        asked.usage(own.getOut(), asked.getColorScheme());
        return Main.DONE;
    }
}
