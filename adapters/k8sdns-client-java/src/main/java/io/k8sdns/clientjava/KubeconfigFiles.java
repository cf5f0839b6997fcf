package io.k8sdns.clientjava;

import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Kubeconfig files, merged as kubectl merges those in {@code $KUBECONFIG}: the current context is that of the first file that has one,
 * and of several contexts, clusters or users with one name the first counts, with none of the fields of the others. Missing and
 * empty files are skipped.
 */
final class KubeconfigFiles {
    /** One file. */
    private record Contents(Path file, KubeConfig config) {
        List<?> entries(String what) {
            List<?> entries = switch (what) {
                case "context" -> config.getContexts();
                case "cluster" -> config.getClusters();
                default -> config.getUsers();
            };
            return Objects.requireNonNullElse(entries, List.of());
        }
    }

    /**
     * A context, cluster or user.
     *
     * @param name its name; empty if the context names no user
     * @param file the file that has it; paths in it are relative to the folder of the file
     * @param members its fields, a copy that can be changed
     */
    record Entry(String name, Path file, Map<Object, Object> members) {}

    private final Path first;
    private final List<Contents> contents = new ArrayList<>();

    /** The files as in messages. */
    private final List<String> names = new ArrayList<>();

    /**
     * Reads the files.
     *
     * @param files at least one
     * @throws InvalidKubeconfigException if one is not a kubeconfig, for example a directory
     * @throws NoSuchFileException if none exists
     * @throws IOException if one cannot be read
     */
    KubeconfigFiles(List<Path> files) throws IOException {
        first = files.get(0);
        NoSuchFileException missing = null;
        for (Path file : files) {
            try {
                String text = text(file);
                names.add(file.toString());
                if (!text.isBlank()) {
                    contents.add(new Contents(file, load(file, text)));
                }
            } catch (NoSuchFileException none) {
                names.add(file + " (no such file)");
                missing = none;
            }
        }
        if (missing != null && contents.isEmpty()) {
            throw missing;
        }
    }

    private static String text(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new InvalidKubeconfigException(
                    file, Optional.empty(), "a directory, not the file of a kubeconfig: " + file, null);
        }
        try {
            return Files.readString(file);
        } catch (CharacterCodingException binary) {
            throw new InvalidKubeconfigException(
                    file, Optional.empty(), "not a kubeconfig: " + file + ": not UTF-8", binary);
        }
    }

    private static KubeConfig load(Path file, String text) {
        try {
            return KubeConfig.loadKubeConfig(new StringReader(text));
        } catch (RuntimeException notYaml) {
            // A YAMLException of SnakeYAML, which is not a dependency of this module.
            throw new InvalidKubeconfigException(file, Optional.empty(), "not a kubeconfig: " + file, notYaml);
        }
    }

    /** Returns the first file, for errors that concern all files. */
    Path first() {
        return first;
    }

    /** Returns the verb of a sentence about the files. */
    String have() {
        return names.size() == 1 ? "has" : "have";
    }

    /** Returns the name of the current context; empty if no file has one. */
    Optional<String> currentContext() {
        for (Contents one : contents) {
            String name = one.config().getCurrentContext();
            if (name != null && !name.isEmpty()) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }

    /** Returns the names of all contexts. */
    List<String> contexts() {
        return contents.stream()
                .flatMap(one -> one.entries("context").stream())
                .flatMap(entry -> entry instanceof Map<?, ?> map && map.get("name") instanceof String name
                        ? Optional.of(name).stream()
                        : Optional.<String>empty().stream())
                .distinct()
                .toList();
    }

    /**
     * Returns the first entry with a name.
     *
     * @param what {@code context}, {@code cluster} or {@code user}
     */
    Optional<Entry> find(String what, @Nullable Object name) {
        for (Contents one : contents) {
            for (Object entry : one.entries(what)) {
                if (entry instanceof Map<?, ?> map && map.get("name") instanceof String found && found.equals(name)) {
                    Map<Object, Object> members = new LinkedHashMap<>();
                    if (map.get(what) instanceof Map<?, ?> fields) {
                        members.putAll(fields);
                    }
                    return Optional.of(new Entry(found, one.file(), members));
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return String.join(", ", names);
    }
}
