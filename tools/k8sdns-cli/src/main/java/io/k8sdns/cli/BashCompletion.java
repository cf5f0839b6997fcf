package io.k8sdns.cli;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;

/** The completion scripts for bash and zsh: picocli's scripts, without the lines that change other completions. */
final class BashCompletion {
    private static final String FIRST_LINE_OF_CODE = "if [ -n \"$BASH_VERSION\" ]; then";

    private static final Set<String> OMITTED_LINES = Set.of(
            // Without this line bash completes the names of files where the script has no value to offer.
            "type compopt &>/dev/null && compopt +o default",
            // In zsh these two end the completion of the user's aliases for other commands.
            "setopt COMPLETE_ALIASES",
            "alias compopt=complete",
            "# Make alias a distinct command for completion purposes when using zsh (see [4])");

    /** Makes the words of {@code --output=j}, which bash divides at the equals sign, those of {@code --output j}. */
    private static final List<String> WITHOUT_EQUALS = List.of(
            "  if [ \"${COMP_WORDS[COMP_CWORD]}\" = \"=\" ]; then",
            "    COMP_WORDS[COMP_CWORD]=",
            "  elif [ \"${COMP_WORDS[COMP_CWORD-1]}\" = \"=\" ]; then",
            "    COMP_WORDS[COMP_CWORD-1]=${COMP_WORDS[COMP_CWORD]}",
            "    COMP_CWORD=$((COMP_CWORD - 1))",
            "  fi");

    private BashCompletion() {}

    /**
     * Returns the lines of the script for zsh, which enables zsh's emulation of bash completion. It can be sourced, and be a file of
     * {@code fpath}: then the first line names the command to be completed, and the file is the body of a function, which has to
     * complete when it is called first.
     */
    static List<String> linesForZsh(CommandLine program) {
        String name = program.getCommandName();
        return Stream.of(
                        Stream.of("#compdef " + name),
                        lines(program).stream(),
                        Stream.of(
                                "",
                                "if [ \"${funcstack[1]-}\" = _" + name + " ]; then",
                                "  _bash_complete -o default -F _complete_" + name,
                                "fi"))
                .flatMap(lines -> lines)
                .toList();
    }

    /** Returns the lines of the script for bash. zsh can source it, too. */
    static List<String> lines(CommandLine program) {
        String start = "function _complete_" + program.getCommandName() + "() {";
        return Stream.concat(
                        Stream.of("# Completion of " + program.getCommandName() + " for bash and zsh.", ""),
                        AutoComplete.bash(program.getCommandName(), program)
                                .lines()
                                .dropWhile(line -> !line.equals(FIRST_LINE_OF_CODE))
                                .filter(line -> !OMITTED_LINES.contains(line.strip()))
                                .flatMap(line -> Stream.concat(
                                        Stream.of(line), line.equals(start) ? WITHOUT_EQUALS.stream() : Stream.of())))
                .toList();
    }
}
