/**
 * The front door: {@link io.k8sdns.ClusterDns} looks up and lists the DNS names of a cluster.
 *
 * <pre>{@code
 * ClusterDns dns = ClusterDns.of(cluster);
 * assertThat(dns.lookup("cart.shop", A).addresses()).containsExactly("10.96.0.20");
 * assertThat(dns.lookup("no.shop", A).status()).isEqualTo(NXDOMAIN);
 * }</pre>
 *
 * <p>A live cluster's objects are put into a {@link io.k8sdns.zone.ClusterZone}. Answers over a transport are the matter of
 * {@link io.k8sdns.wire}, other names than the cluster's of {@link io.k8sdns.resolver}.
 */
@NullMarked
package io.k8sdns;

import org.jspecify.annotations.NullMarked;
