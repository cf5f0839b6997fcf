package io.k8sdns.cli;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * A YAML file with options of a command: the keys are the long names of options without dashes. The value is a text, {@code true} or
 * {@code false} for an option without a value, or a list for an option that can be repeated. For example:
 *
 * <pre>{@code
 * listen: ["127.0.0.1:53", "[::1]:53"]
 * live: true
 * ttl: 30
 * }</pre>
 *
 * <p>The file is translated to arguments, so that the options are declared, checked and described in one place.
 */
final class ConfigFile {
    private final String file;

    /** The arguments of each option of the file, by long name, in the order of the file. */
    private final Map<String, List<String>> arguments = new LinkedHashMap<>();

    private final Map<String, Integer> lines = new LinkedHashMap<>();

    private ConfigFile(String file) {
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @param file a path, or {@code -} for standard input
     * @param command declares the options
     * @param excluded long names of options that cannot be in the file
     * @throws IOException if the file is missing or cannot be read
     * @throws IllegalArgumentException if it is not such a file; the message contains file and line
     */
    static ConfigFile read(String file, CommandSpec command, Set<String> excluded) throws IOException {
        ConfigFile config = new ConfigFile(file);
        try (Reader reader = new InputStreamReader(InputFile.open(file), StandardCharsets.UTF_8)) {
            Node root = new Yaml(new LoaderOptions()).compose(reader);
            if (root instanceof MappingNode mapping) {
                for (NodeTuple entry : mapping.getValue()) {
                    config.add(entry, command, excluded);
                }
            } else if (root != null && !root.getTag().equals(Tag.NULL)) {
                throw config.invalid(root, "not a mapping of options to values");
            }
        } catch (MarkedYAMLException broken) {
            int line = broken.getProblemMark() == null
                    ? 1
                    : broken.getProblemMark().getLine() + 1;
            throw new IllegalArgumentException(file + ":" + line + ": not valid YAML: " + broken.getProblem(), broken);
        } catch (YAMLException broken) {
            throw new IllegalArgumentException(file + ": not valid YAML: " + broken.getMessage(), broken);
        }
        return config;
    }

    private void add(NodeTuple entry, CommandSpec command, Set<String> excluded) {
        String key = text(entry.getKeyNode());
        String name = "--" + key;
        @Nullable OptionSpec option = command.findOption(name);
        if (option == null || excluded.contains(name)) {
            throw invalid(
                    entry.getKeyNode(),
                    "unknown key '" + key + "': not the long name of an option of " + command.qualifiedName()
                            + " that can be in a file"
                            + DidYouMean.question(UnknownArguments.similarOption(inKebabCase(key), command)
                                    .filter(similar -> !excluded.contains("--" + similar))));
        }
        // An option with two long names is stored under one of them.
        String stored = option.longestName();
        if (arguments.containsKey(stored)) {
            throw invalid(entry.getKeyNode(), "'" + key + "' is given before, in line " + lines.get(stored));
        }
        lines.put(stored, line(entry.getKeyNode()));
        arguments.put(stored, option.arity().max() == 0 ? flag(name, entry) : values(option, name, entry));
    }

    /** Returns a key that may be written in camel case or with underscores, or with the dashes of the option, as the name of an option. */
    private static String inKebabCase(String key) {
        return key.replaceFirst("^--?", "")
                .replaceAll("([a-z])([A-Z])", "$1-$2")
                .replace('_', '-')
                .toLowerCase(Locale.ROOT);
    }

    private List<String> flag(String name, NodeTuple entry) {
        String value = text(entry.getValueNode()).toLowerCase(Locale.ROOT);
        return switch (value) {
            case "true" -> List.of(name);
            case "false" -> List.of();
            default -> throw invalid(entry.getValueNode(), "'" + name.substring(2) + "' is true or false");
        };
    }

    private List<String> values(OptionSpec option, String name, NodeTuple entry) {
        Node value = entry.getValueNode();
        if (!(value instanceof SequenceNode list)) {
            return List.of(name + "=" + text(value));
        }
        if (!option.isMultiValue()) {
            throw invalid(value, "'" + name.substring(2) + "' has one value, not a list");
        }
        List<String> all = new ArrayList<>();
        list.getValue().forEach(one -> all.add(name + "=" + text(one)));
        return all;
    }

    private String text(Node node) {
        if (node instanceof ScalarNode scalar && !node.getTag().equals(Tag.NULL)) {
            return scalar.getValue();
        }
        throw invalid(node, node instanceof ScalarNode ? "no value" : "a text or a number is expected here");
    }

    private IllegalArgumentException invalid(Node node, String text) {
        return new IllegalArgumentException(file + ":" + line(node) + ": " + text);
    }

    private static int line(Node node) {
        return node.getStartMark().getLine() + 1;
    }

    /** Returns the arguments of the options of the file, except some of them. */
    List<String> argumentsWithout(Set<String> names) {
        return arguments.entrySet().stream()
                .filter(entry -> !names.contains(entry.getKey()))
                .flatMap(entry -> entry.getValue().stream())
                .toList();
    }

    /** Returns the location of an option for a message: {@code FILE:LINE: }; an empty text if the option is not in the file. */
    String location(String name) {
        Integer line = lines.get(name);
        return line == null ? "" : file + ":" + line + ": ";
    }
}
