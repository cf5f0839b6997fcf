/**
 * DNS names as sequences of labels.
 *
 * <pre>{@code
 * DnsLabels cart = DnsLabels.parse("cart.shop.svc").append(DnsLabels.parse("cluster.local"));
 * assertThat(cart).isEqualTo(DnsLabels.parse("Cart.Shop.svc.cluster.local."));
 * assertThat(cart.endsWith(DnsLabels.parse("svc.cluster.local"))).isTrue();
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.name.DnsLabels}: labels as bytes, with their case kept and comparison
 * case-insensitive. Invalid text causes an {@link io.k8sdns.name.InvalidNameException}.
 *
 * <p>The zone of the embedded server decides whether a name exists.
 */
@NullMarked
package io.k8sdns.name;

import org.jspecify.annotations.NullMarked;
