/**
 * Which records exist: the Kubernetes DNS specification 1.1.0 as functions.
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
