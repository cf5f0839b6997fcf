/**
 * Internal, not exported: finds files, and follows their changes. Only {@code WatchedManifests}, the public source with its thread,
 * is in {@code io.k8sdns.manifest}; it passes the function that combines files to a cluster ({@code CombinedFiles.Combiner}).
 *
 * <pre>
 *   ManifestFollower         the loop of the thread: waits, scans, and makes a FollowerStep if files have changed
 *      |
 *      |-- DirectoryWatcher  waits for the next change: FileSystemWatcher
 *      |-- FileScan          lists the files of paths (PathState) without opening them
 *      |-- FollowedFiles     compares two scans and reads the changed files that are no longer being written (FileBytes);
 *      |                     a FollowedFile is the result for one file, with the content in use
 *      '-- FollowedCluster   computes the changes of the cluster
 * </pre>
 *
 * <p>{@code FileScan} and {@code FileBytes} also find and load the files that are read once.
 */
@NullMarked
package io.k8sdns.manifest.following;

import org.jspecify.annotations.NullMarked;
