/**
 * A DNS cache for a node, in front of the cluster DNS, that also expands search lists of Pods.
 *
 * <pre>{@code
 * NodeCache cache = NodeCache.builder("cluster.local")
 *         .zone(UpstreamZone.of("cluster.local", clusterDns))
 *         .zone(UpstreamZone.of(".", "192.0.2.53"))
 *         .start();
 * DnsServer server = DnsServer.start(cache, 0);
 * cache.requireOthers(server.addresses()); // throws if a server is this cache
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.nodecache.NodeCache}. It composes {@link io.k8sdns.forward.UpstreamForwarder}, {@link
 * io.k8sdns.forward.AnswerCache}, {@link io.k8sdns.forward.LoopProbe} and {@link io.k8sdns.autopath.AutopathResolver}; it opens no
 * listener, creates no interface and programs no packet rule.
 */
@NullMarked
package io.k8sdns.nodecache;

import org.jspecify.annotations.NullMarked;
