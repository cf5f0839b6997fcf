/**
 * Meters on a registry that the host brings.
 *
 * <pre>{@code
 * DnsResponder responder = DnsResponder.builder(ResolverChain.of(zone))
 *         .observer(new RequestMeters(registry))
 *         .build();
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.micrometer.RequestMeters}. Each class names its meters; how Prometheus spells them, and
 * which of CoreDNS's they stand for, is in {@code docs/metrics.md}.
 */
@NullMarked
package io.k8sdns.micrometer;

import org.jspecify.annotations.NullMarked;
