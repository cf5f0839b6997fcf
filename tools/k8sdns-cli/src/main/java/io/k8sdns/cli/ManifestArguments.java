package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.flag;
import static io.k8sdns.cli.CommandSpecs.options;
import static io.k8sdns.cli.CommandSpecs.parameters;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The manifests that a command reads: {@code -f}, and positional parameters of commands that have no other ones. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class ManifestArguments {
    private static final String FORMS =
            "files, directories (every .yaml, .yml and .json file below), - for standard input";

    private static final Pattern URL = Pattern.compile("https?://", Pattern.CASE_INSENSITIVE);

    private List<String> files = List.of();
    private List<String> positional = List.of();
    private CommandSpec command;

    /** Declares the options of a command that reads all objects. */
    void declare(CommandSpec command) {
        declare(command, "The manifests: " + FORMS + "; repeatable, or separated by commas.");
    }

    /** Declares the options of a command that compares manifests with another source. */
    void declareOfSide(CommandSpec command) {
        declare(command, "The manifests that are B: " + FORMS + "; repeatable, or separated by commas.");
    }

    private void declare(CommandSpec command, String description) {
        declare(command, description, List.of());
    }

    private void declare(CommandSpec command, String description, List<String> otherNames) {
        declareFiles(command, description, otherNames);
        addOptions(
                command,
                HelpSections.OWN,
                flag("--recursive", any -> {})
                        .names("-R", "--recursive")
                        .description("Accepted as with kubectl: directories are always read with all below them."));
    }

    /** Declares the option of a command that reads one Pod; {@code --pod} is another name of {@code --filename}. */
    void declareOfPod(CommandSpec command) {
        declare(
                command,
                "The manifest: " + FORMS
                        + "; repeatable, or separated by commas. Of several objects the first Pod or workload counts, "
                        + "also in a list, unless --from names another; of a workload its first Pod.",
                List.of("--pod"));
    }

    private void declareFiles(CommandSpec command, String description, List<String> otherNames) {
        this.command = command;
        addOptions(
                command,
                HelpSections.OWN,
                options("--filename", String.class, value -> files = value)
                        .names(Stream.concat(Stream.of("-f", "--filename"), otherNames.stream())
                                .toArray(String[]::new))
                        .paramLabel("MANIFEST")
                        .description(description));
    }

    /** Declares the positional parameters. */
    void declarePositional(CommandSpec command) {
        command.addPositional(parameters(value -> positional = value)
                .paramLabel("MANIFEST")
                .arity("0..*")
                .description("As -f: " + FORMS + ".")
                .build());
    }

    /**
     * Returns the manifests, those of {@code -f} first.
     *
     * @throws ParameterException if one is an empty text or a URL
     */
    List<String> all() {
        List<String> all = Stream.concat(files.stream().flatMap(ManifestArguments::split), positional.stream())
                .toList();
        if (all.contains("")) {
            // Path.of("") is the working directory, which would be read recursively.
            throw usage("MANIFEST is an empty text (the working directory is '.')");
        }
        all.forEach(file -> requireNoUrl(file, command, UsageHints.standardInput(command.name())));
        return all;
    }

    /**
     * Checks that a manifest is not a URL.
     *
     * @param standardInput the arguments with which the command reads standard input
     * @throws ParameterException if it is one
     */
    static void requireNoUrl(String manifest, CommandSpec command, String standardInput) {
        if (URL.matcher(manifest).lookingAt()) {
            throw new ParameterException(
                    command.commandLine(),
                    "manifests are not downloaded; use curl -fsSL '" + manifest + "' | " + command.qualifiedName()
                            + standardInput);
        }
    }

    private ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }

    /** Splits a value at its commas, as kubectl does, unless it is the name of a file. */
    private static Stream<String> split(String value) {
        return value.indexOf(',') < 0 || Files.exists(Path.of(value))
                ? Stream.of(value)
                : Arrays.stream(value.split(",", -1));
    }
}
