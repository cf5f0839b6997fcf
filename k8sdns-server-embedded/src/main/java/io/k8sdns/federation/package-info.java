/**
 * Federated service discovery: one name for a Service in many clusters, nearest shard first.
 *
 * <pre>{@code
 * DnsResolver federated = StubZoneResolver.builder(
 *                 FederationZone.parse("federation."), new SourceCluster("foo"), upstream)
 *         .routes(federation -> Optional.of(nameServers))
 *         .build();
 * DnsResolver resolver = ResolverChain.of(zone).withUpstream(federated);
 * }</pre>
 *
 * <p>Pure: no socket, thread or clock.
 */
@NullMarked
package io.k8sdns.federation;

import org.jspecify.annotations.NullMarked;
