/**
 * A live cluster as a {@link io.k8sdns.cluster.ClusterSource}: {@link io.k8sdns.clientjava.ApiClusterSource}.
 *
 * <pre>{@code
 * ClusterZone zone = ClusterZone.create();
 * ApiClusterSource source = ApiClusterSource.follow(client, zone).awaitSynced(Duration.ofSeconds(30));
 * }</pre>
 *
 * <p>{@link io.k8sdns.clientjava.KubeconfigConnector} and {@link io.k8sdns.clientjava.InClusterConnector} find the API server and
 * renew expired credentials; both need {@code io.kubernetes:client-java}. A host that already has an {@code ApiClient} passes it
 * instead.
 */
package io.k8sdns.clientjava;
