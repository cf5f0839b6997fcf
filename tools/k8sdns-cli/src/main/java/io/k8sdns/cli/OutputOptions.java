package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.flag;
import static io.k8sdns.cli.CommandSpecs.option;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options for the format of a command's output: {@code -o}, and {@code --json}, which is {@code -o json}. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class OutputOptions {
    /** A format. */
    enum Format {
        /** For people, the default. */
        TEXT,

        /** One JSON object a line. */
        JSON,

        /** The objects of {@link #JSON} as YAML documents. */
        YAML,

        /** Only names, one a line: usually the owner names of records. */
        NAME,

        /** JUnit's XML report. */
        JUNIT,

        /** A table for a comment on a change. */
        MARKDOWN,

        /** A drawing. */
        SVG,

        /** A page for a browser. */
        HTML;

        /** Returns the value of {@code -o}. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final List<Format> supported = new ArrayList<>(List.of(Format.TEXT, Format.JSON, Format.YAML));

    /** The output of {@link Format#NAME}, for the help. */
    private String names = "the names alone";

    private boolean json;
    private @Nullable Format given;
    private CommandSpec command;

    /** Creates the options of a command that has {@code text}, {@code json}, {@code yaml}, and these formats. */
    OutputOptions(Format... others) {
        supported.addAll(List.of(others));
    }

    /** Sets what {@code name} prints, for the help. */
    OutputOptions withNames(String description) {
        names = description;
        return this;
    }

    /**
     * Declares the options.
     *
     * @param heading the heading in the help
     * @param objects what the JSON objects are, for the help
     */
    void declare(CommandSpec command, String heading, String objects) {
        this.command = command;
        addOptions(
                command,
                heading,
                option("--output", Format.class, value -> given = value)
                        .names("-o", "--output")
                        .converters(Main.words(supported, Format::word))
                        .paramLabel(supported.stream().map(Format::word).collect(Collectors.joining("|")))
                        .description("The format of the output; yaml has the objects of json as documents"
                                + (supported.contains(Format.NAME) ? ", name " + names : "")
                                + (supported.contains(Format.JUNIT) ? ", junit is a report for CI systems" : "")
                                + (supported.contains(Format.MARKDOWN) ? ", markdown a table for a pull request" : "")
                                + (supported.contains(Format.SVG) ? ", svg a drawing" : "")
                                + (supported.contains(Format.HTML) ? ", html a page to open and search" : "")
                                + " (default: text)."
                                + (supported.contains(Format.NAME)
                                        ? ""
                                        : " There is no name: the output has no list of names.")),
                flag("--json", value -> json = value).description("As -o json: " + objects));
    }

    /**
     * Returns the format.
     *
     * @throws ParameterException if the options contradict each other
     */
    Format format() {
        if (json && given != null && given != Format.JSON) {
            throw new ParameterException(
                    command.commandLine(), "--json and -o " + given.word() + " exclude each other");
        }
        if (json) {
            return Format.JSON;
        }
        return given == null ? Format.TEXT : given;
    }

    /** Checks the options as {@link #format} does. */
    void check() {
        Format unused = format();
    }

    /** Returns whether the output consists of objects, in JSON or YAML. */
    boolean isObjects() {
        return format() == Format.JSON || format() == Format.YAML;
    }

    /** Prints an object in JSON or YAML. */
    void print(OutputObject object, PrintWriter out) {
        if (format() == Format.YAML) {
            out.print(YamlOutput.of(object));
        } else {
            out.println(JsonText.of(object));
        }
    }
}
