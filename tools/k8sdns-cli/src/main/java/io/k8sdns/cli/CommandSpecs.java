package io.k8sdns.cli;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Declares commands, options and parameters for picocli, each with the field that receives its value.
 *
 * <p>picocli's annotations would be shorter, but cost a tenth of the startup time: the JDK generates a class for each annotation
 * type at run time, and class data archives cannot contain these classes.
 */
final class CommandSpecs {
    /** The label of an option whose value is one of several words, for example {@code rotate|stable|shuffle}. */
    private static final Pattern WORDS = Pattern.compile("[a-z0-9.-]+(\\|[a-z0-9.-]+)+");

    private CommandSpecs() {}

    /**
     * Returns a command without options.
     *
     * @param runs the {@code Callable} that is run
     */
    static CommandSpec command(String name, Object runs) {
        CommandSpec command = CommandSpec.wrapWithoutInspection(runs).name(name);
        command.usageMessage().footerHeading("%nExamples:%n").exitCodeListHeading("%nExit codes:%n");
        return command;
    }

    /** Adds {@code --help} and {@code --version} after the other options. */
    static CommandSpec withHelp(CommandSpec command) {
        return command.versionProvider(new Main.Version())
                .addOption(OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("Show this help message and exit.")
                        .build())
                .addOption(OptionSpec.builder("-V", "--version")
                        .versionHelp(true)
                        .description("Print version information and exit.")
                        .build());
    }

    /** Returns the exit codes for the help. */
    static Map<String, String> exitCodes(String... lines) {
        return UsageMessageSpec.keyValuesMap(lines);
    }

    /** Adds options under a heading of {@code --help}. */
    static void addOptions(CommandSpec command, String heading, OptionSpec.Builder... options) {
        for (OptionSpec.Builder option : options) {
            if (WORDS.matcher(String.valueOf(option.paramLabel())).matches()) {
                // picocli would complete the constants of an enum, in capitals.
                option.completionCandidates(List.of(option.paramLabel().split("\\|", -1)));
            }
            command.addOption(option.userObject(heading).build());
        }
    }

    /** Returns an option without a value. */
    static OptionSpec.Builder flag(String name, Consumer<Boolean> field) {
        return bound(name, false, field).type(boolean.class);
    }

    /** Returns an option with one value; null if it is not given and has no default. */
    static <T> OptionSpec.Builder option(String name, Class<T> type, Consumer<T> field) {
        return bound(name, type == long.class ? 0L : null, field).type(type);
    }

    /** Returns an option with a value, empty if it is not given. */
    static <T> OptionSpec.Builder optional(String name, Class<T> type, Consumer<Optional<T>> field) {
        return bound(name, null, field).type(Optional.class).auxiliaryTypes(type);
    }

    /** Returns an option that can be repeated. */
    static <T> OptionSpec.Builder options(String name, Class<T> type, Consumer<List<T>> field) {
        return bound(name, List.of(), field).type(List.class).auxiliaryTypes(type);
    }

    /** Returns an option with values {@code KEY=VALUE} that can be repeated. */
    static OptionSpec.Builder pairs(String name, Consumer<Map<String, String>> field) {
        return bound(name, Map.of(), field).type(Map.class).auxiliaryTypes(String.class, String.class);
    }

    /** Returns an option whose value is reset each time that the command is parsed. */
    private static OptionSpec.Builder bound(String name, @Nullable Object initial, Consumer<?> field) {
        Binding binding = new Binding(field);
        return OptionSpec.builder(name)
                .getter(binding)
                .setter(binding)
                .initialValue(initial)
                .hasInitialValue(true);
    }

    /** Returns a required positional parameter. */
    static PositionalParamSpec.Builder parameter(String index, Consumer<String> field) {
        Binding binding = new Binding(field);
        return PositionalParamSpec.builder()
                .index(index)
                .type(String.class)
                .required(true)
                .getter(binding)
                .setter(binding);
    }

    /**
     * Adds the parameters {@code NAME [TYPE]}.
     *
     * @param types the types that the command takes, for its help
     */
    static void addQuestion(CommandSpec command, Consumer<String> name, Consumer<String> type, String types) {
        addName(command, name);
        command.addPositional(type(type)
                .defaultValue("A")
                .description(types + " (default: ${DEFAULT-VALUE}).")
                .build());
    }

    /** Adds the parameter {@code NAME}. */
    static void addName(CommandSpec command, Consumer<String> name) {
        command.addPositional(parameter("0", name)
                .paramLabel("NAME")
                .description("The name; after -- if it begins with a dash.")
                .build());
    }

    /** Returns the optional parameter {@code TYPE} after {@code NAME}. */
    static PositionalParamSpec.Builder type(Consumer<String> type) {
        return parameter("1", type).required(false).arity("0..1").paramLabel("TYPE");
    }

    /** Returns a parameter that receives all positional arguments. */
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

    /** A value, and the field that receives it. */
    private static final class Binding implements IGetter, ISetter {
        private final Consumer<Object> field;
        private @Nullable Object value;

        /** The field has the type that the argument was declared with. */
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
