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
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Watches a directory of clusters by reading it periodically. Each file is the kubeconfig of a cluster, each subdirectory contains
 * the manifests of a cluster. The name of the cluster is the name of the file or directory without {@code .kubeconfig}, {@code
 * .yaml}, {@code .yml} or {@code .conf}. Names that begin with a dot are ignored.
 *
 * <pre>
 *   clusters/foo.kubeconfig           the kubeconfig of cluster foo
 *   clusters/foo.stubzone-endpoint    the URL of the stub zone API of its DNS server, if any
 *   clusters/bar/                     the manifests of cluster bar
 * </pre>
 *
 * <p><b>Joining.</b> A cluster joins when two consecutive reads find the same content, so that a file is not used while it is being
 * written. It joins again when its content changes. Invalid content is reported and changes nothing.
 *
 * <p><b>Leaving</b> removes the keys of a cluster, so a single error is not enough: the file or directory must be missing in
 * {@value #READS_UNTIL_REMOVED} consecutive reads of a readable directory with at least one other cluster. A missing or empty
 * directory is probably not mounted.
 *
 * <p>A separate thread reads the files, so that slow file systems do not delay the controller.
 */
final class ClusterRegistry implements AutoCloseable {
    /**
     * The number of consecutive reads after which a missing cluster leaves. Some editors briefly remove a file when they replace
     * it.
     */
    static final int READS_UNTIL_REMOVED = 3;

    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
    private static final String ENDPOINT = ".stubzone-endpoint";
    private static final List<String> ENDINGS = List.of(".kubeconfig", ".yaml", ".yml", ".conf");

    private final Path directory;
    private final Set<String> taken;
    private final Members members;

    /** The clusters that have joined. */
    private final Map<String, RegisteredCluster> joined = new TreeMap<>();

    /** The clusters that the last read found. */
    private Map<String, FoundCluster> last = Map.of();

    /** The numbers of consecutive reads in which joined clusters were missing. */
    private final Map<String, Integer> missing = new HashMap<>();

    /** The problems that have been reported and still exist. */
    private Set<String> reported = Set.of();

    private @Nullable ScheduledExecutorService reader;

    /** Receives the changes of the directory. */
    interface Members {
        /**
         * Joins a cluster, or joins it again after a change.
         *
         * @throws IOException if it cannot be read
         * @throws RuntimeException if it is invalid; the message contains the reason
         */
        void join(String name, RegisteredCluster cluster) throws IOException;

        /** Removes a cluster. */
        void leave(String name);

        /** Reports invalid content. */
        void problem(String text);
    }

    /**
     * A cluster of the registry.
     *
     * @param path its kubeconfig, or the directory of its manifests
     * @param kubeconfig the content of the kubeconfig; empty for a directory
     * @param endpoint the URL of the stub zone API of its DNS server
     */
    record RegisteredCluster(Path path, Optional<String> kubeconfig, Optional<URI> endpoint) {}

    /** A cluster, and the number of consecutive reads that found it unchanged. */
    private record FoundCluster(RegisteredCluster cluster, int times) {}

    /**
     * Creates a registry without reading the directory.
     *
     * @param taken the names of clusters from other sources
     */
    ClusterRegistry(Path directory, Set<String> taken, Members members) {
        this.directory = directory;
        this.taken = Set.copyOf(taken);
        this.members = members;
    }

    /**
     * Joins all clusters that are in the directory.
     *
     * @throws IOException if the directory cannot be read
     */
    void start() throws IOException {
        Map<String, FoundCluster> found = new TreeMap<>();
        Set<String> problems = new TreeSet<>();
        // The first read is used immediately: at startup files are usually complete.
        read(problems).clusters().forEach((name, cluster) -> found.put(name, new FoundCluster(cluster, 1)));
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

    /** Starts to read the directory periodically, until this registry is closed. */
    void follow() {
        ScheduledExecutorService thread = TimerThreads.start("k8sdns-cluster-registry");
        reader = thread;
        var unused = thread.scheduleWithFixedDelay(
                this::readAgain, POLL_INTERVAL.toMillis(), POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Reads the directory again. */
    void readAgain() {
        Set<String> problems = new TreeSet<>();
        try {
            Listing now = read(problems);
            Map<String, FoundCluster> found = new TreeMap<>();
            now.clusters().forEach((name, cluster) -> {
                FoundCluster before = last.get(name);
                int times = before != null && before.cluster().equals(cluster) ? before.times() : 0;
                found.put(name, new FoundCluster(cluster, times + 1));
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

    private void removeMissing(Listing now, Set<String> problems) {
        missing.keySet().removeAll(now.names());
        if (now.names().isEmpty() && !joined.isEmpty()) {
            problems.add(directory + ": no cluster in it; the clusters stay as they are");
            return;
        }
        for (String name : List.copyOf(joined.keySet())) {
            if (!now.names().contains(name) && missing.merge(name, 1, Integer::sum) >= READS_UNTIL_REMOVED) {
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
            problems.add((reason.contains(cluster.path().toString()) ? "" : cluster.path() + ": ")
                    + reason
                    + consequence(name));
        }
    }

    private String consequence(String name) {
        return joined.containsKey(name)
                ? "; cluster " + name + " stays as it was"
                : "; cluster " + name + " cannot join";
    }

    /** Reports the problems that are not already reported. */
    private void report(Set<String> problems) {
        problems.stream().filter(one -> !reported.contains(one)).forEach(members::problem);
        reported = problems;
    }

    private static String reason(Exception failure) {
        return failure instanceof NoSuchFileException
                ? "no such file or directory"
                : failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }

    // ---- reading ----

    /**
     * The content of the directory.
     *
     * @param names the names of all clusters, readable or not
     * @param clusters the clusters that could be read
     */
    private record Listing(Set<String> names, Map<String, RegisteredCluster> clusters) {}

    private Listing read(Set<String> problems) throws IOException {
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
                    problems.add(path + ": " + reason(unreadable) + consequence(name));
                }
            }
        });
        entries.forEach((file, path) -> {
            if (file.endsWith(ENDPOINT) && !names.contains(file.substring(0, file.length() - ENDPOINT.length()))) {
                problems.add(path + ": there is no cluster of this name in the directory");
            }
        });
        return new Listing(names, clusters);
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

    /** Reads a regular file. Other files, such as pipes, could block. */
    private static String text(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException("cannot be read: not a regular file");
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

    /** Stops reading. */
    @Override
    public void close() {
        ScheduledExecutorService thread = reader;
        if (thread != null) {
            thread.shutdownNow();
        }
    }
}
