/**
 * The configuration of kube-dns: the ConfigMap {@code kube-dns} in the namespace {@code kube-system}, with its keys
 * {@code stubDomains}, {@code upstreamNameservers} and {@code federations}.
 *
 * <pre>{@code
 * List<DnsLabels> zones = List.of(DnsLabels.parse("cluster.local"));
 * KubeDnsConfigDirectory directory =
 *         new KubeDnsConfigDirectory(mounted, data -> KubeDnsConfig.parse(data, zones));
 * directory.poll().ifPresent(config -> System.out.println(config.stubDomains()));
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.kubedns.KubeDnsConfig}. {@link io.k8sdns.kubedns.KubeDnsConfigDirectory} reads the mounted
 * ConfigMap again and again; {@link io.k8sdns.manifest.ManifestResult#kubeDnsData} has the data of one among manifests.
 *
 * <p>A configuration is validated as a whole: one bad entry refuses it all, and the last valid one stays. Nothing is
 * resolved and no server is asked here; forwarding is the host's.
 */
@NullMarked
package io.k8sdns.kubedns;

import org.jspecify.annotations.NullMarked;
