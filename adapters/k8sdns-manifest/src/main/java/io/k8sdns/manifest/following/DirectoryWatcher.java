package io.k8sdns.manifest.following;

import java.util.Set;

/** Waits for changes of directories. One thread uses it; any thread may close it. */
public interface DirectoryWatcher extends AutoCloseable {
    /**
     * Watches these directories, in place of those watched before.
     *
     * @return whether a directory was registered: then a change since the last scan may have been missed, and the caller must
     *     scan again
     */
    boolean watch(Set<FileScan.Directory> directories);

    /**
     * Waits until a directory may have changed.
     *
     * @return false as soon as this is closed
     */
    boolean awaitChange();

    /**
     * Waits for the time after which an unchanged file is considered complete.
     *
     * @return false as soon as this is closed
     */
    boolean rest();

    @Override
    void close();
}
