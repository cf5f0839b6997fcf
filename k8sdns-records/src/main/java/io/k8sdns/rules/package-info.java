/**
 * Internal: the Kubernetes DNS specification as functions. The package is exported to modules of k8sdns only and may change in
 * any release.
 *
 * <p>{@code RecordRules} has one method per heading of the specification: an object gives {@code Fact}s at {@code OwnerName}s,
 * and all facts at one name give its {@code NameData}, whose view in one zone is {@link io.k8sdns.records.RecordSet}. {@code
 * PackedName} is the stored form of a name's data, {@code StoredName} a cursor over it.
 *
 * <p>Nothing here keeps an index or answers a question: the zone and the resolvers of the embedded server do.
 */
@NullMarked
package io.k8sdns.rules;

import org.jspecify.annotations.NullMarked;
