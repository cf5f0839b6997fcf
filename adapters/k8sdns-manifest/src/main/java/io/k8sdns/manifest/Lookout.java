package io.k8sdns.manifest;

import java.util.Set;

/** Says when to look. Used by one thread, and closed by any. */
interface Lookout extends AutoCloseable {
    /**
     * From now on changes in these directories matter, and no others.
     *
     * @return whether one of them was not watched before: a look before this may have missed what came after it
     */
    boolean watch(Set<Look.Directory> directories);

    /**
     * Waits until something may have changed.
     *
     * @return false as soon as this is closed
     */
    boolean awaitChange();

    /**
     * Waits for as long as nothing should change in a file that nobody is writing any more.
     *
     * @return false as soon as this is closed
     */
    boolean rest();

    @Override
    void close();
}
