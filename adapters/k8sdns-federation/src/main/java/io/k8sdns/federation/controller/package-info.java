/**
 * The controller of a federation: keeps the store equal to the objects of the clusters.
 *
 * <pre>{@code
 * FederationController controller =
 *         FederationController.builder("prod", store, executor).start();
 * controller.join("foo", source);
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.federation.controller.FederationController}. {@link io.k8sdns.federation.ClusterShards} decides which
 * shards a cluster has.
 *
 * <pre>
 *   FederationController     the public methods, as tasks of the ControllerLoop
 *      |
 *   ControllerCore           the wanted value of each key, and whether this controller may write it
 *      |
 *      |-- StoreWriter       writes keys by compare-and-swap, and repeats failed writes
 *      '-- JoinedCluster     the objects and claims of one cluster, and if needed:
 *             |-- StubZoneKeeper   the stub zone in the cluster's DNS server
 *             '-- LeasedShards     the Services that are created in the cluster (ShardKeeper), while its Lease is held (ClusterLease)
 * </pre>
 */
@NullMarked
package io.k8sdns.federation.controller;

import org.jspecify.annotations.NullMarked;
