package io.k8sdns.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.k8sdns.arguments.KubernetesNames;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.CharacterCodingException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A directory of clusters that is read again and again: each file is the kubeconfig of a cluster, each directory its manifests. The
 * cluster has the name of either, without {@code .kubeconfig}, {@code .yaml}, {@code .yml} or {@code .conf}. Names that begin with a
 * dot are ignored.
 *
 * <pre>
 *   clusters/foo.kubeconfig           the kubeconfig of cluster foo
 *   clusters/foo.stubzone-endpoint    the URL of its stub zones, if its DNS server takes them
 *   clusters/bar/                     the manifests of cluster bar
 * </pre>
 *
 * <p><b>Joining.</b> A cluster joins when two readings in a row found the same content, so that a file that is being written is not
 * used, and joins again when its content has changed. Content that cannot be used is reported and changes nothing.
 *
 * <p><b>Leaving</b> removes the keys of a cluster, so it takes more than an error: the file or directory must be missing in
 * {@value #READINGS_UNTIL_GONE} readings in a row, of a directory that can be read and has at least one other cluster. A directory
 * that is missing or has no cluster at all is one that is not mounted.
 *
 * <p>A thread of its own reads, so that slow files do not delay the controller.
 */
final class ClusterRegistry implements AutoCloseable {
    /** A file that is replaced by some editors is missing for a moment. */
    static final int READINGS_UNTIL_GONE = 3;

    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final String ENDPOINT = ".stubzone-endpoint";
    private static final List<String> ENDINGS = List.of(".kubeconfig", ".yaml", ".yml", ".conf");

    private final Path directory;
    private final Set<String> taken;
    private final Members members;

    /** The clusters that have joined. */
    private final Map<String, RegisteredCluster> joined = new TreeMap<>();

    /** What the last reading found, and the reason why it is not used if that was tried. */
    private Map<String, Seen> last = Map.of();

    /** In how many readings in a row a cluster that has joined was missing. */
    private final Map<String, Integer> missing = new HashMap<>();

    /** The problems that have been reported and still exist. */
    private Set<String> reported = Set.of();

    private @Nullable ScheduledExecutorService reader;

    /** What happens to the clusters. */
    interface Members {
        /**
         * A cluster joins, or joins again because it was changed.
         *
         * @throws IOException if it cannot be read
         * @throws RuntimeException if it cannot be used; the message says why
         */
        void join(String name, RegisteredCluster cluster) throws IOException;

        /** A cluster leaves. */
        void leave(String name);

        /** Something cannot be used. */
        void problem(String text);
    }

    /**
     * A cluster of the registry.
     *
     * @param path its kubeconfig, or the directory of its manifests
     * @param kubeconfig the content of the kubeconfig; empty for a directory
     * @param endpoint where its DNS server takes stub zones
     */
    record RegisteredCluster(Path path, Optional<String> kubeconfig, Optional<URI> endpoint) {}

    /** What was found, and how often the same. */
    private record Seen(RegisteredCluster cluster, int times) {}

    /**
     * Creates a registry that has not been read.
     *
     * @param taken names that have another source
     */
    ClusterRegistry(Path directory, Set<String> taken, Members members) {
        this.directory = directory;
        this.taken = Set.copyOf(taken);
        this.members = members;
    }

    /**
     * Lets everything join that the directory has now.
     *
     * @throws IOException if the directory cannot be read
     */
    void start() throws IOException {
        Map<String, Seen> found = new TreeMap<>();
        Set<String> problems = new TreeSet<>();
        // The first reading is used at once: nothing says that a file is being written.
        read(problems).clusters().forEach((name, cluster) -> found.put(name, new Seen(cluster, 1)));
        found.forEach((name, seen) -> join(name, seen.cluster(), problems));
        last = found;
        report(problems);
    }

    /** Returns whether all clusters of the directory are directories of manifests. */
    static boolean hasOnlyManifests(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(path -> {
                        String name = String.valueOf(path.getFileName());
                        return !name.startsWith(".") && !name.endsWith(ENDPOINT);
                    })
                    .allMatch(Files::isDirectory);
        }
    }

    /** Reads the directory again after each pause, until this is closed. */
    void follow() {
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread one = new Thread(task, "k8sdns-cluster-registry");
            one.setDaemon(true);
            return one;
        });
        reader = thread;
        var unused = thread.scheduleWithFixedDelay(
                this::readAgain, PAUSE.toMillis(), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Reads the directory again. */
    void readAgain() {
        Set<String> problems = new TreeSet<>();
        try {
            Reading now = read(problems);
            Map<String, Seen> found = new TreeMap<>();
            now.clusters().forEach((name, cluster) -> {
                Seen before = last.get(name);
                int times = before != null && before.cluster().equals(cluster) ? before.times() : 0;
                found.put(name, new Seen(cluster, times + 1));
            });
            last = found;
            found.forEach((name, seen) -> {
                if (seen.times() >= 2 && !seen.cluster().equals(joined.get(name))) {
                    join(name, seen.cluster(), problems);
                }
            });
            removeMissing(now, problems);
        } catch (IOException | RuntimeException unreadable) {
            problems.add(directory + ": " + reason(unreadable) + "; the clusters stay as they are");
        }
        report(problems);
    }

    private void removeMissing(Reading now, Set<String> problems) {
        missing.keySet().removeAll(now.names());
        if (now.names().isEmpty() && !joined.isEmpty()) {
            problems.add(directory + ": no cluster in it; the clusters stay as they are");
            return;
        }
        for (String name : List.copyOf(joined.keySet())) {
            if (!now.names().contains(name) && missing.merge(name, 1, Integer::sum) >= READINGS_UNTIL_GONE) {
                joined.remove(name);
                missing.remove(name);
                members.leave(name);
            }
        }
    }

    private void join(String name, RegisteredCluster cluster, Set<String> problems) {
        try {
            members.join(name, cluster);
            joined.put(name, cluster);
        } catch (IOException | RuntimeException unusable) {
            String reason = reason(unusable);
            problems.add(
                    (reason.contains(cluster.path().toString()) ? "" : cluster.path() + ": ") + reason + kept(name));
        }
    }

    private String kept(String name) {
        return joined.containsKey(name)
                ? "; cluster " + name + " stays as it was"
                : "; cluster " + name + " cannot join";
    }

    /** Reports each problem once while it exists. */
    private void report(Set<String> problems) {
        problems.stream().filter(one -> !reported.contains(one)).forEach(members::problem);
        reported = problems;
    }

    private static String reason(Exception failure) {
        return failure instanceof NoSuchFileException
                ? "no such file or directory"
                : failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }

    // ---- one reading ----

    /**
     * What the directory has.
     *
     * @param names the clusters that are there, readable or not
     * @param clusters those that could be read
     */
    private record Reading(Set<String> names, Map<String, RegisteredCluster> clusters) {}

    private Reading read(Set<String> problems) throws IOException {
        Map<String, Path> entries = new TreeMap<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
            all.forEach(entry -> {
                String name = Objects.requireNonNull(entry.getFileName()).toString();
                if (!name.startsWith(".")) {
                    entries.put(name, entry);
                }
            });
        } catch (DirectoryIteratorException broken) {
            throw broken.getCause();
        }
        Set<String> names = new TreeSet<>();
        Map<String, RegisteredCluster> clusters = new TreeMap<>();
        entries.forEach((file, path) -> {
            String name = clusterName(file, path);
            if (file.endsWith(ENDPOINT)) {
                return;
            }
            if (!KubernetesNames.isDnsSubdomain(name)) {
                problems.add(path + ": not the name of a cluster (a DNS-1123 subdomain): '" + name + "'");
            } else if (taken.contains(name)) {
                problems.add(path + ": cluster " + name + " is given by --cluster");
            } else if (!names.add(name)) {
                problems.add(path + ": a second file or directory of cluster " + name);
            } else {
                try {
                    clusters.put(name, cluster(path, Optional.ofNullable(entries.get(name + ENDPOINT))));
                } catch (IOException | IllegalArgumentException unreadable) {
                    problems.add(path + ": " + reason(unreadable) + kept(name));
                }
            }
        });
        entries.forEach((file, path) -> {
            if (file.endsWith(ENDPOINT) && !names.contains(file.substring(0, file.length() - ENDPOINT.length()))) {
                problems.add(path + ": there is no cluster of this name in the directory");
            }
        });
        return new Reading(names, clusters);
    }

    private static String clusterName(String file, Path path) {
        return ENDINGS.stream()
                .filter(ending -> file.endsWith(ending) && !Files.isDirectory(path))
                .findFirst()
                .map(ending -> file.substring(0, file.length() - ending.length()))
                .orElse(file);
    }

    private static RegisteredCluster cluster(Path path, Optional<Path> endpointFile) throws IOException {
        Optional<URI> endpoint = Optional.empty();
        if (endpointFile.isPresent()) {
            endpoint = Optional.of(endpoint(endpointFile.get()));
        }
        return Files.isDirectory(path)
                ? new RegisteredCluster(path, Optional.empty(), endpoint)
                : new RegisteredCluster(path, Optional.of(text(path)), endpoint);
    }

    /** Reads a file, but nothing that would wait for a writer. */
    private static String text(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException("cannot be read: no regular file");
        }
        try {
            return Files.readString(file, UTF_8);
        } catch (CharacterCodingException binary) {
            throw new IOException("cannot be read: not UTF-8", binary);
        }
    }

    private static URI endpoint(Path file) throws IOException {
        String text = text(file).strip();
        try {
            URI url = URI.create(text);
            if (url.getScheme() == null) {
                throw new IllegalArgumentException("not a URL: '" + text + "'");
            }
            return url;
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException(
                    Objects.requireNonNull(file.getFileName()) + ": " + invalid.getMessage(), invalid);
        }
    }

    /** Reads no more. */
    @Override
    public void close() {
        ScheduledExecutorService thread = reader;
        if (thread != null) {
            thread.shutdownNow();
        }
    }
}
