package io.k8sdns.manifest;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.manifest.following.DirectoryWatcher;
import io.k8sdns.manifest.following.FileScan;
import io.k8sdns.manifest.following.FileSystemWatcher;
import io.k8sdns.manifest.following.FollowedFiles;
import io.k8sdns.manifest.following.FollowerStep;
import io.k8sdns.manifest.following.ManifestFollower;
import io.k8sdns.manifest.objects.FileReading;
import io.k8sdns.manifest.objects.ObjectRenaming;
import io.k8sdns.model.Diagnostic;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A source of the objects of manifests that follows the files: it delivers changes a fraction of a second after the
 * last write.
 *
 * <pre>{@code
 * try (WatchedManifests source = WatchedManifests.read(paths, ManifestOptions.DEFAULTS, new OversizedRecords(rules)::check, report)) {
 *     source.start(feed);
 *     ...
 * }
 * }</pre>
 *
 * <p>After every change the cluster is what {@link Manifests#read} would make of the files, except for these:
 *
 * <ul>
 *   <li>A file keeps its whole last content while one of its documents does not parse or is not a Kubernetes object, and while
 *       the file or its directory cannot be read. A new file with such a document adds nothing.
 *   <li>An object stays when its document is edited into one that an API server would refuse: into one that is skipped,
 *       for example a fragment or a misspelt kind, or into the same object with a fault. It stays until the document is
 *       valid or deleted, or until another file has a valid one. If two files keep an object of one name, the one that was
 *       valid last is used. A skipped document may be any object of its name; without a valid name, any object that is
 *       missing in the file.
 *   <li>A file or directory that is missing has no objects. It may be created again, even if it is one of the given paths.
 *   <li>If the options are strict and a part would be omitted, the cluster does not change.
 *   <li>A file that is being written keeps its last content until it stops changing. A file that has become empty keeps it
 *       for five to ten seconds, because the shell empties the file of {@code kubectl get -o yaml > file} before kubectl
 *       has an answer.
 * </ul>
 *
 * <p>Each of these is reported once. A content may be kept without a time limit: this source is {@link SyncState#SYNCED} from
 * its start, because unreadable files do not make the others stale. It is {@link SyncState#STALE} only if its thread ends
 * without {@link #close}, because of a bug or a lack of memory.
 *
 * <p>An object is delivered again only if it differs. A chosen address depends on the object's name, and changes only
 * if another object with the same address is added or removed.
 *
 * <p>Directories and links are read as by {@link ManifestInput#path}, so a ConfigMap may be mounted. Events of the file
 * system wake the single thread of this source, a daemon. Without events, as on many network file systems, changes are found
 * within about six seconds. The parsed content of every file is kept in memory.
 */
public final class WatchedManifests implements ClusterSource {
    private final ManifestFollower follower;
    private final FileScan beginning;
    private final DirectoryWatcher watcher;
    private final Consumer<ManifestResult> report;
    private boolean started;
    private boolean closed;

    /**
     * Makes a source of files that have been read.
     *
     * @param follower the follower, after its first reading
     * @param beginning the scan of the first reading
     * @param watcher the watcher, which is closed with this source
     */
    WatchedManifests(
            ManifestFollower follower, FileScan beginning, DirectoryWatcher watcher, Consumer<ManifestResult> report) {
        this.follower = follower;
        this.beginning = beginning;
        this.watcher = watcher;
        this.report = report;
    }

    /**
     * Reads files for the first time, as {@link Manifests#read} does.
     *
     * @param paths files and directories, in order; later ones override earlier ones
     * @param check returns additional diagnostics of the cluster, as for {@link Manifests#read}
     * @param report receives a report of this first reading before this method returns, and later, on the thread of the
     *     source, of each reading with a change or a new diagnostic. The snapshot and the summary are of the whole
     *     cluster; the diagnostics are only the new ones
     * @throws IOException if a path is missing, is neither file nor directory, or cannot be read; the message names it
     * @throws ManifestException if the options are strict and a part of the input is omitted
     */
    public static WatchedManifests read(
            List<Path> paths,
            ManifestOptions options,
            Function<ClusterSnapshot, List<Diagnostic>> check,
            Consumer<ManifestResult> report)
            throws IOException {
        List<Path> all = Copies.list("paths", paths);
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(check, "check");
        Objects.requireNonNull(report, "report");
        ManifestFollower follower = follower(all, options, check, InstantSource.system());
        FileScan beginning = follower.scan();
        report.accept(ManifestResult.of(follower.begin(beginning)));
        return new WatchedManifests(follower, beginning, new FileSystemWatcher(), report);
    }

    /** Returns a follower that reads and combines files as {@link Manifests#read} does. */
    static ManifestFollower follower(
            List<Path> paths,
            ManifestOptions options,
            Function<ClusterSnapshot, List<Diagnostic>> check,
            InstantSource clock) {
        FollowedFiles files = new FollowedFiles(
                paths,
                Manifests.LARGEST_FILE,
                (bytes, notes) ->
                        FileReading.read(bytes, notes, options.defaultNamespace(), options.asIs(), ObjectRenaming.NONE),
                clock);
        return new ManifestFollower(files, (contents, skipped, remarks) -> {
            FileCollector collector = new FileCollector(options, false, check);
            contents.forEach(collector::file);
            collector.noteUnbuiltKustomization();
            collector.skipped(skipped);
            return collector.combined(remarks);
        });
    }

    /**
     * Delivers the result of the first reading (diagnostics, objects and {@link SyncState#SYNCED}) before it returns,
     * and then follows the files. Changes since the first reading are delivered next.
     *
     * @throws IllegalStateException if the source was started or closed before
     */
    @Override
    public synchronized void start(Sink sink) {
        Objects.requireNonNull(sink, "sink");
        if (started || closed) {
            throw new IllegalStateException("the source was started or closed before; create a new one");
        }
        started = true;
        ManifestSource.of(ManifestResult.of(follower.cluster())).start(sink);
        Thread thread = new Thread(() -> run(sink), "k8sdns-manifests");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(Sink sink) {
        try {
            follower.follow(beginning, watcher, step -> deliver(step, sink));
        } finally {
            synchronized (this) {
                if (!closed) {
                    sink.stateChanged(SyncState.STALE);
                }
            }
        }
    }

    private synchronized void deliver(FollowerStep step, Sink sink) {
        if (closed) {
            return;
        }
        if (!step.changes().isEmpty()) {
            sink.changed(step.changes());
        }
        step.report().diagnostics().forEach(sink::diagnosed);
        report.accept(ManifestResult.of(step.report()));
    }

    /** Stops following the files. It waits only for a batch that is being delivered; the thread ends by itself. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        watcher.close();
    }
}
