/**
 * A live cluster as a {@link io.k8sdns.cluster.ClusterSource}: {@link io.k8sdns.clientjava.ApiClusterSource}.
 *
 * <pre>{@code
 * ClusterZone zone = ClusterZone.empty(new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
 * ZoneFeed feed = ZoneFeed.builder(zone, InstantSource.system()).build();
 * ApiClusterSource source = ApiClusterSource.builder(Config.defaultClient()).build();
 * source.start(feed);
 * Resolver resolver = ResolverChain.of(zone, feed::state, Optional.empty());
 * }</pre>
 */
package io.k8sdns.clientjava;
