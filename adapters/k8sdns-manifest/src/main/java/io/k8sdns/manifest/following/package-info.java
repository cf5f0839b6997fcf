/**
 * Internal, not exported: finds files, and follows their changes.
 *
 * <p>{@code FileScan} lists the files of paths without opening them, and {@code FileBytes} loads one. {@code FollowedFiles}
 * compares two scans and reads the changed files that are no longer being written; a {@code FollowedFile} is the result for one
 * file, with the content in use. {@code DirectoryWatcher} waits for the next change.
 */
@NullMarked
package io.k8sdns.manifest.following;

import org.jspecify.annotations.NullMarked;
