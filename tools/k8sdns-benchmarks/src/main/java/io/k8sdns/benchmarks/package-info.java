/**
 * Benchmarks of k8sdns. Start with {@link io.k8sdns.benchmarks.ClusterCosts}: heap, load time and the time of one change, for clusters
 * built in memory. {@link io.k8sdns.benchmarks.AnswerCosts} compares answers with dnsjava's, {@link io.k8sdns.benchmarks.StartCosts}
 * compares the starts of servers, and {@link io.k8sdns.benchmarks.ReplicaSimulation} extrapolates to many machines. The class comments
 * have the commands; {@code tools/k8sdns-benchmarks/run} runs the benchmarks of {@code docs/performance.md}.
 *
 * <p>Not published. No test depends on a measured figure.
 */
@NullMarked
package io.k8sdns.benchmarks;

import org.jspecify.annotations.NullMarked;
