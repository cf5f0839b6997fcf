/**
 * The controller of a federation: keeps the store as the objects of the clusters have it.
 *
 * <pre>{@code
 * FederationController controller =
 *         FederationController.builder("prod", store, executor).start();
 * controller.join("foo", source);
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.federation.controller.FederationController}. Which shards a cluster has is decided by
 * {@link io.k8sdns.federation.ClusterShards}.
 */
@NullMarked
package io.k8sdns.federation.controller;

import org.jspecify.annotations.NullMarked;
