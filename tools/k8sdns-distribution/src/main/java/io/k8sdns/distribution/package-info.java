/**
 * Writes what the distribution has besides the jars: sources of manual pages, and the completion of shells. Run by the build only.
 */
@org.jspecify.annotations.NullMarked
package io.k8sdns.distribution;
