package io.k8sdns.manifest;

import io.k8sdns.json.FileNotes;
import io.k8sdns.manifest.following.FileBytes;
import io.k8sdns.manifest.following.FileScan;
import io.k8sdns.manifest.following.PathState;
import io.k8sdns.manifest.kustomize.Kustomization;
import io.k8sdns.manifest.kustomize.KustomizationTree;
import io.k8sdns.manifest.objects.ObjectRenaming;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Loads the files of inputs. */
final class ManifestFiles {
    private final long largest;
    private final FileReceiver receiver;

    /** The files that kustomizations have read. */
    private final Set<Path> readThroughKustomization = new HashSet<>();

    /** The number of bytes that kustomizations have read more than once; limited like a file. */
    private long repeated;

    private boolean isRepeatedReported;

    /** Receives the files. */
    interface FileReceiver {
        /**
         * A file was loaded.
         *
         * @param notes the receiver of diagnostics about the file
         * @param renaming the changes that kustomizations make to the names of its objects
         */
        void file(byte[] bytes, FileNotes notes, ObjectRenaming renaming);

        /** A file cannot be loaded; the notes hold the reason. */
        void skipped(FileNotes notes);

        /** A kustomization was applied; its files follow. The notes hold its problems. */
        default void kustomization(FileNotes notes) {}

        /** The files of the last kustomizations were loaded; those that follow are not part of them. */
        default void endOfKustomizations() {}
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
     * Loads the files of one input. The files that kustomizations name are loaded through them, with their names.
     *
     * @throws IOException if it is missing or cannot be read; an unreadable file or directory below a directory is
     *     skipped
     */
    void read(ManifestInput input) throws IOException {
        if (input instanceof ManifestInput.OfPath named && Files.isDirectory(named.path())) {
            readDirectory(named.path());
        } else if (input instanceof ManifestInput.OfPath named
                && KustomizationTree.isKustomizationFile(named.path())
                && Files.isRegularFile(named.path())) {
            readFiles(List.of(new PathState.RegularFile(named.path(), PathState.Stamp.of(named.path()))));
        } else {
            readAlone(input);
        }
    }

    /**
     * Loads one file or stream, also if it is a kustomization.
     *
     * @throws IOException if it is missing or cannot be read
     */
    void readAlone(ManifestInput input) throws IOException {
        if (input instanceof ManifestInput.OfStream stream) {
            loaded(stream.name(), FileBytes.load(stream.stream(), largest));
        } else if (input instanceof ManifestInput.OfPath named) {
            readFile(named.path());
        } else {
            throw new AssertionError(input);
        }
    }

    private void readDirectory(Path directory) throws IOException {
        readFiles(FileScan.below(directory).files());
    }

    private void readFiles(List<PathState> files) {
        KustomizationTree tree = new KustomizationTree(largest);
        for (PathState found : files) {
            if (found instanceof PathState.RegularFile file) {
                tree.add(file.path(), file.stamp().real());
            }
        }
        tree.plan();
        Set<Kustomization> reported = new HashSet<>();
        for (PathState found : files) {
            if (found instanceof PathState.RegularFile file) {
                Path real = file.stamp().real();
                Optional<KustomizationTree.Build> build = tree.buildOf(real);
                if (build.isPresent()) {
                    Map<Path, byte[]> contents = load(build.get());
                    // This may report the kustomization.
                    List<ObjectRenaming> renamings = tree.renamings(build.get(), contents);
                    build.get().kustomizations().stream()
                            .filter(reported::add)
                            .forEach(one -> receiver.kustomization(one.notes()));
                    readParts(build.get(), contents, renamings);
                    receiver.endOfKustomizations();
                } else if (!tree.isNamed(real)) {
                    readOne(file.path());
                }
            } else if (found instanceof PathState.Unreadable unreadable) {
                skip(unreadable.path(), unreadable.reason());
            } else {
                throw new AssertionError(found);
            }
        }
    }

    private void readOne(Path file) {
        try {
            readFile(file);
        } catch (IOException e) {
            skip(file, FileScan.reason(e));
        }
    }

    /** Loads the files of a kustomization, each once: all names must be known before the first one is read. */
    private Map<Path, byte[]> load(KustomizationTree.Build build) {
        Map<Path, byte[]> contents = new HashMap<>();
        Set<Path> seen = new HashSet<>();
        long size = 0;
        for (KustomizationTree.Part part : build.parts()) {
            if (!seen.add(part.real())) {
                continue;
            }
            FileNotes notes = new FileNotes(part.path().toString());
            try {
                Optional<byte[]> bytes = FileBytes.load(part.real(), largest);
                if (bytes.isEmpty()) {
                    tooLarge(notes);
                } else if (size + bytes.get().length > largest) {
                    skip(notes, "skipped: the files of its kustomization are larger than " + mebibytes());
                } else {
                    size += bytes.get().length;
                    contents.put(part.real(), bytes.get());
                }
            } catch (IOException e) {
                skip(part.path(), FileScan.reason(e));
            }
        }
        return contents;
    }

    private void readParts(KustomizationTree.Build build, Map<Path, byte[]> contents, List<ObjectRenaming> renamings) {
        for (int i = 0; i < renamings.size(); i++) {
            KustomizationTree.Part part = build.parts().get(i);
            byte[] bytes = contents.get(part.real());
            if (bytes == null) {
                continue;
            }
            FileNotes notes = new FileNotes(part.path().toString());
            if (!readThroughKustomization.add(part.real())) {
                repeated += bytes.length;
            }
            if (repeated <= largest) {
                receiver.file(bytes, notes, renamings.get(i));
            } else if (!isRepeatedReported) {
                isRepeatedReported = true;
                skip(
                        notes,
                        "skipped, as are others: kustomizations read the same files again and again, together more than "
                                + mebibytes());
            }
        }
    }

    private String mebibytes() {
        return (largest >> 20) + " MiB";
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
        bytes.ifPresentOrElse(all -> receiver.file(all, notes, ObjectRenaming.NONE), () -> tooLarge(notes));
    }

    private void tooLarge(FileNotes notes) {
        skip(notes, "skipped: larger than " + mebibytes());
    }

    private void skip(FileNotes notes, String text) {
        notes.warn("file-too-large", Optional.empty(), Optional.empty(), 0, text);
        receiver.skipped(notes);
    }
}
