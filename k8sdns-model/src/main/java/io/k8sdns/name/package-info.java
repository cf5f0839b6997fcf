/**
 * DNS names of the Kubernetes schema: label sequences, and what each shape means.
 *
 * <pre>{@code
 * DnsLabels cart = DnsLabels.parse("cart.shop.svc").append(DnsLabels.parse("cluster.local"));
 * assertThat(cart).isEqualTo(DnsLabels.parse("Cart.Shop.svc.cluster.local."));
 * assertThat(cart.endsWith(DnsLabels.parse("svc.cluster.local"))).isTrue();
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.name.NameSchema}: labels to {@link io.k8sdns.name.ClusterName} and back, reverse names
 * to networks and back. {@link io.k8sdns.name.DnsLabels} are labels as octets with their case kept and comparison
 * folded, {@link io.k8sdns.name.AddressLabels} addresses as one label.
 *
 * <p>It holds no zone data and asks nobody: whether a name exists is the zone's to say.
 *
 * <p>Used by the records module to write owner names and by the zone to read questions.
 */
@NullMarked
package io.k8sdns.name;

import org.jspecify.annotations.NullMarked;
