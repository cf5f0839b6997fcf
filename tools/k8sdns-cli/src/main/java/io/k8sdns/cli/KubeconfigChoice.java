package io.k8sdns.cli;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The kubeconfig that kubectl would use. Unlike kubectl, which merges the files in {@code $KUBECONFIG}, k8sdns reads only the first
 * of them that exists, because the official Java client does not merge.
 *
 * @param file the file, which exists
 * @param ignored the other files in {@code $KUBECONFIG} that exist
 */
record KubeconfigChoice(Path file, List<Path> ignored) {
    /**
     * Chooses the file.
     *
     * @param variable the value of {@code $KUBECONFIG}, paths separated by the path separator of the system; null if it is not set
     * @param home the user's home directory
     * @throws IllegalArgumentException if there is no file; the message lists the paths
     */
    static KubeconfigChoice of(@Nullable String variable, Path home) {
        List<Path> paths = variable == null || variable.isEmpty()
                ? List.of(home.resolve(".kube").resolve("config"))
                : Stream.of(variable.split(File.pathSeparator, -1))
                        .filter(path -> !path.isEmpty())
                        .map(Path::of)
                        .toList();
        List<Path> existing = paths.stream().filter(Files::exists).toList();
        if (existing.isEmpty()) {
            throw new IllegalArgumentException("no such file: " + listed(paths)
                    + (variable == null || variable.isEmpty()
                            ? ", and $KUBECONFIG is not set; in a Pod use --in-cluster"
                            : ", in $KUBECONFIG"));
        }
        return new KubeconfigChoice(existing.get(0), existing.subList(1, existing.size()));
    }

    /** Returns a note about the files that are not read; empty if there are none. */
    Optional<String> note() {
        return ignored.isEmpty()
                ? Optional.empty()
                : Optional.of("note: $KUBECONFIG: only " + file + " is read, without " + listed(ignored)
                        + "; files are not merged, choose another one with --kubeconfig");
    }

    private static String listed(List<Path> paths) {
        return paths.stream().map(Path::toString).collect(Collectors.joining(", "));
    }
}
