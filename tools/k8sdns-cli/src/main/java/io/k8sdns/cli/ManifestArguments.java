package io.k8sdns.cli;

import static io.k8sdns.cli.Declared.addOptions;
import static io.k8sdns.cli.Declared.options;
import static io.k8sdns.cli.Declared.parameters;

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
                        .description("The manifests: " + FORMS + "; repeatable."));
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
        return Stream.concat(files.stream(), positional.stream()).toList();
    }
}
