package io.k8sdns.manifest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds and loads the files that inputs name.
 *
 * <p>A directory is searched to its bottom; links to files are read, links to directories below it are not followed, so
 * there is no loop; a file that is reached in two ways, as in a mounted ConfigMap, is read once.
 */
final class ManifestFiles {
    private static final Comparator<Path> BYTEWISE =
            Comparator.comparing(path -> octets(path), Arrays::compareUnsigned);

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
            load(stream.name(), stream.stream());
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
        List<Path> files = new ArrayList<>();
        collect(directory, files);
        files.sort(BYTEWISE);
        Set<Path> known = new HashSet<>();
        for (Path file : files) {
            try {
                if (Files.isRegularFile(file)) {
                    if (known.add(file.toRealPath())) {
                        readFile(file);
                    }
                } else if (!Files.isDirectory(file)) {
                    // Or a pipe that nobody may ever write to.
                    passOver(file, Files.exists(file) ? "no regular file" : "a link that leads nowhere");
                }
            } catch (IOException e) {
                passOver(file, reason(e));
            }
        }
    }

    private void collect(Path directory, List<Path> files) throws IOException {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(directory)) {
            for (Path child : children) {
                if (Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)) {
                    collectBelow(child, files);
                } else if (isManifest(child.toString())) {
                    files.add(child);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private void collectBelow(Path directory, List<Path> files) {
        try {
            collect(directory, files);
        } catch (IOException e) {
            passOver(directory, reason(e));
        }
    }

    private static String reason(IOException failure) {
        return failure instanceof AccessDeniedException ? "no permission" : String.valueOf(failure.getMessage());
    }

    private void passOver(Path path, String reason) {
        FileNotes notes = new FileNotes(path.toString());
        notes.warn("unreadable-file", Optional.empty(), Optional.empty(), 0, "cannot be read: " + reason);
        reader.passedOver(notes);
    }

    private static boolean isManifest(String name) {
        return name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json");
    }

    private static byte[] octets(Path path) {
        return path.toString().replace(path.getFileSystem().getSeparator(), "/").getBytes(StandardCharsets.UTF_8);
    }

    private void readFile(Path file) throws IOException {
        if (Files.isRegularFile(file) && Files.size(file) > largest) {
            tooLarge(new FileNotes(file.toString()));
            return;
        }
        try (InputStream stream = Files.newInputStream(file)) {
            load(file.toString(), stream);
        } catch (NoSuchFileException e) {
            throw new NoSuchFileException(file.toString(), null, "no such file or directory");
        }
    }

    private void load(String name, InputStream stream) throws IOException {
        FileNotes notes = new FileNotes(name);
        byte[] octets = stream.readNBytes((int) Math.min(largest + 1, Integer.MAX_VALUE - 8));
        if (octets.length > largest) {
            tooLarge(notes);
        } else {
            reader.file(octets, notes);
        }
    }

    private void tooLarge(FileNotes notes) {
        notes.warn(
                "file-too-large",
                Optional.empty(),
                Optional.empty(),
                0,
                "passed over: larger than " + (largest >> 20) + " MiB");
        reader.passedOver(notes);
    }
}
