/**
 * External zones of federations on name servers that support dynamic updates (RFC 2136) with TSIG, such as BIND and Knot DNS.
 *
 * <pre>{@code
 * TsigKey key = TsigKey.read(Path.of("/etc/k8sdns/tsig.key")); // as tsig-keygen writes it
 * try (Rfc2136Zone zone = Rfc2136Zone.builder(
 *                 new InetSocketAddress("192.0.2.53", 53), DnsLabels.parse("example.org"), key)
 *         .build()) {
 *     ExternalSync.Report report =
 *             ExternalSync.builder(zone, System::nanoTime, random).build().pass(wanted);
 * }
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.rfc2136.Rfc2136Zone}; {@link io.k8sdns.rfc2136.TsigKey} reads the key. {@link
 * io.k8sdns.federation.external} computes the records of a zone. This package starts no threads and writes no log: calls block and
 * return their results.
 */
@NullMarked
package io.k8sdns.rfc2136;

import org.jspecify.annotations.NullMarked;
