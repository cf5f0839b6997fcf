package io.k8sdns.cli;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;

/** The completion script for bash and zsh: picocli's, without what disturbs. */
final class BashCompletion {
    private static final String FIRST_LINE_OF_CODE = "if [ -n \"$BASH_VERSION\" ]; then";

    private static final Set<String> DISTURBING = Set.of(
            // Without this line bash completes the names of files where the script has no value to offer.
            "type compopt &>/dev/null && compopt +o default",
            // In zsh these two end the completion of the user's aliases for other commands.
            "setopt COMPLETE_ALIASES",
            "alias compopt=complete",
            "# Make alias a distinct command for completion purposes when using zsh (see [4])");

    private BashCompletion() {}

    /** Returns the lines of the script. */
    static List<String> lines(CommandLine program) {
        return Stream.concat(
                        Stream.of("# Completion of " + program.getCommandName() + " for bash and zsh.", ""),
                        AutoComplete.bash(program.getCommandName(), program)
                                .lines()
                                .dropWhile(line -> !line.equals(FIRST_LINE_OF_CODE))
                                .filter(line -> !DISTURBING.contains(line.strip())))
                .toList();
    }
}
