package io.k8sdns.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Creates the completion script for the shell fish, which picocli does not have: a line for each command and each option. */
final class FishCompletion {
    private static final int MAX_DESCRIPTION = 80;

    private FishCompletion() {}

    /** Returns the lines of the script. */
    static List<String> lines(CommandLine program) {
        String start = "complete -c " + program.getCommandName();
        List<String> lines = new ArrayList<>();
        String first = start + " -n __fish_use_subcommand";
        program.getSubcommands()
                .forEach((name, command) -> lines.add(first + " -f -a " + name
                        + described(command.getCommandSpec().usageMessage().description())));
        program.getCommandSpec().options().forEach(option -> lines.add(first + option(option)));
        program.getSubcommands().forEach((name, command) -> {
            String within = start + " -n '__fish_seen_subcommand_from " + name + "'";
            CommandSpec spec = command.getCommandSpec();
            spec.options().stream()
                    .filter(option -> !option.hidden())
                    .forEach(option -> lines.add(within + option(option)));
            for (PositionalParamSpec parameter : spec.positionalParameters()) {
                if (parameter.completionCandidates() != null) {
                    lines.add(within + " -f" + values(parameter) + described(parameter.description()));
                }
            }
        });
        return lines;
    }

    private static String option(OptionSpec option) {
        StringBuilder text = new StringBuilder();
        for (String name : option.names()) {
            text.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        if (option.arity().max() > 0) {
            // -x: a value, and no file; -r: a value, which may be a file.
            text.append(option.completionCandidates() == null ? " -r" : " -x" + values(option));
        }
        return text + described(option.description());
    }

    private static String values(ArgSpec argument) {
        @Nullable Iterable<String> candidates = argument.completionCandidates();
        return candidates == null
                ? ""
                : " -a "
                        + quoted(StreamSupport.stream(candidates.spliterator(), false)
                                .collect(Collectors.joining(" ")));
    }

    /** Returns the first sentence or clause of a description. */
    private static String described(String... description) {
        if (description.length == 0) {
            return "";
        }
        String text = description[0].split("[.;:,](?: |$)| \\(", 2)[0].strip();
        return " -d " + quoted(text.length() > MAX_DESCRIPTION ? text.substring(0, MAX_DESCRIPTION) + "..." : text);
    }

    /** Quotes a text for fish, where only the backslash and the quote are special in single quotes. */
    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
