/**
 * The live index: what the cluster's objects put into DNS, as an immutable revision per applied batch of changes.
 *
 * <pre>{@code
 * ClusterZone zone = ClusterZone.create();
 * zone.onChange(change -> log.addAll(change.names()));
 * zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
 * zone.await("cart.shop", A, Duration.ofSeconds(1));
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.zone.ClusterZone}: give it changes, ask its
 * {@link io.k8sdns.zone.ClusterZone#current() current} {@link io.k8sdns.zone.ZoneRevision}. Readers never lock.
 * {@link io.k8sdns.zone.ServerHealth} answers the probes of a server's zones.
 *
 * <p>Which records exist is decided by the rules of {@code k8sdns-records}, with its {@link io.k8sdns.records.ZoneSettings}.
 * Messages and RCODEs are the matter of {@link io.k8sdns.resolver}.
 */
@NullMarked
package io.k8sdns.zone;

import org.jspecify.annotations.NullMarked;
