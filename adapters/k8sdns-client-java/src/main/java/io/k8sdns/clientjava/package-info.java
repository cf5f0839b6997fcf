/**
 * A live cluster as a {@link io.k8sdns.cluster.ClusterSource}: {@link io.k8sdns.clientjava.ApiClusterSource}.
 *
 * <pre>{@code
 * ClusterZone zone = ClusterZone.create();
 * ApiClusterSource.follow(Config.defaultClient(), zone).awaitSynced(Duration.ofSeconds(5));
 * }</pre>
 */
package io.k8sdns.clientjava;
