package io.k8sdns.manifest.following;

import java.util.Set;

/** Waits for changes of directories. One thread uses it; any thread may close it. */
public interface DirectoryWatcher extends AutoCloseable {
    /**
     * Watches these directories, in place of those watched before.
     *
     * @return whether one of them was not watched before; a scan before this call may have missed later changes
     */
    boolean watch(Set<FileScan.Directory> directories);

    /**
     * Waits until a directory may have changed.
     *
     * @return false as soon as this is closed
     */
    boolean awaitChange();

    /**
     * Waits for the time in which a file must not change to be considered complete.
     *
     * @return false as soon as this is closed
     */
    boolean rest();

    @Override
    void close();
}
