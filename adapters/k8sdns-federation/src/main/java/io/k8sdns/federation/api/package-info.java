/**
 * The HTTPS interface through which a control plane programs the stub zones of a cluster's DNS server: which name servers answer
 * for a federation.
 *
 * <p>Start with {@link io.k8sdns.federation.api.StubZones}, which keeps them, and
 * {@link io.k8sdns.federation.api.StubZoneApi}, which changes them. It forwards nothing: {@link
 * io.k8sdns.federation.StubZoneResolver} does.
 */
@NullMarked
package io.k8sdns.federation.api;

import org.jspecify.annotations.NullMarked;
