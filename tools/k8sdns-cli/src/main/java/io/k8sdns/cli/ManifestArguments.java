package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.flag;
import static io.k8sdns.cli.CommandSpecs.options;
import static io.k8sdns.cli.CommandSpecs.parameters;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The manifests that a command reads: {@code -f}, and positional parameters of commands that have no other ones. */
final class ManifestArguments {
    private static final String FORMS =
            "files, directories (every .yaml, .yml and .json file below), - for standard input";

    private List<String> files = List.of();
    private List<String> positional = List.of();

    /** Declares the option. */
    void declare(CommandSpec command) {
        addOptions(
                command,
                HelpSections.OWN,
                options("--filename", String.class, value -> files = value)
                        .names("-f", "--filename")
                        .paramLabel("MANIFEST")
                        .description("The manifests: " + FORMS + "; repeatable, or separated by commas."),
                flag("--recursive", any -> {})
                        .names("-R", "--recursive")
                        .description("Accepted as with kubectl: directories are always read with all below them."));
    }

    /** Declares the positional parameters. */
    void declarePositional(CommandSpec command) {
        command.addPositional(parameters(value -> positional = value)
                .paramLabel("MANIFEST")
                .arity("0..*")
                .description("As -f: " + FORMS + ".")
                .build());
    }

    /** Returns the manifests, those of {@code -f} first. */
    List<String> all() {
        return Stream.concat(files.stream().flatMap(ManifestArguments::split), positional.stream())
                .toList();
    }

    /** Splits a value at its commas, as kubectl does, unless it is the name of a file. */
    private static Stream<String> split(String value) {
        return value.indexOf(',') < 0 || Files.exists(Path.of(value))
                ? Stream.of(value)
                : Arrays.stream(value.split(",", -1));
    }
}
