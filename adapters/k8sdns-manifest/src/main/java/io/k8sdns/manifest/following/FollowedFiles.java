package io.k8sdns.manifest.following;

import io.k8sdns.json.FileNotes;
import io.k8sdns.manifest.objects.FileContents;
import io.k8sdns.model.Diagnostic;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/** Finds the files that have changed, and reads them. The caller decides when, and keeps the files of its last step. */
public final class FollowedFiles {
    /**
     * The coarsest time resolution of a file system: within two seconds a file may change twice with the same stamp.
     */
    private static final Duration COARSEST = Duration.ofSeconds(2);

    /**
     * The time for which an empty file keeps its last content. A shell empties a file before it starts the command that
     * writes it, and that command may query a cluster first.
     */
    private static final Duration EMPTY_REST = Duration.ofSeconds(5);

    private static final String BEING_WRITTEN = "it is being written";
    private static final String EMPTY = "it is empty, perhaps about to be written";
    private static final String STAYS = "; its last content stays in use";

    private final List<Path> paths;
    private final long largest;
    private final BiFunction<byte[], FileNotes, FileContents> reader;
    private final InstantSource clock;

    /** The files that are empty and keep their last content, each with the time at which it was first found empty. */
    private Map<PathState, Instant> emptySince = Map.of();

    private int steps;

    /**
     * The result of a step.
     *
     * @param files the files in order; later ones override earlier ones
     * @param others the diagnostics of paths without a readable file
     */
    public record Reading(List<FollowedFile> files, List<Diagnostic> others) {
        /** Copies the lists. */
        public Reading {
            files = List.copyOf(files);
            others = List.copyOf(others);
        }
    }

    /**
     * Follows files and directories, which need not exist.
     *
     * @param largest the maximum size of a file in bytes
     * @param reader reads the bytes of a file
     */
    public FollowedFiles(
            List<Path> paths, long largest, BiFunction<byte[], FileNotes, FileContents> reader, InstantSource clock) {
        this.paths = List.copyOf(paths);
        this.largest = largest;
        this.reader = reader;
        this.clock = clock;
    }

    /** Scans the paths. */
    public FileScan scan() {
        return FileScan.at(paths);
    }

    /**
     * Reads all files for the first time.
     *
     * @throws IOException if one of the paths is missing or cannot be read
     */
    public Reading begin(FileScan scan) throws IOException {
        Step step = new Step(List.of(), scan, scan);
        step.all(true);
        for (PathState.Unreadable found : step.unreadable) {
            if (paths.contains(found.path())) {
                throw failure(found);
            }
        }
        return new Reading(step.files, step.others);
    }

    private static IOException failure(PathState.Unreadable named) {
        String path = named.path().toString();
        return named.missing()
                ? new NoSuchFileException(path, null, named.reason())
                : new FileSystemException(path, null, named.reason());
    }

    /**
     * Reads the files that have changed since the last step and are no longer changing.
     *
     * @param earlier the files of the last step that was not refused
     * @param before an earlier scan
     * @param now the current scan; a file that differs between the two is being written
     */
    public Reading step(List<FollowedFile> earlier, FileScan before, FileScan now) {
        steps++;
        Step step = new Step(earlier, before, now);
        step.all(false);
        emptySince = step.empty;
        return new Reading(step.files, step.others);
    }

    /** The files of one step. */
    private final class Step {
        private final Set<PathState> before;
        private final List<PathState> now;
        private final Set<Path> listed = new HashSet<>();
        private final Map<Path, FollowedFile> known = new LinkedHashMap<>();
        private final List<FollowedFile> files = new ArrayList<>();
        private final List<PathState.Unreadable> unreadable = new ArrayList<>();
        private final List<Diagnostic> others = new ArrayList<>();
        private final Map<PathState, Instant> empty = new HashMap<>();

