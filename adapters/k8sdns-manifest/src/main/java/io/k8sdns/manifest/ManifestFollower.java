package io.k8sdns.manifest;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.json.FileNotes;
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
import java.util.function.Function;

/**
 * Follows files when it is told to: finds those that have changed, and reads them. When to look is said by somebody else
 * ({@link WatchedManifests}), what the contents mean is known elsewhere ({@link FollowedCluster}).
 */
final class ManifestFollower {
    /** No file system tells times worse than to two seconds: within them a file may change twice and look the same. */
    private static final Duration COARSEST = Duration.ofSeconds(2);

    /**
     * A file that holds nothing any more is more probably about to be written than meant to hold nothing: a shell empties
     * it before it starts the command whose output it is to take, which may have a cluster to ask first.
     */
    private static final Duration EMPTY_REST = Duration.ofSeconds(5);

    private static final String BEING_WRITTEN = "it is being written";
    private static final String EMPTY = "it is empty, perhaps about to be written";
    private static final String STAYS = "; what was last read of it stays";

    private final List<Path> paths;
    private final ManifestOptions options;
    private final InstantSource clock;
    private final FollowedCluster cluster;

    /** The files that were found empty by the last step, though something else counts, and since when they have been. */
    private Map<Found, Instant> emptySince = Map.of();

    private int steps;

    ManifestFollower(
            List<Path> paths,
            ManifestOptions options,
            Function<ClusterSnapshot, List<Diagnostic>> check,
            InstantSource clock) {
        this.paths = List.copyOf(paths);
        this.options = options;
        this.clock = clock;
        this.cluster = new FollowedCluster(options, check);
    }

    /** Looks what there is. */
    Look look() {
        return Look.at(paths);
    }

    /**
     * Reads everything for the first time, as {@link Manifests#read} does.
     *
     * @return what there was
     * @throws IOException if one of the paths is missing or cannot be read
     * @throws ManifestException if the options are strict and something of the input is left out
     */
    Look begin() throws IOException {
        Look look = look();
        Reading reading = new Reading(look, look);
        reading.all(true);
        for (Found.Unreadable found : reading.unreadable) {
            if (paths.contains(found.path())) {
                throw failure(found);
            }
        }
        cluster.begin(reading.files, reading.others);
        return look;
    }

    private static IOException failure(Found.Unreadable named) {
        String path = named.path().toString();
        return named.missing()
                ? new NoSuchFileException(path, null, named.reason())
                : new FileSystemException(path, null, named.reason());
    }

    /** Returns what the files make after the last step that counts. */
    ManifestResult result() {
        return cluster.result();
    }

    /**
     * Reads what has changed since the last step and does not change any more.
     *
     * @param before a look a moment ago
     * @param now a look now; a file that it finds otherwise than the one before is being written
     * @return empty if there is nothing to tell
     */
    Optional<FollowedCluster.Step> step(Look before, Look now) {
        steps++;
        Reading reading = new Reading(before, now);
        reading.all(false);
        emptySince = reading.empty;
        return cluster.next(reading.files, reading.others);
    }

    /** The files of one step. */
    private final class Reading {
        private final Set<Found> before;
        private final List<Found> now;
        private final Set<Path> listed = new HashSet<>();
        private final Map<Path, FollowedFile> known = new LinkedHashMap<>();
        private final List<FollowedFile> files = new ArrayList<>();
        private final List<Found.Unreadable> unreadable = new ArrayList<>();
        private final List<Diagnostic> others = new ArrayList<>();
        private final Map<Found, Instant> empty = new HashMap<>();

        Reading(Look before, Look now) {
            this.before = new LinkedHashSet<>(before.files());
            this.now = now.files();
            now.files().forEach(found -> listed.add(found.path()));
            cluster.files().forEach(file -> known.put(file.path(), file));
        }

        void all(boolean first) {
            for (Found found : now) {
                if (!before.contains(found)) {
                    stays(found.path(), BEING_WRITTEN);
                } else if (found instanceof Found.RegularFile file) {
                    read(file, first);
                } else if (found instanceof Found.Unreadable nothing) {
                    unreadable(nothing);
                } else {
                    throw new AssertionError(found);
                }
            }
            for (Found found : before) {
                if (!listed.contains(found.path())) {
                    stays(found.path(), BEING_WRITTEN);
                }
            }
        }

        private void unreadable(Found.Unreadable found) {
            unreadable.add(found);
            if (found.missing()) {
                say(found.path(), found.reason());
            } else if (known.containsKey(found.path())) {
                stays(found.path(), found.reason());
            } else {
                List<FollowedFile> below = known.values().stream()
                        .filter(file -> file.path().startsWith(found.path()) && !listed.contains(file.path()))
                        .toList();
                files.addAll(below);
                say(found.path(), found.reason() + (below.isEmpty() ? "" : STAYS));
            }
        }

        /** What was known of a file goes on to count. */
        private void stays(Path path, String reason) {
            FollowedFile file = known.get(path);
            if (file != null) {
                files.add(file);
            }
            say(path, reason + (file == null ? "" : STAYS));
        }

        private void say(Path path, String reason) {
            FileNotes notes = new FileNotes(path.toString());
            notes.unreadable(reason);
            others.addAll(notes.all());
        }

        private void read(Found.RegularFile found, boolean first) {
            Path path = found.path();
            FollowedFile file = known.getOrDefault(path, FollowedFile.unknown(path));
            if (file.stamp().equals(Optional.of(found.stamp()))) {
                files.add(file);
                return;
            }
            try {
                Instant begun = clock.instant();
                Optional<byte[]> octets = ManifestFiles.load(path, Manifests.LARGEST_FILE);
                boolean changed = !Found.Stamp.of(path).equals(found.stamp());
                if (octets.isEmpty()) {
                    stays(path, "larger than " + (Manifests.LARGEST_FILE >> 20) + " MiB");
                } else if (changed && !first) {
                    files.add(file);
                } else if (file.holdsObjects() && isBlank(octets.get()) && !hasRested(found, begun)) {
                    stays(path, EMPTY);
                } else {
                    FileContents contents = FileReading.read(octets.get(), new FileNotes(path.toString()), options);
                    Optional<Found.Stamp> stamp = Optional.of(found.stamp())
                            .filter(one ->
                                    !changed && isFarFrom(begun, one.changed().orElse(one.modified())));
                    files.add(first ? file.holding(contents, stamp) : file.reading(contents, stamp, steps));
                }
            } catch (NoSuchFileException e) {
                // It went away since the look; the next one knows for how long.
                files.add(file);
            } catch (IOException e) {
                unreadable(new Found.Unreadable(path, Look.reason(e), false));
            }
        }

        /** Returns whether an empty file has been as it is for so long that it is meant to be. */
        private boolean hasRested(Found.RegularFile found, Instant now) {
            Instant since = emptySince.getOrDefault(found, now);
            empty.put(found, since);
            return Duration.between(since, now).abs().compareTo(EMPTY_REST) >= 0;
        }

        private static boolean isBlank(byte[] octets) {
            for (byte octet : octets) {
                if (octet != ' ' && octet != '\t' && octet != '\r' && octet != '\n') {
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
