/**
 * Internal: conversions between values of k8sdns and of dnsjava. The package is exported to modules of k8sdns only and may change
 * in any release.
 *
 * <p>{@code DnsNames} converts names, {@code AddressRecords} is a list of addresses as records.
 */
@NullMarked
package io.k8sdns.dnsjava;

import org.jspecify.annotations.NullMarked;
