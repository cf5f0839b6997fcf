/**
 * Computes a Pod's {@code /etc/resolv.conf} and hostname by the kubelet's rules.
 *
 * <pre>{@code
 * PodDnsSpec pod = PodDnsSpec.builder("web-0").namespace("shop").build();
 * PodDns dns = KubeletDns.forPod(pod, NodeDns.ofClusterDns("10.96.0.10"));
 * String file = dns.resolvConf().render();
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.resolvconf.KubeletDns}: it makes a {@link io.k8sdns.resolvconf.PodDns} of a
 * {@link io.k8sdns.resolvconf.PodDnsSpec} and a {@link io.k8sdns.resolvconf.NodeDns}.
 * {@link io.k8sdns.resolvconf.ResolvConf} is the file; {@link io.k8sdns.resolvconf.KubeletDialect} holds the
 * differences between versions of Kubernetes.
 *
 * <p>This package reads no file of the machine on which it runs. {@link io.k8sdns.search} simulates the lookups of
 * programs with the file.
 */
@NullMarked
package io.k8sdns.resolvconf;

import org.jspecify.annotations.NullMarked;
