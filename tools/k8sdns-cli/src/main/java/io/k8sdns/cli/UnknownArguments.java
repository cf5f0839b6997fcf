package io.k8sdns.cli;

import io.k8sdns.arguments.EditDistance;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Explains options and commands that do not exist: what to write instead, which command has the option, or the most similar word. */
final class UnknownArguments {
    /** The sub-commands whose parameters are a name and a type, no manifests. */
    private static final Set<String> WITH_NAME = Set.of("query", "explain");

    private UnknownArguments() {}

    /**
     * Returns the message of a usage error, with an explanation if an argument is unknown.
     *
     * @param arguments all arguments
     */
    static String explained(ParameterException problem, List<String> arguments) {
        String message = String.valueOf(problem.getMessage());
        if (!(problem instanceof UnmatchedArgumentException unmatched)) {
            return message;
        }
        CommandLine command = problem.getCommandLine();
        List<String> unknown = unmatched.getUnmatched();
        String first = unknown.get(0);
        if (command.getParent() == null && !first.startsWith("-")) {
            return "no command '" + first + "'" + ofCommand(first, unknown);
        }
        // With dig's order of arguments, another one may follow the unsupported argument, and is the one reported.
        boolean isQuery = command.getCommandName().equals("query");
        return message
                + UsageHints.of(command.getCommandName(), isQuery ? arguments : unknown)
                        .or(() -> WITH_NAME.contains(command.getCommandName())
                                ? UsageHints.ofManifest(unknown.stream())
                                : Optional.empty())
                        .map(hint -> "; " + hint)
                        .orElseGet(() -> unknown.stream()
                                .filter(argument -> argument.startsWith("-"))
                                .findFirst()
                                .map(option -> ofOption(name(option), command, arguments))
                                .orElse(""));
    }

    /** Returns an option without its value. */
    static String name(String option) {
        int equals = option.startsWith("-") ? option.indexOf('=') : -1;
        return equals < 0 ? option : option.substring(0, equals);
    }

    private static String ofCommand(String word, List<String> unknown) {
        return UsageHints.ofOtherProgram(word, unknown)
                .map(hint -> "; " + hint)
                .orElseGet(() -> DidYouMean.question(word, Main.subcommands()));
    }

    private static String ofOption(String option, CommandLine command, List<String> arguments) {
        List<String> others = commandsWith(option);
        if (command.getParent() == null) {
            Optional<String> named =
                    arguments.stream().filter(Main.subcommands()::contains).findFirst();
            if (named.isPresent()) {
                return "; options come after the command: k8sdns " + named.get() + " " + option + " ...";
            }
        }
        if (!others.isEmpty()) {
            return "; only k8sdns " + listed(others) + (others.size() == 1 ? " has " : " have ") + option;
        }
        return option.startsWith("--") ? similar(option.substring(2), command.getCommandSpec()) : "";
    }

    /** Returns the names of the commands that have an option. */
    private static List<String> commandsWith(String option) {
        return Main.subcommands().stream()
                .filter(name -> Main.subcommand(name).findOption(option) != null)
                .toList();
    }

    private static String similar(String word, CommandSpec command) {
        return DidYouMean.question(similarOption(word, command).map(similar -> "--" + similar));
    }

    /** Returns the long name, without dashes, of the option that is most similar to a word; empty if none is similar. */
    static Optional<String> similarOption(String word, CommandSpec command) {
        return EditDistance.nearest(word, longNames(command).toList());
    }

    private static Stream<String> longNames(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.hidden())
                .flatMap(option -> Arrays.stream(option.names()))
                .filter(name -> name.startsWith("--"))
                .map(name -> name.substring(2));
    }

    /** Returns words as a list in a sentence: {@code a, b and c}. */
    private static String listed(List<String> words) {
        int last = words.size() - 1;
        return last == 0
                ? words.get(0)
                : words.stream().limit(last).collect(Collectors.joining(", ")) + " and " + words.get(last);
    }
}
