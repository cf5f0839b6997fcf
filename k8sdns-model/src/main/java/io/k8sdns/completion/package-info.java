/**
 * Internal: completes manifests as Kubernetes does when they are applied. The package is exported to modules of k8sdns
 * only and may change in any release.
 *
 * <p>{@code Completion} makes a {@link io.k8sdns.cluster.ClusterSnapshot} of a {@code ClusterDraft}, the objects of
 * manifests. Its steps share a {@code CompletionState}: {@code WorkloadCompletion} adds Pods,
 * {@code ServiceCompletion} and {@code PodCompletion} set missing fields and addresses ({@code AddressChoice}),
 * {@code NamespaceCompletion} adds Namespaces and {@code SliceCompletion} EndpointSlices.
 */
@NullMarked
package io.k8sdns.completion;

import org.jspecify.annotations.NullMarked;
