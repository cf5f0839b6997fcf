/**
 * Programs that measure what the house costs. Start with {@link io.k8sdns.benchmarks.ClusterCosts}: heap, load time and
 * the time of one change, for clusters built in memory; {@link io.k8sdns.benchmarks.AnswerCosts} sets answers beside
 * dnsjava's, {@link io.k8sdns.benchmarks.StartCosts} one start beside another; {@link
 * io.k8sdns.benchmarks.ReplicaSimulation} says what follows for many machines. Each class says in its comment how to run it; {@code tools/k8sdns-benchmarks/run} runs all that belongs into
 * {@code docs/performance.md}.
 *
 * <p>Nothing here is published, and no test reads a figure from it.
 */
@NullMarked
package io.k8sdns.benchmarks;

import org.jspecify.annotations.NullMarked;
