/**
 * Internal, not exported: from the documents of files to the objects of a cluster.
 *
 * <p>{@code FileReading} reads one file, and {@code FileContents} is the result: objects, skipped documents and diagnostics.
 * {@code Inventory} combines the contents of all files: one object for each kind, namespace and name. {@code CombinedFiles} is the
 * cluster that the caller makes of them. {@code TypedObjects} collects the objects of one kind with all of their fields.
 */
@NullMarked
package io.k8sdns.manifest.objects;

import org.jspecify.annotations.NullMarked;
