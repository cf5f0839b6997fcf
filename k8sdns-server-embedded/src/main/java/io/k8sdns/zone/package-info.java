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
 * {@link io.k8sdns.zone.ServerHealth} decides whether the zones of a server are ready.
 *
 * <p>Which records exist is decided by the rules of {@code k8sdns-records}, with its {@link io.k8sdns.records.ZoneSettings}.
 * Messages and RCODEs belong to {@link io.k8sdns.resolver}.
 *
 * <h2>How it works</h2>
 *
 * <p>A <em>fact</em> is a statement about one name that one object makes, for example that {@code cart.shop.svc} has the address
 * 10.96.0.20. The records of a name are assembled from the facts of all objects that have one there, its <em>publishers</em>.
 *
 * <p>A change, from object to revision:
 *
 * <pre>
 *   ClusterChange --> ClusterObjects    reports which publishers change, then stores the object in its Publisher: packed
 *                          |            (PackedObject), except for a Namespace
 *                          |
 *                     ChangeBatch       the facts of these publishers before and after (PublisherFacts): what was added,
 *                          |            what was removed
 *                          |
 *                     RecordRules       for each name with such facts: its new data (NameData), from the facts of all its
 *                          |            publishers; at a name that slices share, an edit of its old data if no other
 *                          |            endpoint is concerned
 *                          |
 *                  NameTable, AddressTable   copies of the parts that change; everything else is shared
 *                          |
 *                     ZoneRevision      published by one volatile write
 * </pre>
 *
 * <p>The order of the first step matters: the facts before a change are derived from the old object, so they must be taken before it is
 * replaced.
 *
 * <p>A table stores the data of a name in one array ({@code io.k8sdns.rules.PackedName}), and its publishers in another array. The array of
 * {@code cart.shop.svc} with one address and one port:
 *
 * <pre>
 *   4 c a r t 4 s h o p 3 s v c 0   the name in wire form
 *   0x81                            flags: the types that it has, A (1) and SRV (0x80)
 *   1  10 96 0 20                   A: count, addresses
 *   1                               SRV: number of pairs of address and port, for the weight (NameAssembly)
 *   1                               number of SRV records
 *   0 80                            port
 *   0xC0                            target: this name itself
 *   0                               in place of a count: the name above is the target, not the parent of targets (PackedSrvs)
 * </pre>
 *
 * <h2>Copy on write</h2>
 *
 * <p>A revision's tables never change. An editor starts with the parts of a table: the pages and segments of {@code NameTable}, or the
 * nodes of {@code AddressTable}, where each address family has a tree and an editor of its own. An editor has a token, an object with no
 * content, and marks each part that it creates with it: segments and nodes have a field for it, pages, which are plain arrays, an array
 * {@code pageTokens} in the editor, so that a lookup loads one object less. A part with the editor's token is <em>owned</em>: no revision
 * has it, and the editor changes it in place. Any other part is copied before its first change.
 *
 * <p>If the array of pages or the root of a tree is no longer that of the last table, {@code build} makes a new table of the parts, and the
 * editor continues with a new token and owns nothing. It is the same idea implemented twice, because the tables have no part in common.
 */
@NullMarked
package io.k8sdns.zone;

import org.jspecify.annotations.NullMarked;
