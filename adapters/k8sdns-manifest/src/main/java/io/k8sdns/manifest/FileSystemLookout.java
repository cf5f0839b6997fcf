package io.k8sdns.manifest;

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
 * Is woken by the file system, and looks every few seconds besides: a file system in the network, or one in user space,
 * may wake nobody, nor may one of which the kernel allows no more watches, and a link may lead to where nobody watches.
 */
final class FileSystemLookout implements Lookout {
    private static final long REST_MILLIS = 100;
    private static final long LONGEST_REST_MILLIS = 1_000;
    private static final long MOST_MILLIS = 5_000;

    private final long mostMillis;
    private final Optional<WatchService> events;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Set<WatchKey> keys = new HashSet<>();
    private Set<Look.Directory> watched = Set.of();
    private long awakeSince = System.nanoTime();

    FileSystemLookout() {
        this(MOST_MILLIS);
    }

    /**
     * Watches nothing yet.
     *
     * @param mostMillis how long it waits at most for an event
     */
    FileSystemLookout(long mostMillis) {
        this.mostMillis = mostMillis;
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
    public boolean watch(Set<Look.Directory> directories) {
        if (events.isEmpty() || directories.equals(watched) && keys.stream().allMatch(WatchKey::isValid)) {
            return false;
        }
        Set<WatchKey> now = new HashSet<>();
        for (Look.Directory directory : directories) {
            try {
                // For a directory that is watched already this is the key that it has.
                now.add(directory
                        .real()
                        .register(
                                events.get(),
                                StandardWatchEventKinds.ENTRY_CREATE,
                                StandardWatchEventKinds.ENTRY_MODIFY,
                                StandardWatchEventKinds.ENTRY_DELETE));
            } catch (IOException | UnsupportedOperationException | ProviderMismatchException e) {
                // It is looked at all the same, only not at once.
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

    /** However often something wakes it, there is a rest first. */
    @Override
    public boolean awaitChange() {
        if (!rest()) {
            return false;
        }
        try {
            if (events.isEmpty()) {
                return !closed.await(mostMillis, TimeUnit.MILLISECONDS);
            }
            WatchKey key = events.get().poll(mostMillis, TimeUnit.MILLISECONDS);
            while (key != null) {
                // Which file it was does not matter: a look finds it.
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

    /** Rests for as long as it has been awake: where something changes all the time, no processor is taken for long. */
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
