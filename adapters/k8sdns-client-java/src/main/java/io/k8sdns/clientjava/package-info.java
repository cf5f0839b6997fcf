/** A live cluster as a {@link io.k8sdns.cluster.ClusterSource}. */
package io.k8sdns.clientjava;
