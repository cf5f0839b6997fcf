package io.k8sdns.cli;

import io.k8sdns.forward.KubeDnsZones;
import io.k8sdns.forward.UpstreamPolicy;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.kubedns.KubeDnsConfig;
import io.k8sdns.name.DnsLabels;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The zones that {@code serve} forwards.
 *
 * @param zones the zones, each name once
 * @param ofHost the servers of the host's resolv.conf if they are used; otherwise empty
 */
record ForwardedZones(List<UpstreamZone> zones, List<UpstreamServer> ofHost) {
    /**
     * Returns the zones of options and both ConfigMaps. Servers of a ConfigMap take precedence over options, as they take precedence over
     * the host's in kube-dns. Reads the host's resolv.conf if its servers are used.
     *
     * @throws IOException if the file cannot be read, or has no valid name server; the message contains the path
     */
    static ForwardedZones of(UpstreamOptions options, KubeDnsConfig ofDirectory, KubeDnsConfig ofObjects)
            throws IOException {
        List<UpstreamZone> zones = new ArrayList<>();
        List<UpstreamServer> ofHost = List.of();
        if (!options.forward.isEmpty()) {
            zones.add(zone(DnsLabels.EMPTY, options.forward, options.forwardPolicy.orElse(UpstreamPolicy.RANDOM)));
        } else if (options.kubeDnsConfig.isPresent()
                && ofObjects.upstreamNameservers().isEmpty()
                && ofDirectory.upstreamNameservers().isEmpty()) {
            ofHost = HostResolver.servers(options.resolvConf);
            zones.add(zone(DnsLabels.EMPTY, ofHost, UpstreamPolicy.SEQUENTIAL));
        }
        Map<DnsLabels, List<UpstreamServer>> stubs = new LinkedHashMap<>();
        for (StubDomain stub : options.stubDomains) {
            stubs.computeIfAbsent(stub.domain(), any -> new ArrayList<>()).addAll(stub.servers());
        }
        stubs.forEach((domain, servers) -> zones.add(zone(domain, servers, UpstreamPolicy.SEQUENTIAL)));
        return new ForwardedZones(KubeDnsZones.over(KubeDnsZones.over(zones, ofObjects), ofDirectory), ofHost);
    }

    private static UpstreamZone zone(DnsLabels name, List<UpstreamServer> servers, UpstreamPolicy policy) {
        UpstreamZone.Builder zone = UpstreamZone.builder(name).policy(policy);
        servers.forEach(zone::server);
        return zone.build();
    }
}