        Step(List<FollowedFile> earlier, FileScan before, FileScan now) {
            this.before = new LinkedHashSet<>(before.files());
            this.now = now.files();
            now.files().forEach(found -> listed.add(found.path()));
            earlier.forEach(file -> known.put(file.path(), file));
        }

        void all(boolean isFirst) {
            for (PathState found : now) {
                if (!before.contains(found)) {
                    keep(found.path(), BEING_WRITTEN);
                } else if (found instanceof PathState.RegularFile file) {
                    read(file, isFirst);
                } else if (found instanceof PathState.Unreadable failed) {
                    unreadable(failed);
                } else {
                    throw new AssertionError(found);
                }
            }
            for (PathState found : before) {
                if (!listed.contains(found.path())) {
                    keep(found.path(), BEING_WRITTEN);
                }
            }
        }

        private void unreadable(PathState.Unreadable found) {
            unreadable.add(found);
            if (found.missing()) {
                report(found.path(), found.reason());
            } else if (known.containsKey(found.path())) {
                keep(found.path(), found.reason());
            } else {
                List<FollowedFile> below = known.values().stream()
                        .filter(file -> file.path().startsWith(found.path()) && !listed.contains(file.path()))
                        .toList();
                files.addAll(below);
                report(found.path(), found.reason() + (below.isEmpty() ? "" : STAYS));
            }
        }

        /** Keeps the previous content of a file in use. */
        private void keep(Path path, String reason) {
            FollowedFile file = known.get(path);
            if (file != null) {
                files.add(file);
            }
            report(path, reason + (file == null ? "" : STAYS));
        }

        private void report(Path path, String reason) {
            FileNotes notes = new FileNotes(path.toString());
            notes.unreadable(reason);
            others.addAll(notes.all());
        }

        private void read(PathState.RegularFile found, boolean isFirst) {
            Path path = found.path();
            FollowedFile file = known.getOrDefault(path, FollowedFile.unknown(path));
            if (file.stamp().equals(Optional.of(found.stamp()))) {
                files.add(file);
                return;
            }
            try {
                Instant begun = clock.instant();
                Optional<byte[]> bytes = FileBytes.load(path, largest);
                boolean changed = !PathState.Stamp.of(path).equals(found.stamp());
                if (bytes.isEmpty()) {
                    keep(path, "larger than " + (largest >> 20) + " MiB");
                } else if (changed && !isFirst) {
                    files.add(file);
                } else if (file.holdsObjects() && isBlank(bytes.get()) && !hasRested(found, begun)) {
                    keep(path, EMPTY);
                } else {
                    FileContents contents = reader.apply(bytes.get(), new FileNotes(path.toString()));
                    Optional<PathState.Stamp> stamp = Optional.of(found.stamp())
                            .filter(one ->
                                    !changed && isFarFrom(begun, one.changed().orElse(one.modified())));
                    files.add(isFirst ? file.holding(contents, stamp) : file.reading(contents, stamp, steps));
                }
            } catch (NoSuchFileException e) {
                // The file was removed after the scan; the next scan reports it as missing.
                files.add(file);
            } catch (IOException e) {
                unreadable(new PathState.Unreadable(path, FileScan.reason(e), false));
            }
        }

        /** Returns whether a file has been empty for {@link #EMPTY_REST}, so that its content is considered removed. */
        private boolean hasRested(PathState.RegularFile found, Instant now) {
            Instant since = emptySince.getOrDefault(found, now);
            empty.put(found, since);
            return Duration.between(since, now).abs().compareTo(EMPTY_REST) >= 0;
        }

        private static boolean isBlank(byte[] bytes) {
            for (byte b : bytes) {
                if (b != ' ' && b != '\t' && b != '\r' && b != '\n') {
                    return false;
                }
            }
            return true;
        }

        private static boolean isFarFrom(Instant begun, FileTime modified) {
            return Duration.between(modified.toInstant(), begun).abs().compareTo(COARSEST) > 0;
        }
    }
}
