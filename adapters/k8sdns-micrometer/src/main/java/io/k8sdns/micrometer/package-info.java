/**
 * Micrometer meters of a DNS server, on a registry of the host.
 *
 * <pre>{@code
 * DnsResponder responder = DnsResponder.builder(ResolverChain.of(zone))
 *         .observer(new RequestMeters(registry))
 *         .build();
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.micrometer.RequestMeters}. The Javadoc of each class lists its meters; {@code docs/metrics.md} has
 * their Prometheus names and the corresponding metrics of CoreDNS.
 */
@NullMarked
package io.k8sdns.micrometer;

import org.jspecify.annotations.NullMarked;
