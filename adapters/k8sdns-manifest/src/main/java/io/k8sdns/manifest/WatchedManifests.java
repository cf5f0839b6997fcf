package io.k8sdns.manifest;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Manifests as a source that follows the files: what changes in them changes in the cluster, a fraction of a second after
 * the last write.
 *
 * <pre>{@code
 * try (WatchedManifests source = WatchedManifests.read(paths, ManifestOptions.DEFAULTS, new OversizedRecords(rules)::of, report)) {
 *     source.start(feed);
 *     ...
 * }
 * }</pre>
 *
 * <p>After every change the cluster is what {@link Manifests#read} would make of the files, except for these:
 *
 * <ul>
 *   <li>A file with a document that does not parse, or that is something else than a Kubernetes object, keeps what was
 *       last read of it, all of it; so does a file or directory that cannot be read. A file that comes with such a document
 *       adds nothing until it can be read.
 *   <li>An object stays when its document is edited into one that an API server would refuse: into one that is skipped,
 *       for example a fragment or a misspelt kind, or into the same object with a fault. It stays until the document is
 *       valid or deleted, or until another file has a valid one; of two such objects, the one that was valid last stays. A skipped document belongs to the objects of its name; one
 *       without a valid name belongs to every object that is missing in the file.
 *   <li>A file or directory that is missing holds nothing; it may come again, also if it was named.
 *   <li>If the options are strict and something would be left out, everything stays as it was.
 *   <li>A file that is being written counts as it was until nothing changes any more; one that has become empty, as
 *       {@code kubectl get -o yaml > file} leaves it until there is an answer, for five to ten seconds.
 * </ul>
 *
 * <p>Each of these is said once. What is in force stays so without a limit: this source is {@link SyncState#SYNCED} as soon
 * as it has started, for files that cannot be read are no reason to trust those less that could be. It is
 * {@link SyncState#STALE} if the following itself ends otherwise than by {@link #close}: a bug, or no memory left.
 *
 * <p>An object is told again when it differs, and only then. An address that is made up for one depends on its name, and
 * changes only when another object comes or goes that has it or would have it.
 *
 * <p>Directories and links are taken as {@link ManifestInput#path} says, so a ConfigMap may be mounted. The file system
 * wakes the one thread of this source, a daemon; where it does not (many in the network do not), changes are found within
 * some six seconds. What was read of every file is kept in memory.
 */
public final class WatchedManifests implements ClusterSource {
    /** So many times in a row something else may have changed before those files are taken that have not. */
    private static final int MOST_LOOKS = 10;

    private final ManifestFollower follower;
    private final Look beginning;
    private final Lookout lookout;
    private final Consumer<ManifestResult> report;
    private boolean started;
    private boolean closed;

    /**
     * Follows what was read.
     *
     * @param follower has begun
     * @param beginning what there was then
     * @param lookout is closed with this
     */
    WatchedManifests(ManifestFollower follower, Look beginning, Lookout lookout, Consumer<ManifestResult> report) {
        this.follower = follower;
        this.beginning = beginning;
        this.lookout = lookout;
        this.report = report;
    }

    /**
     * Reads files for the first time, as {@link Manifests#read} does.
     *
     * @param paths files and directories, in the order in which they count
     * @param check finds what else there is to say of the cluster, as {@link Manifests#read} takes it
     * @param report takes what a person wants to know: of this first reading, before this returns, and later, from the
     *     thread of the source, of each that changed something or found something to say. The snapshot is the whole
     *     cluster, the summary is of it; the diagnostics are those that have not been said before
     * @throws IOException if a path is missing, is neither file nor directory, or cannot be read; the message names it
     * @throws ManifestException if the options are strict and something of the input is left out
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
        ManifestFollower follower = new ManifestFollower(all, options, check, InstantSource.system());
        Look beginning = follower.begin();
        report.accept(follower.result());
        return new WatchedManifests(follower, beginning, new FileSystemLookout(), report);
    }

    /**
     * Delivers what the first reading found, diagnostics, objects and {@link SyncState#SYNCED}, before it returns, and
     * follows the files from then on. What changed in between comes next.
     *
     * @throws IllegalStateException if the source was started or closed before
     */
    @Override
    public synchronized void start(Sink sink) {
        Objects.requireNonNull(sink, "sink");
        if (started || closed) {
            throw new IllegalStateException("a source of manifests starts once, before it is closed");
        }
        started = true;
        ManifestSource.of(follower.result()).start(sink);
        Thread thread = new Thread(() -> run(sink), "k8sdns-manifests");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(Sink sink) {
        try {
            follow(sink);
        } finally {
            synchronized (this) {
                if (!closed) {
                    sink.state(SyncState.STALE);
                }
            }
        }
    }

    private void follow(Sink sink) {
        Look before = beginning;
        do {
            Look now = look();
            for (int looks = 1; !now.equals(before) && looks < MOST_LOOKS; looks++) {
                if (!lookout.rest()) {
                    return;
                }
                before = now;
                now = look();
            }
            follower.step(before, now).ifPresent(step -> tell(step, sink));
            before = now;
        } while (lookout.awaitChange());
    }

    private Look look() {
        Look look = follower.look();
        return lookout.watch(look.directories()) ? follower.look() : look;
    }

    private synchronized void tell(FollowedCluster.Step step, Sink sink) {
        if (closed) {
            return;
        }
        if (!step.changes().isEmpty()) {
            sink.changed(step.changes());
        }
        step.report().diagnostics().forEach(sink::diagnosed);
        report.accept(step.report());
    }

    /** Stops the following; waits for nothing but a batch that is being delivered. The thread ends by itself. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        lookout.close();
    }
}
