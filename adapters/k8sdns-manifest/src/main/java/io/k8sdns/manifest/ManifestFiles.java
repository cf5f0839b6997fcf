package io.k8sdns.manifest;

import io.k8sdns.json.FileNotes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Loads the files that inputs name. */
final class ManifestFiles {
    private final long largest;
    private final Reader reader;

    /** What takes the files. */
    interface Reader {
        /**
         * A file was loaded.
         *
         * @param notes where to say what is worth saying about it
         */
        void file(byte[] octets, FileNotes notes);

        /** A file cannot be loaded; the notes say why. */
        void passedOver(FileNotes notes);
    }

    /**
     * Loads files.
     *
     * @param largest the size in bytes from which on a file is not loaded
     */
    ManifestFiles(long largest, Reader reader) {
        this.largest = largest;
        this.reader = reader;
    }

    /**
     * Loads what one input names.
     *
     * @throws IOException if it is missing or cannot be read; a file or directory below a directory that cannot be read
     *     is passed over
     */
    void read(ManifestInput input) throws IOException {
        if (input instanceof ManifestInput.OfStream stream) {
            loaded(stream.name(), load(stream.stream(), largest));
        } else if (input instanceof ManifestInput.OfPath named) {
            if (Files.isDirectory(named.path())) {
                readDirectory(named.path());
            } else {
                readFile(named.path());
            }
        } else {
            throw new AssertionError(input);
        }
    }

    private void readDirectory(Path directory) throws IOException {
        for (Found found : Look.below(directory).files()) {
            if (found instanceof Found.RegularFile file) {
                try {
                    readFile(file.path());
                } catch (IOException e) {
                    passOver(file.path(), Look.reason(e));
                }
            } else if (found instanceof Found.Unreadable unreadable) {
                passOver(unreadable.path(), unreadable.reason());
            } else {
                throw new AssertionError(found);
            }
        }
    }

    private void passOver(Path path, String reason) {
        FileNotes notes = new FileNotes(path.toString());
        notes.unreadable(reason);
        reader.passedOver(notes);
    }

    private void readFile(Path file) throws IOException {
        loaded(file.toString(), load(file, largest));
    }

    /**
     * Loads a file.
     *
     * @return its octets; empty if they are more than allowed
     * @throws IOException if it is missing or cannot be read
     */
    static Optional<byte[]> load(Path file, long largest) throws IOException {
        if (Files.isRegularFile(file) && Files.size(file) > largest) {
            return Optional.empty();
        }
        try (InputStream stream = Files.newInputStream(file)) {
            return load(stream, largest);
        } catch (NoSuchFileException e) {
            throw new NoSuchFileException(file.toString(), null, "no such file or directory");
        }
    }

    private static Optional<byte[]> load(InputStream stream, long largest) throws IOException {
        byte[] octets = stream.readNBytes((int) Math.min(largest + 1, Integer.MAX_VALUE - 8));
        return octets.length > largest ? Optional.empty() : Optional.of(octets);
    }

    private void loaded(String name, Optional<byte[]> octets) {
        FileNotes notes = new FileNotes(name);
        octets.ifPresentOrElse(all -> reader.file(all, notes), () -> tooLarge(notes));
    }

    private void tooLarge(FileNotes notes) {
        notes.warn(
                "file-too-large",
                Optional.empty(),
                Optional.empty(),
                0,
                "skipped: larger than " + (largest >> 20) + " MiB");
        reader.passedOver(notes);
    }
}
