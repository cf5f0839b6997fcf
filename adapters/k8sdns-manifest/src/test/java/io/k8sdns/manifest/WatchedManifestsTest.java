package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.manifest.following.DirectoryWatcher;
import io.k8sdns.manifest.following.FileScan;
import io.k8sdns.manifest.following.FileSystemWatcher;
import io.k8sdns.manifest.following.ManifestFollower;
import io.k8sdns.model.Diagnostic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TransferQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the thread and its wake-ups. Every wait is for an event. */
@Timeout(300)
class WatchedManifestsTest {
    private static final ManifestOptions AS_IS = ManifestOptions.DEFAULTS.withAsIs();

    /** Not the temporary directory itself, because changes beside it would wake the source too. */
    private Path directory;

    @BeforeEach
    void makeDirectory(@TempDir Path temporary) throws IOException {
        directory = Files.createDirectory(temporary.resolve("followed"));
    }

    private Path write(String file, String name) {
        Path path = directory.resolve(file);
        try {
            Files.createDirectories(path.getParent());
            return Files.writeString(path, "{apiVersion: v1, kind: Namespace, metadata: {name: " + name + "}}");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Records the calls, one line each, and the threads that delivered changes. */
    private static final class RecordingSink implements ClusterSource.Sink {
        private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
        private final BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();

        @Override
        public void changed(List<ClusterChange> batch) {
            threads.add(Thread.currentThread());
            calls.add(String.join(
                    ", ",
                    batch.stream()
                            .map(change -> change.fold(
                                    put -> "+ " + put.ref().name(),
                                    remove -> "- " + remove.ref().name()))
                            .toList()));
        }

        @Override
        public void stateChanged(SyncState state) {
            calls.add(state.toString());
        }

        @Override
        public void diagnosed(Diagnostic diagnostic) {
            calls.add(diagnostic.code());
        }

        String next() throws InterruptedException {
            String next = calls.poll(120, TimeUnit.SECONDS);
            return next == null ? "nothing in two minutes" : next;
        }
    }

    /** Follows paths; only the file system wakes the thread. */
    private WatchedManifests read(Path... paths) throws IOException {
        return read(new FileSystemWatcher(TimeUnit.HOURS.toMillis(1)), paths);
    }

    private static WatchedManifests read(DirectoryWatcher watcher, Path... paths) throws IOException {
        ManifestFollower follower =
                WatchedManifests.follower(List.of(paths), AS_IS, any -> List.of(), InstantSource.system());
        FileScan beginning = follower.scan();
        follower.begin(beginning);
        return new WatchedManifests(follower, beginning, watcher, any -> {});
    }

    /**
     * Files of archives and reproducible builds have a constant time, and a new file can get the inode number of a deleted
     * one.
     */
    @Test
    void replacedFileOfTheSameSizeAndTimeIsReadAgain() throws Exception {
        FileTime longAgo = FileTime.fromMillis(1_000_000_000_000L);
        Path path = write("a.yaml", "a");
        Files.setLastModifiedTime(path, longAgo);
        RecordingSink sink = new RecordingSink();
        try (WatchedManifests source = read(directory)) {
            source.start(sink);
            assertThat(List.of(sink.next(), sink.next())).containsExactly("+ a", "SYNCED");
            Files.delete(path);
            Path next = write("a.yaml", "b");
            Files.setLastModifiedTime(next, longAgo);
            String call = sink.next();
            while (!call.contains("+ b")) {
                // A scan between the deletion and the write reports a removal.
                assertThat(call).contains("- a");
                call = sink.next();
            }
        }
    }

    @Test
    void everyWriteOfAFileIsFollowed() throws Exception {
        write("a.yaml", "a");
        Path named = write("elsewhere/named.txt", "one");
        RecordingSink sink = new RecordingSink();
        try (WatchedManifests source = read(directory, named)) {
            source.start(sink);
            assertThat(List.of(sink.next(), sink.next())).containsExactly("+ a, + one", "SYNCED");

            write("b.yaml", "b");
            assertThat(sink.next()).isEqualTo("+ b");
            write("new/below/c.yaml", "c");
            assertThat(sink.next()).isEqualTo("+ c");
            write("new/below/d.yaml", "d");
            assertThat(sink.next()).isEqualTo("+ d");
            Files.delete(directory.resolve("a.yaml"));
            assertThat(sink.next()).isEqualTo("- a");
            write("new/below/c.yaml", "cc");
            assertThat(sink.next()).isEqualTo("- c, + cc");
            Files.move(write("elsewhere/named.txt~", "two"), named, StandardCopyOption.ATOMIC_MOVE);
            assertThat(sink.next()).isEqualTo("- one, + two");
        }
    }

    @Test
    void aMountedConfigMapIsFollowed() throws Exception {
        write("mount/..1/a.yaml", "a");
        Files.createSymbolicLink(directory.resolve("mount/..data"), Path.of("..1"));
        Path file = Files.createSymbolicLink(directory.resolve("mount/a.yaml"), Path.of("..data/a.yaml"));
        write("versions/2/a.yaml", "b");
        Files.move(directory.resolve("versions/2"), directory.resolve("mount/..2"));
        Path link = Files.createSymbolicLink(directory.resolve("mount/..tmp"), Path.of("..2"));
        RecordingSink folder = new RecordingSink();
        RecordingSink one = new RecordingSink();
        try (WatchedManifests ofFolder = read(directory.resolve("mount"));
                WatchedManifests ofFile = read(file)) {
            ofFolder.start(folder);
            ofFile.start(one);
            assertThat(List.of(folder.next(), folder.next())).containsExactly("+ a", "SYNCED");
            assertThat(List.of(one.next(), one.next())).containsExactly("+ a", "SYNCED");

            Files.move(link, directory.resolve("mount/..data"), StandardCopyOption.ATOMIC_MOVE);

            assertThat(folder.next()).isEqualTo("- a, + b");
            assertThat(one.next()).isEqualTo("- a, + b");
        }
    }

    @Test
    void theThreadEndsWhenTheSourceIsClosed() throws Exception {
        write("a.yaml", "a");
        RecordingSink sink = new RecordingSink();
        WatchedManifests source = read(directory);
        source.start(sink);
        write("b.yaml", "b");
        assertThat(List.of(sink.next(), sink.next(), sink.next())).containsExactly("+ a", "SYNCED", "+ b");
        assertThat(sink.threads.take()).isSameAs(Thread.currentThread());
        Thread thread = sink.threads.take();

        source.close();
        source.close();

        assertThat(thread.isDaemon()).isTrue();
        thread.join(120_000);
        assertThat(thread.isAlive()).isFalse();
        assertThat(sink.calls).isEmpty();
    }

    @Test
    void aSourceStartsOnceAndBeforeItIsClosed() throws IOException {
        WatchedManifests source = read(directory);
        source.start(new RecordingSink());
        assertThatThrownBy(() -> source.start(new RecordingSink())).isInstanceOf(IllegalStateException.class);
        source.close();

        WatchedManifests closed = read(directory);
        closed.close();
        assertThatThrownBy(() -> closed.start(new RecordingSink())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aPathThatIsMissingAtTheStartIsAnError() {
        assertThatThrownBy(() -> WatchedManifests.read(
                        List.of(directory.resolve("missing")), AS_IS, any -> List.of(), any -> {}))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageEndingWith("missing: no such file or directory");
    }

    @Test
    void everyReadingIsReportedWithItsNewDiagnostics() throws Exception {
        write("a.yaml", "a");
        Files.writeString(directory.resolve("b.yaml"), "kind: [");
        BlockingQueue<String> reports = new LinkedBlockingQueue<>();
        try (WatchedManifests source = WatchedManifests.read(
                List.of(directory),
                AS_IS,
                any -> List.of(),
                result -> reports.add(result.diagnostics().size() + " new; " + result.summary()))) {
            assertThat(reports.poll())
                    .isEqualTo("1 new; read 2 files: 1 Namespace; 1 file is used, 1 file cannot be parsed; 1 warning");
            source.start(new RecordingSink());

            write("c.yaml", "c");

            assertThat(reports.poll(120, TimeUnit.SECONDS))
                    .isEqualTo(
                            "0 new; read 3 files: 2 Namespaces; 2 files are used, 1 file cannot be parsed; 1 warning");
        }
    }

    /** Wakes when the test requests it, and calls the test between two scans. */
    private static final class Scripted implements DirectoryWatcher {
        private final TransferQueue<Boolean> wakes = new LinkedTransferQueue<>();
        private final BlockingQueue<Thread> resting = new LinkedBlockingQueue<>();
        private volatile boolean closed;
        private volatile Runnable betweenScans = () -> {};

        /** Wakes the source once it waits, that is, after it has delivered all earlier changes. */
        void wake() throws InterruptedException {
            assertThat(wakes.tryTransfer(true, 120, TimeUnit.SECONDS)).isTrue();
        }

        @Override
        public boolean watch(Set<FileScan.Directory> directories) {
            return false;
        }

        @Override
        public boolean awaitChange() {
            try {
                return wakes.take();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public boolean rest() {
            resting.add(Thread.currentThread());
            betweenScans.run();
            return !closed;
        }

        @Override
        public void close() {
            closed = true;
            wakes.add(false);
        }
    }

    @Test
    void changesBeforeTheStartAreDeliveredNext() throws Exception {
        write("a.yaml", "a");
        RecordingSink sink = new RecordingSink();
        try (WatchedManifests source = read(new Scripted(), directory)) {
            write("b.yaml", "b");
            source.start(sink);

            assertThat(List.of(sink.next(), sink.next(), sink.next())).containsExactly("+ a", "SYNCED", "+ b");
        }
    }

    @Test
    void aFileThatIsWrittenAllTheTimeDelaysNoOther() throws Exception {
        write("a.yaml", "a");
        RecordingSink sink = new RecordingSink();
        Scripted watcher = new Scripted();
        try (WatchedManifests source = read(watcher, directory)) {
            source.start(sink);
            assertThat(List.of(sink.next(), sink.next())).containsExactly("+ a", "SYNCED");
            watcher.betweenScans = () -> write("a.yaml", "a" + watcher.resting.size());
            write("a.yaml", "z");
            write("b.yaml", "b");
            watcher.wake();
            assertThat(sink.next()).isEqualTo("+ b");
            assertThat(sink.next()).isEqualTo("unreadable-file");

            watcher.betweenScans = () -> {};
            watcher.wake();
            assertThat(sink.next()).startsWith("- a, + a");
        }
    }

    @Test
    void onlyTheDifferenceOfAFileThatAShellRewritesIsDelivered() throws Exception {
        write("a.yaml", "a");
        RecordingSink sink = new RecordingSink();
        Scripted watcher = new Scripted();
        try (WatchedManifests source = read(watcher, directory)) {
            source.start(sink);
            assertThat(List.of(sink.next(), sink.next())).containsExactly("+ a", "SYNCED");
            Files.writeString(directory.resolve("a.yaml"), "");
            watcher.wake();
            assertThat(sink.next()).isEqualTo("unreadable-file");

            Files.writeString(
                    write("a.yaml", "a"),
                    "\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: b}}",
                    StandardOpenOption.APPEND);
            watcher.wake();
            assertThat(sink.next()).isEqualTo("+ b");
        }
    }

    @Test
    void aFileEditedIntoAMisspeltKindRemovesNoObject() throws Exception {
        Path path = write("a.yaml", "a");
        RecordingSink sink = new RecordingSink();
        Scripted watcher = new Scripted();
        try (WatchedManifests source = read(watcher, directory)) {
            source.start(sink);
            assertThat(List.of(sink.next(), sink.next())).containsExactly("+ a", "SYNCED");
            Files.writeString(path, "{apiVersion: v1, kind: Namspace, metadata: {name: a}}");
            watcher.wake();
            assertThat(List.of(sink.next(), sink.next())).containsExactly("unknown-kind", "kept");

            Files.delete(path);
            watcher.wake();
            assertThat(sink.next()).isEqualTo("- a");
        }
    }

    @Test
    void nothingIsDeliveredAfterClose() throws Exception {
        write("a.yaml", "a");
        RecordingSink sink = new RecordingSink();
        Scripted watcher = new Scripted();
        WatchedManifests source = read(watcher, directory);
        watcher.betweenScans = source::close;
        write("b.yaml", "b");

        source.start(sink);

        Thread thread = watcher.resting.take();
        thread.join(120_000);
        assertThat(thread.isAlive()).isFalse();
        assertThat(sink.calls).containsExactly("+ a", "SYNCED");
    }

    @Test
    void aSourceWhoseThreadDiesIsStale() throws Exception {
        RecordingSink sink = new RecordingSink();
        Scripted watcher = new Scripted();
        watcher.betweenScans = () -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, expected) -> {});
            throw new IllegalStateException("a bug");
        };
        try (WatchedManifests source = read(watcher, directory)) {
            write("a.yaml", "a");
            source.start(sink);

            assertThat(List.of(sink.next(), sink.next(), sink.next())).containsExactly("", "SYNCED", "STALE");
        }
    }

    @Test
    void changesAreFoundAfterAWhileWithoutEvents() {
        try (FileSystemWatcher watcher = new FileSystemWatcher(1)) {
            assertThat(watcher.watch(Set.of(new FileScan.Directory(directory.resolve("missing"), null))))
                    .isTrue();
            assertThat(watcher.awaitChange()).isTrue();
        }
    }

    @Test
    void aDirectoryThatReplacedAnotherIsWatched() throws IOException {
        Path folder = Files.createDirectory(directory.resolve("folder"));
        try (FileSystemWatcher watcher = new FileSystemWatcher()) {
            assertThat(watcher.watch(FileScan.at(List.of(folder)).directories()))
                    .isTrue();
            assertThat(watcher.watch(FileScan.at(List.of(folder)).directories()))
                    .isFalse();

            Files.move(folder, directory.resolve("away"));
            Files.createDirectory(folder);

            assertThat(watcher.watch(FileScan.at(List.of(folder)).directories()))
                    .isTrue();
        }
    }

    @Test
    void aWaitingThreadContinuesImmediatelyAfterClose() throws Exception {
        FileSystemWatcher watcher = new FileSystemWatcher();
        BlockingQueue<Boolean> waited = new LinkedBlockingQueue<>();
        Thread waiting = new Thread(() -> {
            waited.add(watcher.awaitChange());
            waited.add(watcher.rest());
        });
        waiting.start();

        watcher.close();

        assertThat(List.of(waited.take(), waited.take())).containsExactly(false, false);
    }
}
