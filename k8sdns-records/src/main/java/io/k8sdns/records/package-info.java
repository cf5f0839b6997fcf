/**
 * Records, and the settings that decide which of them exist where the Kubernetes DNS specification 1.1.0 leaves a choice.
 *
 * <pre>{@code
 * ZoneSettings settings =
 *         ZoneSettings.builder().zone("prod.example").ttlSeconds(30).build();
 * List<RecordSet> sets = ClusterDns.of(cluster, settings).records();
 * assertThat(sets.stream().flatMap(RecordSet::lines)).contains("cart.shop.svc.prod.example. 30 IN A 10.96.0.20");
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.records.ZoneSettings}: zones, TTLs, and a choice for each thing that the specification leaves
 * open. {@link io.k8sdns.records.RecordSet} holds all records of one name and type, as records of dnsjava;
 * {@link io.k8sdns.records.RecordType} is the type of a record or question.
 *
 * <p>No class here has an index of names or answers questions; those are in the zone and the resolvers of the embedded server. The classes
 * of objects are in {@link io.k8sdns.model}.
 */
@NullMarked
package io.k8sdns.records;

import org.jspecify.annotations.NullMarked;
