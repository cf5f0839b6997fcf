/**
 * Internal: the name schema of a cluster. The package is exported to modules of k8sdns only and may change in any release.
 *
 * <p>{@code NameSchema} reads labels as a {@code ClusterName} and writes them, and reverse names as networks; {@code
 * AddressLabels} writes addresses as one label, {@code DnsLabel} is one label that can be part of a name.
 *
 * <p>It holds no zone data: the zone decides whether a name exists.
 */
@NullMarked
package io.k8sdns.schema;

import org.jspecify.annotations.NullMarked;
