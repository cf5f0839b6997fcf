package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.parameter;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The command {@code k8sdns completion}: prints a script that completes commands and options in a shell. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class CompletionCommand implements Callable<Integer> {
    private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

    private String shell;
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("completion", this);
        command.usageMessage()
                .description(
                        "Prints a script that completes the commands, options and values of k8sdns in a shell.", "")
                .footer(
                        "  source <(k8sdns completion bash)   # or in ~/.bashrc",
                        "  source <(k8sdns completion zsh)    # or in ~/.zshrc",
                        "  k8sdns completion zsh >_k8sdns     # in a directory of zsh's fpath",
                        "  k8sdns completion fish >~/.config/fish/completions/k8sdns.fish")
                .exitCodeList(exitCodes("0:done", "2:no such shell"));
        command.addPositional(parameter("0", value -> shell = value)
                .paramLabel("bash|zsh|fish")
                .completionCandidates(SHELLS)
                .description("The shell.")
                .build());
        return command;
    }

    @Override
    public Integer call() {
        CommandLine program = command.commandLine().getParent();
        PrintWriter out = command.commandLine().getOut();
        switch (shell) {
            case "bash" -> BashCompletion.lines(program).forEach(out::println);
            case "zsh" -> BashCompletion.linesForZsh(program).forEach(out::println);
            case "fish" -> FishCompletion.lines(program).forEach(out::println);
            default ->
                throw new ParameterException(
                        command.commandLine(),
                        "unknown value '" + shell + "'; use one of " + String.join(", ", SHELLS));
        }
        return Main.DONE;
    }
}
