/**
 * The live index: the records of the cluster's objects, as an immutable revision for each batch of changes.
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
 *
 * <h2>How it works</h2>
 *
 * <p>A change, from object to revision:
 *
 * <pre>
 *   ClusterChange --> ClusterObjects    stores the object (PackedObject) in its Publisher, and reports which publishers change
 *                          |
 *                     ChangeBatch       the facts of these publishers before and after (PublishedFacts): what was added, what was removed
 *                          |
 *                     RecordRules       for each name with such facts: its new data (NameData), from the facts of all its publishers
 *                          |
 *                  NameTable, AddressTable   copies of the parts that change; everything else is shared
 *                          |
 *                     ZoneRevision      published by one volatile write
 * </pre>
 *
 * <p>An entry of a table is one array ({@code io.k8sdns.rules.PackedName}), and beside it its publishers. That of
 * {@code cart.shop.svc} with one address and one port:
 *
 * <pre>
 *   4 c a r t 4 s h o p 3 s v c 0   the name in wire form
 *   0x81                            kinds: A (1) and SRV (0x80)
 *   1  10 96 0 20                   A: count, addresses
 *   1  1                            SRV: pairs of address and port that share the weight, count of records
 *   0 80  0xC0  0                   a run: port, target (0xC0: this name itself)
 * </pre>
 */
@NullMarked
package io.k8sdns.zone;

import org.jspecify.annotations.NullMarked;
