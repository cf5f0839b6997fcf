/**
 * The entry point: {@link io.k8sdns.ClusterDns} looks up, lists and explains the DNS names of a cluster.
 *
 * <pre>{@code
 * ClusterDns dns = ClusterDns.of(cluster);
 * assertThat(dns.lookup("cart.shop", A).addresses()).containsExactly("10.96.0.20");
 * assertThat(dns.lookup("no.shop", A).status()).isEqualTo(NXDOMAIN);
 * assertThat(dns.explain("no.shop", A).causes()).hasToString("[Service shop/no: no such Service]");
 * }</pre>
 *
 * <p>{@link io.k8sdns.zone.ClusterZone} holds the objects of a live cluster. Package {@link io.k8sdns.wire} answers over a
 * transport; package {@link io.k8sdns.resolver} handles names outside the cluster.
 */
@NullMarked
package io.k8sdns;

import org.jspecify.annotations.NullMarked;
