package io.k8sdns.federation.api;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The stub zones of a cluster's DNS server, one for each federation, in memory and in a file. Thread-safe.
 *
 * <pre>{@code
 * StubZones zones = StubZones.builder()
 *         .file(Path.of("/var/lib/k8sdns/stub-zones.json"))
 *         .listener(all -> forwarding.replace(all))
 *         .open();
 * }</pre>
 *
 * <p>A method that changes a stub zone returns after the file has been written and the listener has been called. The file is JSON, an
 * object with a member for each federation; it is replaced as a whole, so that after a crash it is either the old or the new one.
 */
public final class StubZones {
    /** The maximum number of federations. */
    public static final int MAX_FEDERATIONS = 1_000;

    private static final long MAX_FILE_BYTES = 16L << 20;

    private final @Nullable Path file;
    private final Consumer<? super Map<String, StubZone>> listener;
    private volatile Map<String, StubZone> zones;

    private StubZones(Builder builder) throws IOException {
        this.file = builder.file;
        this.listener = builder.listener;
        this.zones = file == null ? Map.of() : read(file);
        listener.accept(zones);
    }

    /** Returns a builder of stub zones that are only in memory unless a file is set. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns all stub zones by federation, in the order of their names. */
    public Map<String, StubZone> all() {
        return zones;
    }

    /**
     * Returns the stub zone of a federation if it has one, otherwise empty.
     *
     * @param federation the name of the federation, in lower case
     */
    public Optional<StubZone> get(String federation) {
        return Optional.ofNullable(zones.get(Objects.requireNonNull(federation, "federation")));
    }

    /**
     * Adds a stub zone, or replaces that of its federation.
     *
     * @return whether the federation had none
     * @throws InvalidStubZoneException if there are 1,000 federations already
     * @throws IOException if the file cannot be written; then nothing has changed
     */
    public synchronized boolean put(StubZone zone) throws IOException {
        Map<String, StubZone> next = new TreeMap<>(zones);
        StubZone before = next.put(zone.federation(), zone);
        if (next.size() > MAX_FEDERATIONS) {
            throw new InvalidStubZoneException(
                    "there are " + MAX_FEDERATIONS + " federations already; delete one first");
        }
        if (!zone.equals(before)) {
            replace(next);
        }
        return before == null;
    }

    /**
     * Removes the stub zone of a federation.
     *
     * @param federation the name of the federation, in lower case
     * @return whether it had one
     * @throws IOException if the file cannot be written; then nothing has changed
     */
    public synchronized boolean remove(String federation) throws IOException {
        Map<String, StubZone> next = new TreeMap<>(zones);
        boolean had = next.remove(Objects.requireNonNull(federation, "federation")) != null;
        if (had) {
            replace(next);
        }
        return had;
    }

    private void replace(Map<String, StubZone> next) throws IOException {
        Path to = file;
        if (to != null) {
            write(to, next);
        }
        Map<String, StubZone> all = Collections.unmodifiableMap(next);
        listener.accept(all);
        zones = all;
    }

    // ---- the file

    private static Map<String, StubZone> read(Path file) throws IOException {
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new IOException(
                        file + ": larger than " + MAX_FILE_BYTES + " bytes, more than a file of stub zones has");
            }
            return Collections.unmodifiableMap(StubZoneJson.readAll(Files.readAllBytes(file)));
        } catch (NoSuchFileException first) {
            Path folder = file.toAbsolutePath().getParent();
            if (folder == null || !Files.isDirectory(folder)) {
                throw new IOException(file + ": its directory does not exist", first);
            }
            return Map.of();
        } catch (InvalidStubZoneException invalid) {
            throw new IOException(
                    file + ": " + invalid.getMessage() + "; correct the file, or delete it to start without stub zones",
                    invalid);
        }
    }

    private static void write(Path file, Map<String, StubZone> zones) throws IOException {
        Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
        Path temporary = Files.createTempFile(folder, ".stub-zones", ".tmp");
        try {
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                ByteBuffer bytes =
                        ByteBuffer.wrap(StubZoneJson.write(zones.values()).getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | RuntimeException failed) {
            Files.deleteIfExists(temporary);
            throw failed;
        }
        syncFolder(folder);
    }

    /** Writes the directory to the disk, so that the new file is found after a crash of the machine. Not every system supports that. */
    private static void syncFolder(Path folder) {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException unsupported) {
            // Then after a crash of the machine the old file may be found.
        }
    }

    /** Collects the settings of stub zones. */
    public static final class Builder {
        private @Nullable Path file;
        private Consumer<? super Map<String, StubZone>> listener = all -> {};

        private Builder() {}

        /** Sets the file; by default there is none. It need not exist, but its directory must. */
        public Builder file(Path value) {
            file = Objects.requireNonNull(value, "file");
            return this;
        }

        /**
         * Sets the listener, which receives all stub zones: once when they are opened, and after every change. By default there is
         * none.
         *
         * @param value called by one thread at a time; {@link StubZones#all} has the change when it returns
         */
        public Builder listener(Consumer<? super Map<String, StubZone>> value) {
            listener = Objects.requireNonNull(value, "listener");
            return this;
        }

        /**
         * Reads the file if it exists.
         *
         * @throws IOException if it cannot be read, or does not hold stub zones; the message names the file and the value
         */
        public StubZones open() throws IOException {
            return new StubZones(this);
        }
    }
}
