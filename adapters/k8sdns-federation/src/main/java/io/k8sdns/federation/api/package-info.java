/**
 * The HTTPS interface through which a control plane programs the stub zones of a cluster's DNS server: which name servers answer
 * for a federation.
 *
 * <pre>{@code
 * StubZones zones = StubZones.builder().file(file).listener(known::add).open();
 * assertThat(zones.put(StubZone.parse("myfed", List.of("192.0.2.53", "[2001:db8::53]:5353"))))
 *         .isTrue();
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.federation.api.StubZones}, which stores the stub zones, and
 * {@link io.k8sdns.federation.api.StubZoneApi}, the server that changes them. {@link io.k8sdns.federation.StubZoneResolver} forwards
 * the queries.
 */
@NullMarked
package io.k8sdns.federation.api;

import org.jspecify.annotations.NullMarked;
