/**
 * The objects of one cluster and their changes: snapshot, change and source.
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
 * {@link io.k8sdns.cluster.ClusterSource} (objects over time). {@link io.k8sdns.cluster.Visibility} selects the objects
 * that are published; {@link io.k8sdns.cluster.Addressing} holds the networks of addresses that manifests omit. This
 * package does not watch an API server or a file; the adapters do.
 *
 * <p>The adapters (manifests, API server) deliver the objects; the records and zone packages read them.
 */
@NullMarked
package io.k8sdns.cluster;

import org.jspecify.annotations.NullMarked;
