/**
 * DNS names as sequences of labels.
 *
 * <pre>{@code
 * DnsLabels cart = DnsLabels.parse("cart.shop.svc").append(DnsLabels.parse("cluster.local"));
 * assertThat(cart).isEqualTo(DnsLabels.parse("Cart.Shop.svc.cluster.local."));
 * assertThat(cart.endsWith(DnsLabels.parse("svc.cluster.local"))).isTrue();
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.name.DnsLabels}: labels as bytes, with their case kept and comparison case-insensitive. Text that
 * is no name is refused with {@link io.k8sdns.name.InvalidNameException}.
 *
 * <p>Whether a name exists is decided by the zone of the embedded server.
 */
@NullMarked
package io.k8sdns.name;

import org.jspecify.annotations.NullMarked;
