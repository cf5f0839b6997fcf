/**
 * A live cluster as a {@link io.k8sdns.cluster.ClusterSource}: {@link io.k8sdns.clientjava.ApiClusterSource}.
 *
 * <pre>{@code
 * ClusterZone zone = ClusterZone.empty(new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
 * AtomicReference<SyncState> state = new AtomicReference<>(SyncState.SYNCING);
 * ApiClusterSource source = ApiClusterSource.builder(Config.defaultClient()).build();
 * source.start(new ClusterSource.Sink() {
 *     public void changed(List<ClusterChange> batch) {
 *         zone.apply(batch);
 *     }
 *
 *     public void state(SyncState now) {
 *         state.set(now);
 *     }
 *
 *     public void diagnosed(Diagnostic diagnostic) {}
 * });
 * Resolver resolver = ResolverChain.of(zone, state::get, Optional.empty());
 * }</pre>
 */
package io.k8sdns.clientjava;
