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
 * Messages and RCODEs belong to {@link io.k8sdns.resolver}.
 *
 * <h2>How it works</h2>
 *
 * <p>A <em>fact</em> is a piece of record data that one object contributes to one owner name, for example that {@code cart.shop.svc} has the
 * address 10.96.0.20. The records of a name are assembled from the facts of all objects that contribute to it, its <em>publishers</em>.
 *
 * <p>A change, from object to revision:
 *
 * <pre>
 *   ClusterChange --> ClusterObjects    stores the object (PackedObject) in its Publisher, and reports which publishers change
 *                          |
 *                     ChangeBatch       the facts of these publishers before and after (PublishedFacts): what was added, what was removed
 *                          |
 *                     RecordRules       for each name with such facts: its new data (NameData), from the facts of all its publishers;
 *                          |            at a name that slices share, an edit of its old data if no other endpoint is concerned
 *                          |
 *                  NameTable, AddressTable   copies of the parts that change; everything else is shared
 *                          |
 *                     ZoneRevision      published by one volatile write
 * </pre>
 *
 * <p>A table stores the data of a name in one array ({@code io.k8sdns.rules.PackedName}), and its publishers beside it. The array of
 * {@code cart.shop.svc} with one address and one port:
 *
 * <pre>
 *   4 c a r t 4 s h o p 3 s v c 0   the name in wire form
 *   0x81                            flags: the types that it has, A (1) and SRV (0x80)
 *   1  10 96 0 20                   A: count, addresses
 *   1                               SRV: number n of pairs of address and port; the weight is 100 / n, at least 1
 *   1                               number of SRV records
 *   0 80                            port
 *   0xC0 0                          target: this name itself
 * </pre>
 */
@NullMarked
package io.k8sdns.zone;

import org.jspecify.annotations.NullMarked;
