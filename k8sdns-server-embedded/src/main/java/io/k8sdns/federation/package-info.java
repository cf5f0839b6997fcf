/**
 * Federated service discovery: one name for a Service in many clusters, nearest shard first.
 *
 * <pre>{@code
 * FederatedZone zone = FederatedZone.builder(format).build();
 * store.follow(zone);
 * Client pod = Client.builder(Client.Transport.UDP)
 *         .ednsOptions(List.of(new SourceCluster("foo").toOption(SourceCluster.OPTION_CODE)))
 *         .build();
 * zone.resolve(Question.of("cart.shop.prod.svc.federation.", A), pod).deliver(answers::add); // 10.0.3.64
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.federation.FederatedZone}, a resolver that follows a
 * {@link io.k8sdns.federation.FederationStore}. Values of the store are read by a
 * {@link io.k8sdns.federation.FederationFormat}; the module {@code k8sdns-federation} has the one for JSON.
 *
 * <p>Pure: no socket, thread or clock. Nothing here forwards the questions of a cluster to the zone, or writes to the store.
 */
@NullMarked
package io.k8sdns.federation;

import org.jspecify.annotations.NullMarked;
