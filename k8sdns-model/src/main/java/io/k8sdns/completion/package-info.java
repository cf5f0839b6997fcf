/**
 * Internal: what Kubernetes adds to applied manifests. The package is exported to modules of k8sdns only and may change in any
 * release.
 *
 * <p>{@code Completion} makes a {@link io.k8sdns.cluster.ClusterSnapshot} of a {@code ClusterDraft}, the objects of manifests: it
 * adds Namespaces, Pods, addresses ({@code AddressPool}) and EndpointSlices.
 */
@NullMarked
package io.k8sdns.completion;

import org.jspecify.annotations.NullMarked;
