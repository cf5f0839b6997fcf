/**
 * Publishes the names of a federation to clients outside of its clusters, in a zone of another DNS server.
 *
 * <pre>{@code
 * ExternalRecords records = ExternalRecords.builder(
 *                 new RecordOwner("controller", "prod"), DnsLabels.parse("example.org"))
 *         .build();
 * WantedRecords wanted = records.of(
 *         List.of(FederatedService.builder("shop", "cart")
 *                 .shard("foo", shard)
 *                 .build()),
 *         clusters);
 * ExternalSync sync = ExternalSync.builder(zone, System::nanoTime, random).build();
 * ExternalSync.Report report = sync.pass(wanted); // cart.shop.prod.svc.example.org. 180 IN A 192.0.2.1
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.federation.external.ExternalRecords}, which derives the records of federated Services, and {@link
 * io.k8sdns.federation.external.ExternalSync}, which updates an {@link io.k8sdns.federation.external.ExternalZone} to these
 * records. {@link io.k8sdns.federation.external.ExternalUpdater} repeats this on an executor of the host. The module {@code
 * k8sdns-rfc2136} implements the zone with RFC 2136 updates.
 *
 * <p>Pure: no socket, thread or clock. <i>External name</i> means a name of this zone, not a Service of type ExternalName.
 */
@NullMarked
package io.k8sdns.federation.external;

import org.jspecify.annotations.NullMarked;
