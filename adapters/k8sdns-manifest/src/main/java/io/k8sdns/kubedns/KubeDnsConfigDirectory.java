package io.k8sdns.kubedns;

import io.k8sdns.kubedns.InvalidKubeDnsConfigException.EntryError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The configuration of kube-dns in a directory that holds one file for each key, as a ConfigMap is mounted into a Pod.
 *
 * <p>Every {@link #poll} reads the directory; there is no thread and no other access. Links are followed, so all files
 * are read from the version that the kubelet's link selects. Files whose names begin with a dot, and directories, are
 * ignored. A directory without files is a ConfigMap that was deleted, which gives {@link KubeDnsConfig#DEFAULTS}.
 *
 * <p>If a version cannot be read or is invalid, the last valid configuration stays in use.
 *
 * <p>Thread-safe.
 */
public final class KubeDnsConfigDirectory {
    /** The maximum number of attempts to read a directory that is replaced during the reading. */
    private static final int MAX_READINGS = 5;

    /** The link that the kubelet changes from one version of a ConfigMap to the next. */
    private static final String MOUNTED = "..data";

    private final Path directory;
    private final Function<Map<String, String>, KubeDnsConfig> parser;
    private KubeDnsConfig current = KubeDnsConfig.DEFAULTS;
    private String version = "";

    /** The message of the last error; empty if there was none. */
    private String failure = "";

    /**
     * Makes an object for a directory, without reading it.
     *
     * @param directory the directory of the files
     * @param parser reads the texts of all keys, for example with {@link KubeDnsConfig#parse}; throws
     *     {@link InvalidKubeDnsConfigException}
     */
    public KubeDnsConfigDirectory(Path directory, Function<Map<String, String>, KubeDnsConfig> parser) {
        this.directory = Objects.requireNonNull(directory, "directory");
        this.parser = Objects.requireNonNull(parser, "parser");
    }

    /** Returns the last valid configuration, or {@link KubeDnsConfig#DEFAULTS} if there was none. */
    public synchronized KubeDnsConfig current() {
        return current;
    }

    /**
     * Reads the directory.
     *
     * @return the configuration if it differs from the previous one, otherwise empty
     * @throws InvalidKubeDnsConfigException if the files are not a valid configuration. Thrown once for each version; the
     *     next calls return empty until the files change
     * @throws IOException if the directory is missing or cannot be read. Thrown once until the state changes
     */
    public synchronized Optional<KubeDnsConfig> poll() throws IOException {
        Map<String, byte[]> files;
        try {
            files = read();
        } catch (IOException e) {
            // The next version may have the same content.
            version = "";
            if (isKnown(e)) {
                return Optional.empty();
            }
            throw e;
        }
        String now = version(files);
        if (now.equals(version)) {
            return Optional.empty();
        }
        version = now;
        KubeDnsConfig config;
        try {
            config = parser.apply(texts(files));
        } catch (InvalidKubeDnsConfigException invalid) {
            if (isKnown(invalid)) {
                return Optional.empty();
            }
            throw invalid;
        }
        failure = "";
        if (config.equals(current)) {
            return Optional.empty();
        }
        current = config;
        return Optional.of(config);
    }

    private boolean isKnown(Exception e) {
        String before = failure;
        failure = e.toString();
        return failure.equals(before);
    }

    /**
     * Polls immediately and then in equal intervals.
     *
     * @param changed receives each new configuration, on a thread of the executor
     * @param failed receives an {@link InvalidKubeDnsConfigException}, an {@link IOException}, or an exception of the
     *     first function
     * @param executor the executor of the polls; it is not shut down
     * @param interval the time between two polls
     * @return a future that ends the polling when it is cancelled
     * @throws IllegalArgumentException if the interval is not positive
     */
    public ScheduledFuture<?> follow(
            Consumer<KubeDnsConfig> changed,
            Consumer<Exception> failed,
            ScheduledExecutorService executor,
            Duration interval) {
        Objects.requireNonNull(changed, "changed");
        Objects.requireNonNull(failed, "failed");
        Objects.requireNonNull(executor, "executor");
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("interval: not positive: " + interval);
        }
        return executor.scheduleWithFixedDelay(
                () -> {
                    // An executor drops a task that throws.
                    try {
                        poll().ifPresent(changed);
                    } catch (IOException | RuntimeException e) {
                        failed.accept(e);
                    }
                },
                0,
                interval.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    /** Reads all files of one version. */
    private Map<String, byte[]> read() throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new IOException(directory + ": no such directory");
        }
        for (int i = 0; i < MAX_READINGS; i++) {
            Optional<Path> before = mounted();
            Map<String, byte[]> files = readOnce();
            if (mounted().equals(before)) {
                return files;
            }
        }
        throw new IOException(directory + ": replaced while it was read, " + MAX_READINGS + " times in a row");
    }

    /** Returns the target of the kubelet's link; empty if this is not a mounted ConfigMap. */
    private Optional<Path> mounted() throws IOException {
        try {
            return Optional.of(directory.resolve(MOUNTED).toRealPath());
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    private Map<String, byte[]> readOnce() throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        int left = KubeDnsParser.LARGEST;
        for (Path file : files()) {
            try (InputStream stream = Files.newInputStream(file)) {
                byte[] content = stream.readNBytes(left + 1);
                left -= content.length;
                if (left < 0) {
                    throw new IOException(directory + ": more than 1 MiB in its files, which no ConfigMap can hold");
                }
                files.put(file.getFileName().toString(), content);
            } catch (NoSuchFileException removed) {
                // The file was removed after the directory was listed; the kubelet removes a link after its target.
            }
        }
        return files;
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(
                directory, file -> !file.getFileName().toString().startsWith("."))) {
            for (Path child : children) {
                // Neither a directory nor a pipe, which would wait for a writer.
                if (Files.isRegularFile(child)) {
                    files.add(child);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return files;
    }

    /** Returns the SHA-256 of all names and contents, each followed by a zero, in the order of the names. */
    private static String version(Map<String, byte[]> files) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        files.forEach((name, content) -> {
            all.writeBytes(name.getBytes(StandardCharsets.UTF_8));
            all.write(0);
            all.writeBytes(content);
            all.write(0);
        });
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(all.toByteArray()));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static Map<String, String> texts(Map<String, byte[]> files) {
        Map<String, String> texts = new TreeMap<>();
        List<EntryError> errors = new ArrayList<>();
        files.forEach((name, content) -> {
            try {
                texts.put(
                        name,
                        StandardCharsets.UTF_8
                                .newDecoder()
                                .decode(ByteBuffer.wrap(content))
                                .toString());
            } catch (CharacterCodingException malformed) {
                errors.add(new EntryError(name, name, "not UTF-8; save the file as UTF-8, or remove it"));
            }
        });
        if (!errors.isEmpty()) {
            throw new InvalidKubeDnsConfigException(errors);
        }
        return texts;
    }
}
