/**
 * What a Pod finds in {@code /etc/resolv.conf}, and what it is called: the kubelet's rules as functions.
 *
 * <pre>{@code
 * PodDnsSpec pod = PodDnsSpec.builder("web-0").namespace("shop").build();
 * PodDns dns = KubeletDns.forPod(pod, NodeDns.ofClusterDns("10.96.0.10"));
 * String file = dns.resolvConf().render();
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.resolvconf.KubeletDns}: a {@link io.k8sdns.resolvconf.PodDnsSpec} and a
 * {@link io.k8sdns.resolvconf.NodeDns} in, a {@link io.k8sdns.resolvconf.PodDns} out. {@link io.k8sdns.resolvconf.ResolvConf}
 * is the file, {@link io.k8sdns.resolvconf.KubeletDialect} what versions of Kubernetes do differently.
 *
 * <p>Nothing here reads a file of the machine it runs on. What a program makes of the file is the matter of
 * {@link io.k8sdns.search}.
 */
@NullMarked
package io.k8sdns.resolvconf;

import org.jspecify.annotations.NullMarked;
