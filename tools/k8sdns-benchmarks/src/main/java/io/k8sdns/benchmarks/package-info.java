/**
 * Programs that measure what the house costs. Start with {@link io.k8sdns.benchmarks.ClusterSizes}: load time, heap and
 * the time of one change, for clusters built in memory. Each class says in its comment how to run it.
 *
 * <p>Nothing here is published, and no test reads a figure from it.
 */
@NullMarked
package io.k8sdns.benchmarks;

import org.jspecify.annotations.NullMarked;
