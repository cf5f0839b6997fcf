package io.k8sdns.manifest.following;

import io.k8sdns.manifest.objects.CombinedFiles;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Follows files: reads those that have changed ({@link FollowedFiles}) and computes the changes of the cluster
 * ({@link FollowedCluster}). Used by one thread at a time.
 */
public final class ManifestFollower {
    /** After this many scans in a row with changes, the unchanged files are read although others still change. */
    private static final int MAX_SCANS = 10;

    private final FollowedFiles files;
    private final FollowedCluster cluster;

    /** Makes a follower that has read nothing. */
    public ManifestFollower(FollowedFiles files, CombinedFiles.Combiner combiner) {
        this.files = files;
        this.cluster = new FollowedCluster(combiner);
    }

    /** Scans the paths. */
    public FileScan scan() {
        return files.scan();
    }

    /**
     * Reads all files for the first time.
     *
     * @return the cluster; if it is refused, this follower must not be used any more
     * @throws IOException if one of the paths is missing or cannot be read
     */
    public CombinedFiles begin(FileScan scan) throws IOException {
        return cluster.begin(files.begin(scan));
    }

    /** Returns the cluster after the last step that was not refused. */
    public CombinedFiles.Cluster cluster() {
        return cluster.cluster();
    }

    /**
     * Reads the files that have changed since the last step and are no longer changing.
     *
     * @param before an earlier scan
     * @param now the current scan; a file that differs between the two is being written
     * @return empty if there is neither a change nor a new diagnostic
     */
    public Optional<FollowerStep> step(FileScan before, FileScan now) {
        return cluster.next(files.step(cluster.files(), before, now));
    }

    /**
     * Makes a step after every change of the files, until the watcher is closed.
     *
     * @param beginning the scan of the first reading; files that have changed since are read at once
     * @param steps receives each step with a change or a new diagnostic
     */
    public void follow(FileScan beginning, DirectoryWatcher watcher, Consumer<FollowerStep> steps) {
        FileScan before = beginning;
        do {
            FileScan now = scan(watcher);
            for (int scans = 1; !now.equals(before) && scans < MAX_SCANS; scans++) {
                if (!watcher.rest()) {
                    return;
                }
                before = now;
                now = scan(watcher);
            }
            step(before, now).ifPresent(steps);
            before = now;
        } while (watcher.awaitChange());
    }

    /** Scans the paths and watches their directories. Scans again if a directory was not watched during the scan. */
    private FileScan scan(DirectoryWatcher watcher) {
        FileScan scan = scan();
        return watcher.watch(scan.directories()) ? scan() : scan;
    }
}
