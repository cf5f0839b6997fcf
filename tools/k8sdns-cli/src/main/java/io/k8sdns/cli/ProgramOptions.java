package io.k8sdns.cli;

import static io.k8sdns.cli.Declared.addOptions;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The options of every command for messages of the program: {@code --debug}, {@code --log-level}, {@code --log-format}. */
final class ProgramOptions {
    private static final String HEADING = "Messages of the program:";
    private static final String DEBUG = "--debug";
    private static final String LOG_LEVEL = "--log-level";
    private static final String LOG_FORMAT = "--log-format";

    private ProgramOptions() {}

    /** Declares the options. */
    static CommandSpec declare(CommandSpec command) {
        addOptions(
                command,
                HEADING,
                OptionSpec.builder(DEBUG)
                        .type(boolean.class)
                        .description("Print the stack trace of an error, in the log, too."),
                OptionSpec.builder(LOG_LEVEL)
                        .type(LogLines.Level.class)
                        .converters(Main.words(List.of(LogLines.Level.values()), LogLines.Level::word))
                        .paramLabel("off|error|warn|info|debug|trace")
                        .description("The lowest level that is logged on stderr (default: info)."),
                OptionSpec.builder(LOG_FORMAT)
                        .type(LogLines.Format.class)
                        .converters(Main.words(List.of(LogLines.Format.values()), LogLines.Format::word))
                        .paramLabel("text|json")
                        .description("How the lines of the log are written (default: text)."));
        return command;
    }

    /** Returns whether an option is one of these. */
    static boolean contains(OptionSpec option) {
        return HEADING.equals(option.userObject());
    }

    /** Returns whether stack traces are printed. */
    static boolean isDebug(ParseResult parsed) {
        return last(parsed).hasMatchedOption(DEBUG);
    }

    /** Applies the options to the log. */
    static void apply(ParseResult parsed) {
        ParseResult command = last(parsed);
        LogLines.use(new LogLines.Settings(
                command.matchedOptionValue(LOG_LEVEL, LogLines.Level.INFO),
                command.matchedOptionValue(LOG_FORMAT, LogLines.Format.TEXT),
                isDebug(parsed)));
    }

    private static ParseResult last(ParseResult parsed) {
        return parsed.hasSubcommand() ? last(parsed.subcommand()) : parsed;
    }
}
