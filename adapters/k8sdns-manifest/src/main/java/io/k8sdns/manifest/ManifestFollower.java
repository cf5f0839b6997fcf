package io.k8sdns.manifest;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.manifest.following.FileScan;
import io.k8sdns.manifest.following.FollowedFiles;
import io.k8sdns.manifest.objects.FileReading;
import io.k8sdns.model.Diagnostic;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads the files that have changed, with {@link FollowedFiles}, and passes them to {@link FollowedCluster}.
 * {@link WatchedManifests} decides when it does so.
 */
final class ManifestFollower {
    private final FollowedFiles files;
    private final FollowedCluster cluster;

    ManifestFollower(
            List<Path> paths,
            ManifestOptions options,
            Function<ClusterSnapshot, List<Diagnostic>> check,
            InstantSource clock) {
        this.files = new FollowedFiles(
                paths,
                Manifests.LARGEST_FILE,
                (bytes, notes) -> FileReading.read(bytes, notes, options.defaultNamespace(), options.asIs()),
                clock);
        this.cluster = new FollowedCluster(options, check);
    }

    /** Scans the paths. */
    FileScan scan() {
        return files.scan();
    }

    /**
     * Reads all files for the first time, as {@link Manifests#read} does.
     *
     * @return the scan
     * @throws IOException if one of the paths is missing or cannot be read
     * @throws ManifestException if the options are strict and a part of the input is omitted
     */
    FileScan begin() throws IOException {
        FileScan scan = scan();
        cluster.begin(files.begin(scan));
        return scan;
    }

    /** Returns the cluster after the last accepted step. */
    ManifestResult result() {
        return cluster.result();
    }

    /**
     * Reads the files that have changed since the last step and are no longer changing.
     *
     * @param before an earlier scan
     * @param now the current scan; a file that differs between the two is being written
     * @return empty if there is neither a change nor a new diagnostic
     */
    Optional<FollowedCluster.Step> step(FileScan before, FileScan now) {
        return cluster.next(files.step(cluster.files(), before, now));
    }
}
