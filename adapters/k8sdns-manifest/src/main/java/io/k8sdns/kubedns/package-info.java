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
 * <p>Start with {@link io.k8sdns.kubedns.KubeDnsConfig}. {@link io.k8sdns.kubedns.KubeDnsConfigDirectory} polls the
 * mounted ConfigMap; {@link io.k8sdns.manifest.ManifestResult#kubeDnsData} returns the data of one from manifests.
 *
 * <p>A configuration is validated as a whole: one invalid entry makes it invalid, and the last valid one stays in use.
 * This package resolves no name and sends no query; the caller forwards queries.
 */
@NullMarked
package io.k8sdns.kubedns;

import org.jspecify.annotations.NullMarked;
