/**
 * Internal: the Kubernetes DNS specification as functions. The package is exported to modules of k8sdns only and may change in
 * any release.
 *
 * <p>Start with {@code RecordRules}. Each heading of section 2 of the specification is named where it is implemented: there, in {@code
 * EndpointFacts} (endpoints), {@code SrvOwners} (ports) or {@code ZoneRecords} (what a zone contains without any object). An object gives
 * {@code Fact}s at {@code OwnerName}s, all facts at one name give its {@code NameData} ({@code NameAssembly}), and {@code NameRecords} are
 * the record sets of these data in one zone, without records whose targets are too long there. {@code SynthesizedNames} has the names
 * that contain an address and are not stored.
 *
 * <p>{@code PackedName} is the stored form of the data of a name. {@code NameDataBuilder} and {@code NameDataEditor} write it, {@code
 * NameData} is a view of it, and {@code StoredName} a cursor over it for the fast path.
 *
 * <p>No class here has an index of names or answers questions; those are in the zone and the resolvers of the embedded server.
 */
@NullMarked
package io.k8sdns.rules;

import org.jspecify.annotations.NullMarked;
