/**
 * Which records exist: the Kubernetes DNS specification 1.1.0 as functions.
 *
 * <pre>{@code
 * ZoneSettings settings =
 *         ZoneSettings.builder().zone("prod.example").ttlSeconds(30).build();
 * List<RecordSet> sets = ClusterDns.of(cluster, settings).records();
 * assertThat(sets.stream().flatMap(RecordSet::lines)).contains("cart.shop.svc.prod.example. 30 IN A 10.96.0.20");
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.records.RecordRules}, one method per heading of the specification: an object gives
 * {@link io.k8sdns.records.Fact facts}, all facts at one name give its {@link io.k8sdns.records.NameData}, and that is
 * seen as {@link io.k8sdns.records.RecordSet record sets} of dnsjava records. {@link io.k8sdns.records.ZoneSettings}
 * chooses among what the specification leaves open.
 *
 * <p>Nothing here keeps an index or answers a question: that is the zone and the resolver of the embedded server.
 * Objects come from {@link io.k8sdns.model}.
 */
@NullMarked
package io.k8sdns.records;

import org.jspecify.annotations.NullMarked;
