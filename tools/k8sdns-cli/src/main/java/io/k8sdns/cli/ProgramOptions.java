package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The options of every command for its messages on stderr, which are notes, warnings, errors and the log: {@code --quiet}, {@code
 * --log-level}, {@code --log-format}, {@code --debug}.
 */
final class ProgramOptions {
    private static final String HEADING = "Messages of the program:";
    private static final String QUIET = "--quiet";
    private static final String DEBUG = "--debug";
    private static final String LOG_LEVEL = "--log-level";
    private static final String LOG_FORMAT = "--log-format";

    private ProgramOptions() {}

    /** Declares the options. */
    static CommandSpec declare(CommandSpec command) {
        addOptions(
                command,
                HEADING,
                OptionSpec.builder("-q", QUIET)
                        .type(boolean.class)
                        .description("Print only errors to stderr, as --log-level error does."),
                OptionSpec.builder(LOG_LEVEL)
                        .type(LogLines.Level.class)
                        .converters(Main.words(List.of(LogLines.Level.values()), LogLines.Level::word))
                        .paramLabel("off|error|warn|info|debug|trace")
                        .description(
                                "The lowest level that is printed to stderr: notes, summaries and progress have level "
                                        + "info, warnings warn; the error that ends a command is always printed (default: info)."),
                OptionSpec.builder(LOG_FORMAT)
                        .type(LogLines.Format.class)
                        .converters(Main.words(List.of(LogLines.Format.values()), LogLines.Format::word))
                        .paramLabel("text|json")
                        .description("How the lines on stderr are written: json is one object a line (default: text)."),
                OptionSpec.builder(DEBUG)
                        .type(boolean.class)
                        .description("Print the stack trace of an error, in the log, too."));
        return command;
    }

    /** Returns whether an option is one of these. */
    static boolean contains(OptionSpec option) {
        return HEADING.equals(option.userObject());
    }

    /**
     * Applies the options to the log and to the command's messages.
     *
     * @throws ParameterException if the options contradict each other
     */
    static void apply(ParseResult parsed) {
        ParseResult command = last(parsed);
        CommandLine commandLine = command.commandSpec().commandLine();
        boolean isQuiet = command.hasMatchedOption(QUIET);
        if (isQuiet && command.hasMatchedOption(LOG_LEVEL)) {
            throw new ParameterException(commandLine, QUIET + " and " + LOG_LEVEL + " exclude each other");
        }
        LogLines.Settings settings = new LogLines.Settings(
                isQuiet ? LogLines.Level.ERROR : command.matchedOptionValue(LOG_LEVEL, LogLines.Level.INFO),
                command.matchedOptionValue(LOG_FORMAT, LogLines.Format.TEXT),
                command.hasMatchedOption(DEBUG));
        LogLines.use(settings);
        PrintableWriter.to(commandLine.getErr()).use(settings);
    }

    private static ParseResult last(ParseResult parsed) {
        return parsed.hasSubcommand() ? last(parsed.subcommand()) : parsed;
    }
}
