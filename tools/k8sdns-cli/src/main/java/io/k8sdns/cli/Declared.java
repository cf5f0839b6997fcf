package io.k8sdns.cli;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * What picocli is told of commands, options and parameters, each with the field that takes its value.
 *
 * <p>picocli's annotations say the same in fewer words, but for each kind of annotation the JDK writes a class when one is
 * first read, and no archive holds those: a tenth of a start.
 */
final class Declared {
    private Declared() {}

    /**
     * Returns a command that has no options yet.
     *
     * @param runs what is run
     */
    static CommandSpec command(String name, Object runs) {
        CommandSpec command = CommandSpec.wrapWithoutInspection(runs).name(name);
        command.usageMessage().footerHeading("%nExamples:%n").exitCodeListHeading("%nExit codes:%n");
        return command;
    }

    /** Adds {@code --help} and {@code --version} behind the other options. */
    static CommandSpec withHelp(CommandSpec command) {
        return command.addOption(OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("Show this help message and exit.")
                        .build())
                .addOption(OptionSpec.builder("-V", "--version")
                        .versionHelp(true)
                        .description("Print version information and exit.")
                        .build());
    }

    /** Returns the lines of the help on exit codes, each {@code CODE:meaning}. */
    static Map<String, String> exitCodes(String... lines) {
        return UsageMessageSpec.keyValuesMap(lines);
    }

    /** Adds options, which {@code --help} prints under this heading. */
    static void addOptions(CommandSpec command, String heading, OptionSpec.Builder... options) {
        for (OptionSpec.Builder option : options) {
            command.addOption(option.userObject(heading).build());
        }
    }

    /** An option without a value. */
    static OptionSpec.Builder flag(String name, Consumer<Boolean> field) {
        return bound(name, false, field).type(boolean.class);
    }

    /** An option with one value: null if it neither is given nor has a default value. */
    static <T> OptionSpec.Builder option(String name, Class<T> type, Consumer<T> field) {
        return bound(name, type == long.class ? 0L : null, field).type(type);
    }

    /** An option with one value or none. */
    static <T> OptionSpec.Builder optional(String name, Class<T> type, Consumer<Optional<T>> field) {
        return bound(name, null, field).type(Optional.class).auxiliaryTypes(type);
    }

    /** An option that can be repeated. */
    static <T> OptionSpec.Builder options(String name, Class<T> type, Consumer<List<T>> field) {
        return bound(name, List.of(), field).type(List.class).auxiliaryTypes(type);
    }

    /** An option that can be repeated, of values {@code KEY=VALUE}. */
    static OptionSpec.Builder pairs(String name, Consumer<Map<String, String>> field) {
        return bound(name, Map.of(), field).type(Map.class).auxiliaryTypes(String.class, String.class);
    }

    /** A command can be parsed again: then every value begins anew. */
    private static OptionSpec.Builder bound(String name, @Nullable Object initial, Consumer<?> field) {
        Binding binding = new Binding(field);
        return OptionSpec.builder(name)
                .getter(binding)
                .setter(binding)
                .initialValue(initial)
                .hasInitialValue(true);
    }

    /** What must stand at a place among the arguments that belong to no option. */
    static PositionalParamSpec.Builder parameter(String index, Consumer<String> field) {
        Binding binding = new Binding(field);
        return PositionalParamSpec.builder()
                .index(index)
                .type(String.class)
                .required(true)
                .getter(binding)
                .setter(binding);
    }

    /** All arguments that belong to no option. */
    static PositionalParamSpec.Builder parameters(Consumer<List<String>> field) {
        Binding binding = new Binding(field);
        return PositionalParamSpec.builder()
                .type(List.class)
                .auxiliaryTypes(String.class)
                .getter(binding)
                .setter(binding)
                .initialValue(List.of())
                .hasInitialValue(true);
    }

    /** The manifests that objects come from, if any are given. */
    static PositionalParamSpec.Builder manifests(Consumer<List<String>> field) {
        return parameters(field)
                .paramLabel("MANIFEST")
                .arity("0..*")
                .description("Files, directories (every .yaml, .yml and .json file below), - for standard input.");
    }

    /** A value, and the field that it goes to. */
    private static final class Binding implements IGetter, ISetter {
        private final Consumer<Object> field;
        private @Nullable Object value;

        /** The type of the field is the one that the argument was declared with. */
        @SuppressWarnings("unchecked")
        Binding(Consumer<?> field) {
            this.field = (Consumer<Object>) field;
        }

        @Override
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals", "NullAway"
        }) // Picocli's signature; null is none.
        public <T> T get() {
            return (T) value;
        }

        @Override
        public <T> T set(T value) {
            this.value = value;
            field.accept(value);
            return value;
        }
    }
}
