/**
 * The objects of one cluster as a set that changes: snapshot, change and source.
 *
 * <pre>{@code
 * ClusterSnapshot cluster = ClusterSnapshot.of(List.of(
 *         Namespace.of("shop"),
 *         HeadlessService.builder("shop", "db").selector("app=db").build()));
 * for (Diagnostic note : cluster.diagnostics()) {
 *     System.out.println(note); // Service shop/db: no record: its selector matches no Pod
 * }
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.cluster.ClusterSnapshot} (all objects at one moment) or
 * {@link io.k8sdns.cluster.ClusterSource} (objects over time). {@link io.k8sdns.cluster.Visibility} says which of them
 * are published, {@link io.k8sdns.cluster.Addressing} which networks missing addresses are taken from when manifests are
 * completed. Nothing here watches anything by itself.
 *
 * <p>Fed by the adapters (manifests, API server); read by the records and zone packages.
 */
@NullMarked
package io.k8sdns.cluster;

import org.jspecify.annotations.NullMarked;
