package io.k8sdns.manifest.following;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.ProviderMismatchException;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Waits for events of the file system, but at most a few seconds: network and user-space file systems may send no events, the
 * kernel limits the number of watches, and the target of a link may be in a directory without a watch.
 */
public final class FileSystemWatcher implements DirectoryWatcher {
    private static final long REST_MILLIS = 100;
    private static final long LONGEST_REST_MILLIS = 1_000;
    private static final long MAX_WAIT_MILLIS = 5_000;

    private final long maxMillis;
    private final Optional<WatchService> events;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Set<WatchKey> keys = new HashSet<>();
    private Set<FileScan.Directory> watched = Set.of();
    private long awakeSince = System.nanoTime();

    /** Makes a watcher without watches. */
    public FileSystemWatcher() {
        this(MAX_WAIT_MILLIS);
    }

    /**
     * Makes a watcher without watches.
     *
     * @param maxMillis the maximum time to wait for an event, in milliseconds
     */
    public FileSystemWatcher(long maxMillis) {
        this.maxMillis = maxMillis;
        this.events = watchService();
    }

    private static Optional<WatchService> watchService() {
        try {
            return Optional.of(FileSystems.getDefault().newWatchService());
        } catch (IOException | UnsupportedOperationException none) {
            return Optional.empty();
        }
    }

    @Override
    public boolean watch(Set<FileScan.Directory> directories) {
        if (events.isEmpty() || directories.equals(watched) && keys.stream().allMatch(WatchKey::isValid)) {
            return false;
        }
        Set<WatchKey> now = new HashSet<>();
        for (FileScan.Directory directory : directories) {
            try {
                // A directory that is already watched returns its existing key.
                now.add(directory
                        .real()
                        .register(
                                events.get(),
                                StandardWatchEventKinds.ENTRY_CREATE,
                                StandardWatchEventKinds.ENTRY_MODIFY,
                                StandardWatchEventKinds.ENTRY_DELETE));
            } catch (IOException | UnsupportedOperationException | ProviderMismatchException e) {
                // Changes in this directory are found by the periodic check.
            } catch (ClosedWatchServiceException e) {
                return false;
            }
        }
        keys.removeAll(now);
        keys.forEach(WatchKey::cancel);
        keys.clear();
        keys.addAll(now);
        watched = Set.copyOf(directories);
        return true;
    }

    /** Rests, to limit the load of frequent events, and then waits for an event. */
    @Override
    public boolean awaitChange() {
        if (!rest()) {
            return false;
        }
        try {
            if (events.isEmpty()) {
                return !closed.await(maxMillis, TimeUnit.MILLISECONDS);
            }
            WatchKey key = events.get().poll(maxMillis, TimeUnit.MILLISECONDS);
            while (key != null) {
                // The event's file does not matter, because the check finds the changed files.
                key.pollEvents();
                key.reset();
                key = events.get().poll();
            }
        } catch (ClosedWatchServiceException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        awakeSince = System.nanoTime();
        return true;
    }

    /** Waits as long as the last step took, so that constant changes use at most half of a processor. */
    @Override
    public boolean rest() {
        long awake = (System.nanoTime() - awakeSince) / 1_000_000;
        try {
            return !closed.await(Math.max(REST_MILLIS, Math.min(awake, LONGEST_REST_MILLIS)), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            awakeSince = System.nanoTime();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            if (events.isPresent()) {
                events.get().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
