package io.k8sdns.cli;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The kubeconfigs that kubectl would use: those in {@code $KUBECONFIG}, otherwise the file in the home directory. */
final class KubeconfigChoice {
    private static final String CHANGE = "set it to the path of a kubeconfig, or unset it for ~/.kube/config";

    private KubeconfigChoice() {}

    /** Returns the home directory: that of {@code $HOME} as for kubectl, otherwise that of the user's account. */
    static Path home(@Nullable String variable) {
        return Path.of(variable == null || variable.isEmpty() ? System.getProperty("user.home", ".") : variable);
    }

    /**
     * Returns the files, each once, to be merged in this order. Some may not exist.
     *
     * @param variable the value of {@code $KUBECONFIG}, paths separated by the path separator of the system; null if it is not set
     * @param home the user's home directory
     * @throws IllegalArgumentException if the variable has no path, or no file exists; the message lists the paths
     */
    static List<Path> files(@Nullable String variable, Path home) {
        if (variable == null || variable.isEmpty()) {
            Path usual = home.resolve(".kube").resolve("config");
            if (!Files.exists(usual)) {
                throw new IllegalArgumentException(
                        "no such file: " + usual + ", and $KUBECONFIG is not set; name a kubeconfig with --kubeconfig");
            }
            return List.of(usual);
        }
        List<Path> files = paths(variable);
        if (files.isEmpty()) {
            throw new IllegalArgumentException(
                    "$KUBECONFIG has no path, only separators: '" + variable + "'; " + CHANGE);
        }
        if (files.stream().noneMatch(Files::exists)) {
            throw new IllegalArgumentException(
                    "no such file: " + files.stream().map(Path::toString).collect(Collectors.joining(", "))
                            + ", in $KUBECONFIG; " + CHANGE);
        }
        return files;
    }

    private static List<Path> paths(String variable) {
        return Stream.of(variable.split(File.pathSeparator, -1))
                .filter(path -> !path.isEmpty())
                .map(Path::of)
                .distinct()
                .toList();
    }
}
