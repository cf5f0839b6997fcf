package io.k8sdns.manifest;

import io.k8sdns.json.FileNotes;
import io.k8sdns.manifest.following.FileBytes;
import io.k8sdns.manifest.following.FileScan;
import io.k8sdns.manifest.following.PathState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Loads the files of inputs. */
final class ManifestFiles {
    private final long largest;
    private final FileReceiver receiver;

    /** Receives the files. */
    interface FileReceiver {
        /**
         * A file was loaded.
         *
         * @param notes the receiver of diagnostics about the file
         */
        void file(byte[] bytes, FileNotes notes);

        /** A file cannot be loaded; the notes hold the reason. */
        void skipped(FileNotes notes);
    }

    /**
     * Loads files.
     *
     * @param largest the maximum size of a file in bytes
     */
    ManifestFiles(long largest, FileReceiver receiver) {
        this.largest = largest;
        this.receiver = receiver;
    }

    /**
     * Loads the files of one input.
     *
     * @throws IOException if it is missing or cannot be read; an unreadable file or directory below a directory is
     *     skipped
     */
    void read(ManifestInput input) throws IOException {
        if (input instanceof ManifestInput.OfStream stream) {
            loaded(stream.name(), FileBytes.load(stream.stream(), largest));
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
        for (PathState found : FileScan.below(directory).files()) {
            if (found instanceof PathState.RegularFile file) {
                try {
                    readFile(file.path());
                } catch (IOException e) {
                    skip(file.path(), FileScan.reason(e));
                }
            } else if (found instanceof PathState.Unreadable unreadable) {
                skip(unreadable.path(), unreadable.reason());
            } else {
                throw new AssertionError(found);
            }
        }
    }

    private void skip(Path path, String reason) {
        FileNotes notes = new FileNotes(path.toString());
        notes.unreadable(reason);
        receiver.skipped(notes);
    }

    private void readFile(Path file) throws IOException {
        loaded(file.toString(), FileBytes.load(file, largest));
    }

    private void loaded(String name, Optional<byte[]> bytes) {
        FileNotes notes = new FileNotes(name);
        bytes.ifPresentOrElse(all -> receiver.file(all, notes), () -> tooLarge(notes));
    }

    private void tooLarge(FileNotes notes) {
        notes.warn(
                "file-too-large",
                Optional.empty(),
                Optional.empty(),
                0,
                "skipped: larger than " + (largest >> 20) + " MiB");
        receiver.skipped(notes);
    }
}
